"""Who may report an outcome, and look at one or at a graph."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def reporting(owner: Tenant) -> Ask:
    return Ask(f"/api/actions/{owner.create()}/outcome", {"status": "completed"})


ASKS = {
    "report_action_outcome": Asking("ao m", reporting),
    "get_action_outcome": Asking("aoum", lambda owner: Ask(f"/api/actions/{owner.create()}/outcome")),
    "get_action_graph": Asking("aoum", lambda owner: Ask(f"/api/actions/{owner.create()}/graph")),
}
