"""What was said about recommendations, as rows. Recommendations themselves are made when they are asked for."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, json, text, time

RECOMMENDATION_SWITCHES = Table(
    name="recommendation_switches",
    meaning="recommendations that were switched off or on, one row for each as it is now",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the recommendation", frozen=True),
        text("agent_id", "whose it is", frozen=True),
        text("action_type", "what kind of action it is about", frozen=True),
        boolean("active", "whether it is shown"),
        CREATED_AT,
        time("updated_at", "when it was last switched"),
        text("updated_by", "id of the key that did so"),
    ),
    created=frozenset(),
    replaced=frozenset({"recommendation.updated"}),
)
RECOMMENDATION_EVENTS = Table(
    name="recommendation_events",
    meaning="what agents said of recommendations, one row for each time",
    key="id",
    columns=(
        ORGANIZATION,
        text("id", "id of the event", frozen=True),
        text("recommendation_id", "the recommendation", frozen=True),
        text("agent_id", "whose it is", frozen=True),
        text("action_type", "what kind of action it is about", frozen=True),
        text("event_type", "fetched, applied or overridden", frozen=True),
        text("action_id", "the action that it was said of, if any", frozen=True),
        json("details", "whatever the agent added"),
        CREATED_AT,
        text("created_by", "id of the key that said it", frozen=True),
    ),
    created=frozenset({"recommendation_event.created"}),
)
