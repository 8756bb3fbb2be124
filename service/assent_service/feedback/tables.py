"""Feedback as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, json, number, text, time

FEEDBACK = Table(
    name="feedback",
    meaning="what people and agents thought of what an agent did, one row for each time that somebody said so",
    key="feedback_id",
    columns=(
        ORGANIZATION,
        text("feedback_id", "id of the feedback", frozen=True),
        text("action_id", "the action it is about, if any", frozen=True),
        text("agent_id", "the agent it is about", frozen=True),
        text("action_type", "what kind of action it is about", frozen=True),
        number("rating", "how good it was; empty when only a comment was given", "1-5"),
        text("comment", "what was said"),
        text("sentiment", "positive, negative or neutral, by the rating or else by the comment's words"),
        text("category", "what it belongs to, as its giver says"),
        json("tags", "topics, given and found in the comment"),
        json("metadata", "whatever came with it"),
        text("source", "through what it was given, such as sdk or user"),
        boolean("resolved", "whether somebody has seen to it"),
        time("resolved_at", "when"),
        text("resolved_by", "who, as they call themselves"),
        text("resolved_by_key", "id of the key that said so"),
        text("created_by", "id of the key that gave it", frozen=True),
        CREATED_AT,
        time("updated_at", "when it last changed"),
        time("deleted_at", "when it was taken out of lists and counts"),
    ),
    created=frozenset({"feedback.created"}),
    replaced=frozenset({"feedback.updated"}),
)
