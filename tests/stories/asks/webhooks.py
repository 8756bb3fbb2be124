"""Webhooks are an admin's: they carry what is recorded out of the house. A notice's link is for who may decide."""

from __future__ import annotations

from assent_service.exchange.webhooks.keyring import Keyring
from assent_service.exchange.webhooks.notices import Link, Links
from tests import backend
from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

NOWHERE = "https://receiver.invalid/hook"
"""It may be registered, since a name may be set up later; this one never will be (RFC 6761)."""
NEVER = 4_000_000_000 * 1_000_000
"""When a link ends."""


def webhook(owner: Tenant) -> str:
    """One that is there; the same again as long as nobody has deleted it."""
    there = owner.call("GET", "/api/webhooks")["webhooks"]
    if there:
        return str(there[0]["webhook_id"])
    # Nothing here makes such an event, so nothing is sent.
    made = owner.call("POST", "/api/webhooks", {"url": NOWHERE, "events": ["halt.changed"]})
    return str(made["webhook"]["webhook_id"])


def link(owner: Tenant) -> str:
    """As a notice would have it, to an action that is new."""
    webhook_id = webhook(owner)  # with the first one the service has a key to sign with
    before, action_id = owner.recorded(), owner.create()
    events = owner.client("admin", None).events("action.created", last_event_id=before - 1)
    n = next(each.id for each in events if each.data["action_id"] == action_id)
    links = Links(Keyring(owner.service.home, backend.WALLET_KEY), "")
    return links.url(owner.org_id, Link(webhook_id, n, NEVER)).rpartition("/")[2]


ASKS: dict[str, Asking] = {
    "create_webhook": Asking("   m", lambda _: Ask("/api/webhooks", {"url": NOWHERE, "events": ["halt.changed"]})),
    "get_webhooks": Asking("   m", lambda _: Ask("/api/webhooks")),
    "get_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}")),
    "update_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}", {"description": "mine"})),
    "delete_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}")),
    "rotate_webhook_secret": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}/secret")),
    "test_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}/test")),
    "get_webhook_deliveries": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}/deliveries")),
    "open_notice": Asking(" o m", lambda owner: Ask("/api/notices/open", {"link": link(owner)})),
}
