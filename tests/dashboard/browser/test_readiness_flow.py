"""The connection test as an operator runs it, and what the page then says."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import PATIENCE_MS, Desk
from tests.stories.tenant import Tenant


def test_the_connection_test_makes_one_action_and_verifies_the_workspace(desk: Desk, tenant: Tenant) -> None:
    before = tenant.recorded()
    desk.sign_in(tenant.keys["operator"])
    desk.sees("Ready but not fully verified")
    assert tenant.recorded() == before, "looking records nothing"
    desk.page.locator(".st-key-test-connection button").click()
    connection = desk.page.locator(".st-key-connection")
    expect(connection.get_by_text("passed").first).to_be_visible(timeout=PATIENCE_MS)
    (action,) = tenant.call("GET", "/api/actions")["actions"]
    assert (action["action_type"], action["status"]) == ("connection_test", "completed")
    desk.page.reload()
    desk.sees("Verified")
    profiles = desk.page.locator(".st-key-profiles")
    for name in ("Local coding-assistant runtime", "Governed coding-agent runtime", "SDK service runtime"):
        expect(profiles.get_by_text(name)).to_be_visible()


def test_the_page_says_what_is_the_matter(desk: Desk, tenant: Tenant) -> None:
    tenant.call("POST", "/api/halt", {"reason": "Incident 4711"}, key="operator")
    desk.sign_in(tenant.keys["operator"])
    desk.sees("Needs attention")
    expect(desk.page.locator(".st-key-checks").get_by_text("Incident 4711")).to_be_visible(timeout=PATIENCE_MS)
