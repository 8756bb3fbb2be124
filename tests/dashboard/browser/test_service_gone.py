"""The service goes away while pages are open, and comes back."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.approval_page import breath, on_row, ready, row
from tests.dashboard.browser.dashboard import choose, operator_desk, running_dashboard
from tests.dashboard.browser.test_approval_flow import comes_to
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("all pages in a browser")

HELD_SECONDS = 20
"""Long enough for a service to come back, and for somebody else to decide, before a decision leaves."""
WINDOWS = ("Last 7 days", "Last 30 days", "Last day")
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSENT_UNDO_SECONDS", str(HELD_SECONDS))
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


def test_the_inbox_stays_through_restarts_of_the_service_and_takes_presses(passing: Passing, browser: Browser) -> None:
    with httpx.Client(timeout=WAIT, trust_env=False) as http, operator_desk(browser, passing.dashboard) as desk:
        tenant = Tenant(passing.service, http)
        tenant.governed()
        ids = [tenant.create("pay", declared_goal=f"Pay {n}", agent_id="payer", parameters={"n": n}) for n in range(6)]
        desk.sign_in(tenant.keys["operator"], "/approvals")
        ready(desk)
        desk.page.evaluate("window.inbox = document.querySelector('.inbox')")
        for n, window in enumerate(WINDOWS):
            before, meanwhile = 5 - 2 * n, 4 - 2 * n
            desk.page.locator(".inbox-list").focus()
            on_row(desk, f"Pay {before}")
            desk.page.keyboard.press("a")
            on_row(desk, f"Pay {meanwhile}")
            passing.service.kill()
            expect(desk.page.locator(".inbox-live")).to_contain_text("The service does not answer")
            breath(desk)
            desk.page.keyboard.press("a")
            expect(row(desk, ids[meanwhile])).to_contain_text("allowed, held")
            # The page around it asks the service anew, and gets no answer.
            choose(desk.page.locator(".st-key-approvals_window input"), window)
            expect(desk.page.get_by_text("The service does not answer. This page comes back")).to_be_visible()
            assert desk.page.evaluate("inbox.isConnected && inbox === document.querySelector('.inbox')")
            passing.come_back()
            comes_to(tenant, ids[before], "approved")
            comes_to(tenant, ids[meanwhile], "approved")
            expect(desk.page.get_by_text("The service does not answer")).to_have_count(0)
            assert desk.page.evaluate("inbox.isConnected && inbox === document.querySelector('.inbox')")
        expect(desk.page.locator(".inbox-notice")).to_have_count(0)


def test_what_came_of_a_decision_is_told_to_a_page_that_was_loaded_meanwhile(
    passing: Passing, browser: Browser
) -> None:
    with httpx.Client(timeout=WAIT, trust_env=False) as http, operator_desk(browser, passing.dashboard) as desk:
        tenant = Tenant(passing.service, http)
        tenant.governed()
        action_id = tenant.create("pay", declared_goal="Pay the supplier", agent_id="payer")
        desk.sign_in(tenant.keys["operator"], "/approvals")
        ready(desk)
        on_row(desk, "Pay the supplier")
        desk.page.keyboard.press("a")
        expect(row(desk, action_id)).to_contain_text("allowed, held")
        passing.service.kill()
        desk.leave()
        passing.come_back()
        denial = {"decision": "deny", "reasoning": "I was faster"}
        tenant.call("POST", f"/api/actions/{action_id}/approve", denial, key="admin")
        notice = desk.page.locator(".inbox-notice-conflict")
        for _ in range(2):
            desk.open("/approvals")
            expect(notice).to_contain_text("Pay the supplier")
            expect(notice).to_contain_text("I was faster")
        with desk.page.expect_response("**/inbox/dismissals"):
            notice.get_by_role("button", name="Dismiss").click()
        desk.open("/approvals")
        expect(desk.page.locator(".inbox-count")).to_have_text("0 waiting")
        expect(notice).to_have_count(0)
