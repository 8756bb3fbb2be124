"""Who may use an approval."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def claiming(owner: Tenant) -> Ask:
    action_id = owner.create("look", status="pending_approval")
    owner.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"})
    return Ask(f"/api/actions/{action_id}/claim", {"action_type": "look"})


ASKS = {"claim_action": Asking("ao m", claiming)}
