"""Handoffs as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, json, text

HANDOFFS = Table(
    name="handoffs",
    meaning="what one session of an agent left for the next",
    key="handoff_id",
    columns=(
        ORGANIZATION,
        text("handoff_id", "id of the handoff", frozen=True),
        text("agent_id", "whose session it was", frozen=True),
        text("summary", "what happened"),
        json("context", "whatever else the next session should know"),
        json("tags", "words to find it by"),
        text("session_date", "the day of the session"),
        json("key_decisions", "what was decided, a text or a list"),
        json("open_tasks", "what is left to do, a text or a list"),
        json("mood_notes", "how people were, a text or a list"),
        json("next_priorities", "what comes first, a text or a list"),
        text("created_by", "id of the key that left it", frozen=True),
        CREATED_AT,
    ),
    created=frozenset({"handoff.created"}),
)
