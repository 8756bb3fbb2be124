"""Erasures as rows: all that is left to say about an erased action, beside the headers of its events."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, json, text, time

ERASURES = Table(
    name="erasures",
    meaning="actions whose content was erased, one row each: by whom, when and why",
    key="action_id",
    columns=(
        ORGANIZATION,
        text("action_id", "the action", frozen=True),
        text("agent_id", "who had acted", frozen=True),
        text("decision_id", "guard's decision on it, which was erased as well", frozen=True),
        json("also", "ids of what else was erased with it, whose events do not name the action"),
        time("erased_at", "when it was erased"),
        text("erased_by", "name of the key that asked for it"),
        text("erased_by_key", "id of that key"),
        text("reason", "why, in that person's words"),
        text("key_digest", "SHA-256 that tells a repeat of the action's creation by its idempotency key", frozen=True),
        text("signature_digest", "SHA-256 of the creation's signature, to tell a repeat of it", frozen=True),
        time("action_created_at", "when the action was recorded", frozen=True),
        CREATED_AT,
    ),
    created=frozenset({"evidence.erased"}),
)
