"""Webhooks are an admin's: they carry what is recorded out of the house."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

NOWHERE = "https://receiver.invalid/hook"
"""It may be registered, since a name may be set up later; this one never will be (RFC 6761)."""


def webhook(owner: Tenant) -> str:
    """One that is there; the same again as long as nobody has deleted it."""
    there = owner.call("GET", "/api/webhooks")["webhooks"]
    if there:
        return str(there[0]["webhook_id"])
    # Nothing here makes such an event, so nothing is sent.
    made = owner.call("POST", "/api/webhooks", {"url": NOWHERE, "events": ["halt.changed"]})
    return str(made["webhook"]["webhook_id"])


ASKS: dict[str, Asking] = {
    "create_webhook": Asking("   m", lambda _: Ask("/api/webhooks", {"url": NOWHERE, "events": ["halt.changed"]})),
    "get_webhooks": Asking("   m", lambda _: Ask("/api/webhooks")),
    "update_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}", {"description": "mine"})),
    "delete_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}")),
    "rotate_webhook_secret": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}/secret")),
    "test_webhook": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}/test")),
    "get_webhook_deliveries": Asking("   m", lambda owner: Ask(f"/api/webhooks/{webhook(owner)}/deliveries")),
}
