"""Who may see what waits for an operator."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def waiting(owner: Tenant) -> Ask:
    owner.create("look", status="pending_approval")
    return Ask("/api/approvals?state=awaiting&limit=5")


ASKS = {"get_approvals": Asking("aoum", waiting)}
