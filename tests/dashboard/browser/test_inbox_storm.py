"""Hundreds of random presses while requests come and go: none decides on what was not seen, none is lost."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.dashboard.browser.approval_page import ready
from tests.dashboard.browser.dashboard import Operator
from tests.dashboard.browser.storm import World, storm
from tests.stories.tenant import Tenant
from tests.tiers import deep

PRESSES = 500


@deep("half a minute of presses")
def test_no_press_is_misdirected_or_lost(new_desk: Callable[..., Operator], tenant: Tenant) -> None:
    tenant.governed()
    world = World(tenant, every=0.3)
    world.ask(60, Random(1))
    desk = new_desk(width=1440, height=900)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    found = storm(desk.page, world, PRESSES, seed=7)
    assert (found.misdirected, found.lost, found.unanswered) == (0, 0, 0)
    assert found.decided >= PRESSES // 20, f"the test looks at nothing: {found.outcomes}"
    assert found.refused > 0
    assert found.said > 0
