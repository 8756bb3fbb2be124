"""Plain records as rows: one table for all kinds, and the numbers of token usage once more as columns."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, integer, json, number, text, time

CREATED = frozenset({"record.created", "goal.created", "token.usage"})
REPLACED = frozenset({"record.updated", "goal.updated"})

RECORDS = Table(
    name="records",
    meaning="plain records of every kind, one row for each as it is now",
    key="record_id",
    columns=(
        ORGANIZATION,
        text("record_id", "id of the record", frozen=True),
        text("kind", "what it is", frozen=True),
        text("parent_id", "the record that it belongs to, if any", frozen=True),
        text("agent_id", "who said it, or whom it is about", frozen=True),
        text("name", "its title or name, where its kind has one"),
        text("status", "how it stands, where its kind says so"),
        text("natural_key", "digest of what makes it the same record when it is said again"),
        json("data", "its members, by their names on the wire"),
        text("created_by", "id of the key that recorded it", frozen=True),
        CREATED_AT,
        time("updated_at", "when it last changed"),
        time("deleted_at", "when it was taken out of every list"),
    ),
    created=CREATED,
    replaced=REPLACED,
)
TOKEN_USAGE = Table(
    name="token_usage",
    meaning="what the calls of language models took, one row for each report",
    key="usage_id",
    columns=(
        ORGANIZATION,
        text("usage_id", "id of the report", frozen=True),
        text("agent_id", "who used them", frozen=True),
        text("model", "which model"),
        text("provider", "who runs the model"),
        integer("tokens_in", "what was sent to the model", "tokens"),
        integer("tokens_out", "what the model answered", "tokens"),
        number("cost_estimate", "what it is thought to have cost", "USD"),
        integer("context_used", "how much of the context window was taken", "tokens"),
        integer("context_max", "how large the context window is", "tokens"),
        text("action_id", "the action it was for, if named"),
        text("session_id", "the session it was in, if named"),
        CREATED_AT,
    ),
    created=frozenset({"token.usage"}),
)
