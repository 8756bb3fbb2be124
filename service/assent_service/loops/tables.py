"""Open loops as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, json, text, time

LOOPS = Table(
    name="loops",
    meaning="what actions have left open, one row for each loop as it is now; closed ones included",
    key="loop_id",
    columns=(
        ORGANIZATION,
        text("loop_id", "id of the loop", frozen=True),
        text("action_id", "the action that left it open", frozen=True),
        text("agent_id", "who acted", frozen=True),
        text("agent_name", "what people called the agent then", frozen=True),
        text("declared_goal", "what the agent wanted then", frozen=True),
        text("action_type", "what kind of action", frozen=True),
        text("loop_type", "followup, question, dependency, approval, review, handoff or other", frozen=True),
        text("description", "what is open", frozen=True),
        text("status", "open, resolved or cancelled"),
        text("priority", "low, medium, high or critical", frozen=True),
        text("owner", "who should take care of it", frozen=True),
        text("resolution", "how it was resolved, or why it was cancelled"),
        json("metadata", "whatever the agent added"),
        text("source", "live, or simulated: a simulator made the action up", frozen=True),
        CREATED_AT,
        time("updated_at", "when it last changed"),
        time("resolved_at", "when it was closed; empty while it is open"),
        text("resolved_by", "name of the key that closed it"),
    ),
    created=frozenset({"loop.created"}),
    replaced=frozenset({"loop.updated"}),
)
