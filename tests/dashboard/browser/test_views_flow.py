"""What is shown gets a name, and is found again by it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import ready, said
from tests.dashboard.browser.audit import faults
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep


@deep("each page has one flow in the quick tier")
def test_a_view_with_a_name_is_found_again(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    for number, agent in enumerate(("payer", "payer", "buyer")):
        tenant.create("pay", declared_goal=f"Pay {number}", agent_id=agent)
    desk.sign_in(tenant.keys["operator"], "/approvals?agent_id=payer&order=risk&window=7d")
    ready(desk)
    page, goals = desk.page, desk.page.locator(".inbox-list .inbox-goal")
    opener = page.locator(".inbox-saved")
    page.locator(".inbox-search").fill("pay 1")
    expect(goals).to_have_text(["Pay 1"])
    desk.is_at("search=pay")

    expect(opener).to_have_text("Views")
    opener.click()
    name = page.locator(".inbox-view-name")
    expect(name).to_be_focused()
    expect(page.locator(".inbox-views")).to_contain_text(
        "Name of what is shown now (highest risk first · agent payer · “pay 1” · decided in the last 7 days)"
    )
    page.keyboard.press("Enter")
    expect(page.locator(".inbox-views .inbox-problem")).to_have_text("Give it a name.")
    page.keyboard.type("jkad <b>payer</b>")
    page.keyboard.press("Enter")
    expect(said(desk)).to_contain_text("This view is kept as “jkad <b>payer</b>”")
    expect(opener).to_have_text("View: jkad <b>payer</b>")
    expect(page.locator(".inbox-view")).to_have_attribute("aria-current", "true")
    assert faults(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".inbox-views")).to_be_hidden()
    expect(opener).to_be_focused()

    desk.open("/approvals")
    ready(desk)
    expect(goals).to_have_count(3)
    expect(opener).to_have_text("Views")
    opener.click()
    page.locator(".inbox-view").click()
    expect(goals).to_have_text(["Pay 1"])
    for part in ("agent_id=payer", "order=risk", "window=7d", "search=pay"):
        desk.is_at(part)
    expect(page.locator(".inbox-list")).to_be_focused()
    expect(page.locator(".inbox-search")).to_have_value("pay 1")
    expect(opener).to_have_text("View: jkad <b>payer</b>")
    assert {tenant.action(each["action"]["action_id"])["status"] for each in waiting(tenant)} == {"pending_approval"}

    opener.click()
    page.get_by_role("button", name="Forget jkad").click()
    expect(page.locator(".inbox-view")).to_have_count(0)
    expect(opener).to_have_text("Views")


def waiting(tenant: Tenant) -> list[dict[str, dict[str, str]]]:
    found: list[dict[str, dict[str, str]]] = tenant.call("GET", "/api/approvals?state=awaiting")["approvals"]
    return found
