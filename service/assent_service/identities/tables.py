"""Identities as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

IDENTITIES = Table(
    name="identities",
    meaning="whose signature is whose, one row for each agent with the key it has now; revoked ones included",
    key="identity_id",
    columns=(
        ORGANIZATION,
        text("identity_id", "id of the identity", frozen=True),
        text("agent_id", "the agent whose key it is", frozen=True),
        text("algorithm", "how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519"),
        text("public_key", "the key as an SPKI PEM"),
        text("fingerprint", "SHA-256 of the key's SPKI in DER"),
        text("pairing_id", "the pairing that it came from; empty when an admin registered it"),
        text("registered_by", "id of the key of the admin who registered or approved it"),
        time("revoked_at", "when it was revoked"),
        text("revoked_by", "id of the key that revoked it"),
        CREATED_AT,
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"identity.created"}),
    replaced=frozenset({"identity.updated"}),
)
