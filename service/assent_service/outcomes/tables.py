"""Durable outcomes as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, json, text, time

ACTION_OUTCOMES = Table(
    name="action_outcomes",
    meaning="how executions ended, as their agents said once",
    key="action_id",
    columns=(
        ORGANIZATION,
        text("action_id", "the action that ended", frozen=True),
        text("agent_id", "who acted", frozen=True),
        text("status", "completed, partial or failed"),
        time("outcome_at", "when it was reported"),
        text("summary", "what came out"),
        text("error_message", "why it failed"),
        json("progress", "how far it came"),
        integer("elapsed_ms", "from the action's start to the report", "ms"),
        text("reported_by", "id of the key that reported it"),
        CREATED_AT,
    ),
    created=frozenset({"outcome.created"}),
)
