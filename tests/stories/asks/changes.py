"""Who may read the history of rules, and what moved with a change: whoever reads policies."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _newest(owner: Tenant) -> Ask:
    made = owner.call("GET", "/api/policies/history")
    return Ask(f"/api/policies/history/{made['changes'][0]['change_id']}/before-after")


ASKS = {
    "get_rule_changes": Asking("oum", lambda _: Ask("/api/policies/history")),
    "before_after": Asking("oum", _newest),
}
