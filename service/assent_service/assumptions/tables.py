"""Assumptions as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, text, time

ASSUMPTIONS = Table(
    name="assumptions",
    meaning="what agents believed while they acted, one row for each belief as it is judged now",
    key="assumption_id",
    columns=(
        ORGANIZATION,
        text("assumption_id", "id of the assumption", frozen=True),
        text("action_id", "the action that rests on it", frozen=True),
        text("agent_id", "who believed it", frozen=True),
        text("action_type", "what kind of action", frozen=True),
        text("assumption", "the belief"),
        text("basis", "what the belief rested on"),
        boolean("validated", "whether somebody looked and it held"),
        boolean("invalidated", "whether somebody looked and it was wrong"),
        text("invalidated_reason", "why it was wrong"),
        time("validated_at", "when it was last judged; empty until somebody has looked"),
        text("source", "live, import, or simulated: a simulator made it up"),
        time("occurred_at", "when it was believed; earlier than created_at for imported history"),
        CREATED_AT,
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"assumption.created"}),
    replaced=frozenset({"assumption.updated"}),
)
