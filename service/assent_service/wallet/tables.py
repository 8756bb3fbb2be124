"""Signing keys as rows: their public parts. Private parts are in no row and in no event."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, text, time

SIGNING_KEYS = Table(
    name="signing_keys",
    meaning="the organization's signing keys, public parts only, retired and revoked ones included",
    key="kid",
    columns=(
        ORGANIZATION,
        text("kid", "RFC 7638 thumbprint of the key", frozen=True),
        text("x", "the public key, base64url", frozen=True),
        time("not_before", "from when on it signs", frozen=True),
        time("not_after", "until when it signs, at the most"),
        CREATED_AT,
        text("created_by", "id of the key that asked for it, or system when it was needed"),
        time("retired_at", "when it was replaced before its time"),
        text("retired_by", "id of the key that replaced it"),
        time("revoked_at", "when it was revoked; nothing that it signed counts since"),
        text("revoked_by", "id of the key that revoked it"),
        text("reason", "why it was retired or revoked"),
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"signing_key.created"}),
    replaced=frozenset({"signing_key.updated"}),
)
