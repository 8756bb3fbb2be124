"""Three operators, two agents that take back, a restart and a lost network: every decision counts once, or is told."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from tests.dashboard.browser.dashboard import running_dashboard
from tests.dashboard.browser.shift import Shift
from tests.live import start_service
from tests.tiers import deep

REQUESTS = 24


@deep("half a minute of work")
def test_a_shift_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    service = start_service(tmp_path / "home")
    shift = Shift(service, "", browser, requests=REQUESTS, every=0.2, offline=4.0, seed=3)
    try:
        with running_dashboard(service.base_url) as shift.address:
            found = shift.work()
    finally:
        shift.service.stop()
    assert (found.requests, found.open, found.doubled) == (REQUESTS, 0, 0)
    assert found.allowed + found.denied + found.withdrawn == REQUESTS
    assert (found.misdirected, found.lost, found.unanswered, found.untold) == (0, 0, 0, 0)
    assert found.counted + found.taken_back + found.too_late == found.decided
    assert min(found.allowed, found.denied, found.withdrawn, found.offline, found.refused) > 0, (
        f"the test looks at nothing: {found}"
    )
