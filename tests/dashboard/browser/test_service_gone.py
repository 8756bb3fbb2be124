"""The service goes away while pages are open, and comes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.dashboard import operator_desk, running_dashboard
from tests.live import LiveService, start_service
from tests.tiers import deep

pytestmark = deep("all pages in a browser")

PAGES = {"/": "Readiness", "/approvals": "Approvals", "/ledger": "Ledger"}


class Passing:
    """A service that is there or is not, always at one address, and a dashboard that stays."""

    def __init__(self, service: LiveService, dashboard: str) -> None:
        self.service, self.dashboard = service, dashboard

    def come_back(self) -> None:
        self.service = start_service(self.service.home, port=self.service.port)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Passing]:
    service = start_service(tmp_path_factory.mktemp("passing") / "home")
    with running_dashboard(service.base_url) as address:
        passing = Passing(service, address)
        yield passing
    passing.service.stop()


@pytest.fixture
def passing(kept: Passing) -> Passing:
    """The service is there, whatever became of the test before."""
    if not kept.service.alive:
        kept.come_back()
    return kept


@pytest.mark.parametrize("path", PAGES, ids=PAGES.values())
def test_a_page_says_so_and_comes_back_by_itself(path: str, passing: Passing, browser: Browser) -> None:
    with operator_desk(browser, passing.dashboard) as desk:
        desk.sign_in(passing.service.admin_key, path)
        desk.heading(PAGES[path])
        passing.service.kill()
        desk.page.reload()
        desk.sees("does not answer")
        expect(desk.page.locator(".stException")).to_have_count(0)
        passing.come_back()
        expect(desk.page.get_by_text("does not answer")).to_have_count(0)
        desk.heading(PAGES[path])


def test_signing_in_while_the_service_is_gone_is_told_in_words(passing: Passing, browser: Browser) -> None:
    with operator_desk(browser, passing.dashboard) as desk:
        passing.service.kill()
        desk.sign_in(passing.service.admin_key)
        desk.sees("does not answer")
        passing.come_back()
        desk.sign_in(passing.service.admin_key)
        desk.heading("Readiness")
