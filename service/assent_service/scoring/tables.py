"""Scoring profiles, their dimensions and the scores they gave as rows; what was deleted stays, since scores name it."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, json, number, text, time

SCORING_PROFILES = Table(
    name="scoring_profiles",
    meaning="scoring profiles as they are now, deleted ones included",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the profile", frozen=True),
        text("name", "what people call it"),
        text("description", "what it is for"),
        text("action_type", "the kind of action that it is meant for; empty means any"),
        text("composite_method", "weighted_average, minimum or geometric_mean"),
        json("metadata", "whatever was added"),
        text("status", "active, inactive or archived"),
        CREATED_AT,
        text("created_by", "id of the key that made it"),
        time("updated_at", "when it was last changed"),
        text("updated_by", "id of the key that changed it last"),
        time("deleted_at", "when it was removed"),
    ),
    created=frozenset({"scoring_profile.created"}),
    replaced=frozenset({"scoring_profile.updated"}),
)

SCORING_DIMENSIONS = Table(
    name="scoring_dimensions",
    meaning="what scoring profiles measure, as it is now, deleted dimensions included",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the dimension", frozen=True),
        text("profile_id", "the profile that it belongs to", frozen=True),
        text("name", "what people call it"),
        text("description", "what it is for"),
        text("data_source", "what it takes of an action"),
        json("data_config", "the field or the condition that the source needs"),
        json("scale", "the rules that turn a value into a score"),
        number("weight", "how much it counts among the dimensions of its profile"),
        integer("sort_order", "its place among them"),
        CREATED_AT,
        text("created_by", "id of the key that made it"),
        time("updated_at", "when it was last changed"),
        text("updated_by", "id of the key that changed it last"),
        time("deleted_at", "when it was removed"),
    ),
    created=frozenset({"scoring_dimension.created"}),
    replaced=frozenset({"scoring_dimension.updated"}),
)

PROFILE_SCORES = Table(
    name="profile_scores",
    meaning="scores that scoring profiles gave to actions, one row for each time",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the score", frozen=True),
        text("profile_id", "the profile that gave it", frozen=True),
        text("profile_name", "its name then", frozen=True),
        text("action_id", "the action that was scored, if it was named", frozen=True),
        text("agent_id", "who acted", frozen=True),
        text("action_type", "what kind of action", frozen=True),
        number("composite_score", "the score", "0-100"),
        text("composite_method", "how the dimensions became one score", frozen=True),
        json("dimension_scores", "value, score and label of each dimension"),
        json("metadata", "whatever was added"),
        text("source", "the action's: live, import or simulated; empty when nobody recorded the action", frozen=True),
        text("batch_id", "the batch that it came with, if any", frozen=True),
        time("scored_at", "when it was given", frozen=True),
        CREATED_AT,
        text("created_by", "id of the key that asked"),
    ),
    created=frozenset({"profile_score.created"}),
)
