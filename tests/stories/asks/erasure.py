"""Erasures."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _erase(owner: Tenant) -> Ask:
    return Ask(f"/api/actions/{owner.create(status='completed')}/erase", {"reason": "ticket 7"})


ASKS: dict[str, Asking] = {"erase_action": Asking("   m", _erase)}
