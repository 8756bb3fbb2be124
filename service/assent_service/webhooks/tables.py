"""Webhooks and what was sent to them, as rows. No secret is here, nor in the events: see `keyring`."""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, integer, json, text, time

WEBHOOKS = Table(
    name="webhooks",
    meaning="addresses that are told what is recorded, removed ones included; their secrets are not here",
    key="webhook_id",
    columns=(
        ORGANIZATION,
        text("webhook_id", "id of the webhook", frozen=True),
        text("url", "where deliveries go"),
        text("description", "what people say about it"),
        json("events", "names of events and kinds of signals that it is told, or all"),
        boolean("active", "whether anything is sent"),
        text("hint", "last characters of the secret"),
        text("fingerprint", "SHA-256 of the secret, hex"),
        integer("version", "which secret it has, from 1"),
        time("rotated_at", "when it got its present secret, empty for the first"),
        integer("after_n", "number of the event after which it is told what is recorded"),
        time("failing_since", "since when nothing gets through, empty while deliveries do"),
        time("disabled_at", "when it was switched off"),
        text("disabled_reason", "why it was switched off"),
        CREATED_AT,
        text("created_by", "id of the key that made it"),
        time("updated_at", "when it last changed"),
        time("deleted_at", "when it was removed"),
    ),
    created=frozenset({"webhook.created"}),
    replaced=frozenset({"webhook.updated"}),
)

WEBHOOK_DELIVERIES = Table(
    name="webhook_deliveries",
    meaning="what was sent to webhooks and what came of it, one row for each event and webhook",
    key="delivery_id",
    columns=(
        ORGANIZATION,
        text("delivery_id", "id of the delivery, which the receiver sees as webhook-id", frozen=True),
        text("webhook_id", "the webhook", frozen=True),
        text("event", "name of the event", frozen=True),
        integer("event_n", "number of the event within its organization, empty for a test"),
        text("status", "delivered, retrying or failed"),
        integer("attempts", "how often it was tried"),
        integer("response_status", "HTTP status of the last answer, empty when there was none"),
        text("response_excerpt", "beginning of the last answer, of failures only"),
        text("error", "what went wrong the last time"),
        integer("duration_ms", "how long the last attempt took", "ms"),
        time("next_attempt_at", "when it is tried again"),
        CREATED_AT,
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"webhook_delivery.created"}),
    replaced=frozenset({"webhook_delivery.updated"}),
)
