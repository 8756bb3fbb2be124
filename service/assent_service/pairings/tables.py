"""Pairings as rows."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

PAIRINGS = Table(
    name="pairings",
    meaning="requests of agents to have their public key trusted, one row for each as it stands now",
    key="pairing_id",
    columns=(
        ORGANIZATION,
        text("pairing_id", "id of the pairing", frozen=True),
        text("agent_id", "the agent that asks", frozen=True),
        text("agent_name", "what people call the agent"),
        text("algorithm", "how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519"),
        text("public_key", "the key as an SPKI PEM"),
        text("fingerprint", "SHA-256 of the key's SPKI in DER"),
        text("status", "pending, approved or expired"),
        time("expires_at", "until when it may be approved"),
        text("created_by", "id of the key that asked"),
        text("approved_by", "name of the key that approved it"),
        time("approved_at", "when it was approved"),
        CREATED_AT,
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"pairing.created"}),
    replaced=frozenset({"pairing.updated"}),
)
