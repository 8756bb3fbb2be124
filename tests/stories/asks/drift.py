"""Who may ask about drift: everybody reads, operators acknowledge, admins remove."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

from tests.live import WAIT
from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

ALERTS = "/api/drift/alerts"
STABLE, CHANGED = 80, 80
_numbers = itertools.count(1)
_known: dict[str, list[str]] = {}


def alert(owner: Tenant) -> str:
    """An alert that nobody has acknowledged or removed: of an action type that guard lets pass, and then blocks."""
    kind = f"drifting-{next(_numbers)}"
    for _ in range(STABLE):
        owner.call("POST", "/api/guard", {"action_type": kind, "agent_id": "bot"})
    owner.policy(f"Nobody does {kind}", "block_action_type", {"action_types": [kind]})
    for _ in range(CHANGED):
        owner.call("POST", "/api/guard", {"action_type": kind, "agent_id": "bot"})
    until = time.monotonic() + WAIT
    while time.monotonic() < until:
        found = owner.call("GET", f"{ALERTS}?action_type={kind}")["alerts"]
        if found:
            return str(found[0]["id"])
        time.sleep(0.05)
    raise AssertionError("the change is not found")


def kept(owner: Tenant) -> str:
    """An alert of the organization that may be there already: acknowledging it again changes nothing."""
    found = _known.setdefault(owner.org_id, [])
    if not found:
        found.append(alert(owner))
    return found[0]


def at(path: str) -> Callable[[Tenant], Ask]:
    return lambda _: Ask(path)


ASKS = {
    "list_drift_alerts": Asking("aoum", at(ALERTS)),
    "detect_drift": Asking("aoum", lambda _: Ask(ALERTS, {"action": "detect"})),
    "get_drift_alert": Asking("aoum", lambda owner: Ask(f"{ALERTS}/{kept(owner)}")),
    "acknowledge_drift_alert": Asking(" o m", lambda owner: Ask(f"{ALERTS}/{kept(owner)}")),
    "delete_drift_alert": Asking("   m", lambda owner: Ask(f"{ALERTS}/{alert(owner)}")),
    "get_drift_stats": Asking("aoum", at("/api/drift/stats")),
    "get_drift_metrics": Asking("aoum", at("/api/drift/metrics")),
    "get_drift_snapshots": Asking("aoum", at("/api/drift/snapshots")),
    "compare_drift": Asking("aoum", at("/api/drift/comparison")),
}
