"""Keys as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

KEYS = Table(
    name="api_keys",
    meaning="API keys, revoked ones included; their secrets are not here",
    key="key_id",
    columns=(
        ORGANIZATION,
        text("key_id", "id of the key", frozen=True),
        text("name", "what people call it"),
        text("role", "agent, operator, auditor or admin"),
        text("agent_id", "the only agent it speaks for, if it is bound to one"),
        text("hint", "last four characters of the secret"),
        text("fingerprint", "SHA-256 of the secret, hex"),
        CREATED_AT,
        text("created_by", "id of the key that made it, or system"),
        time("revoked_at", "when it was revoked"),
        text("revoked_by", "id of the key that revoked it"),
    ),
    created=frozenset({"key.created"}),
    replaced=frozenset({"key.revoked"}),
)
