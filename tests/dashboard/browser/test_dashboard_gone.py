"""The dashboard's process is killed while its inbox is open, and started again at the same address."""

from __future__ import annotations

import os
import re
import signal
from urllib.parse import urlsplit

from playwright.sync_api import Browser, expect

from tests.dashboard.browser.approval_page import breath, on_row, ready, row, said, whole
from tests.dashboard.browser.dashboard import dashboard_process, operator_desk
from tests.dashboard.browser.test_approval_flow import comes_to
from tests.live import LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("a dashboard of its own")

WATCH = """() => {
  window.dialogs = { opened: 0, open: 0 };
  new MutationObserver(() => {
    const open = document.querySelectorAll('[data-testid=stDialog]').length;
    if (open > dialogs.open) dialogs.opened += 1;
    dialogs.open = open;
  }).observe(document.body, { childList: true, subtree: true });
}"""


def test_no_dialog_covers_the_inbox_and_what_was_pressed_is_told(
    page_service: LiveService, tenant: Tenant, browser: Browser
) -> None:
    tenant.governed()
    ids = [tenant.create("pay", declared_goal=f"Pay {n}", agent_id="payer") for n in range(4)]
    with dashboard_process(page_service.base_url) as (address, pid), operator_desk(browser, address) as desk:
        page, keyboard = desk.page, desk.page.keyboard
        desk.sign_in(tenant.keys["operator"], "/approvals")
        ready(desk)
        page.evaluate(WATCH)
        keyboard.press("a")
        expect(row(desk, ids[3])).to_contain_text("allowed, held")
        on_row(desk, "Pay 2")
        os.kill(pid, signal.SIGKILL)
        live = page.locator(".inbox-live")
        expect(live).to_contain_text("The dashboard does not answer just now")
        breath(desk)
        keyboard.press("a")
        expect(row(desk, ids[2])).to_contain_text("allowed, held")

        page.wait_for_function("dialogs.opened > 0")
        expect(page.locator("[data-testid=stDialog]")).to_have_count(0)
        for key, goal in (("j", "Pay 0"), ("k", "Pay 1")):
            keyboard.press(key)
            on_row(desk, goal)
        with dashboard_process(page_service.base_url, urlsplit(address).port or 0):
            expect(live).to_contain_text("Your session has ended")
            expect(page.locator("[data-testid=stDialog]")).to_have_count(0)
            notices = page.locator(".inbox-notice-unsure")
            expect(notices).to_have_count(2)
            for goal in ("Pay 3", "Pay 2"):
                expect(notices.filter(has_text=goal)).to_have_count(1)
            keyboard.press("a")
            expect(said(desk)).to_have_text("Refused: your session has ended; sign in again")
            link = live.get_by_role("link", name="Sign in again")
            expect(link).to_have_attribute("href", re.compile("next=%2Fapprovals"))

            other = page.context.new_page()
            other.goto(address + "/sign-in?next=/readiness")
            other.fill("#key", tenant.keys["operator"])
            other.click("button[type=submit]")
            expect(other.get_by_role("heading", name="Readiness").first).to_be_visible()
            other.close()
            page.bring_to_front()
            page.evaluate("window.dispatchEvent(new Event('focus'))")
            expect(live).not_to_contain_text("ended")
            expect(page.locator(".inbox-count")).to_have_text("4 waiting")
            whole(desk)
            on_row(desk, "Pay 1")
            keyboard.press("a")
            comes_to(tenant, ids[1], "approved")
    assert {tenant.action(each)["status"] for each in ids if each != ids[1]} == {"pending_approval"}
