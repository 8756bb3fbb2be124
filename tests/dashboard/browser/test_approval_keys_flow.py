"""The approvals page by keyboard, and many identical requests at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import confirm, dialog, give_reason, on_card, ready
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

SAME: dict[str, Any] = {"declared_goal": "Refund order 1042", "agent_id": "support"}


def paying(tenant: Tenant, count: int) -> list[str]:
    tenant.governed()
    return [tenant.create("pay", declared_goal=f"Pay {number}", agent_id="payer") for number in range(count)]


@deep("each page has one flow in the quick tier")
def test_j_and_k_move_a_and_d_decide_and_nothing_happens_while_one_types(desk: Operator, tenant: Tenant) -> None:
    ids = paying(tenant, 6)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    on_card(desk, "Pay 5")
    for key, goal in (("j", "Pay 4"), ("j", "Pay 3"), ("j", "Pay 2"), ("k", "Pay 3")):
        keyboard.press(key)
        on_card(desk, goal)
    field = desk.page.locator(".st-key-approvals_agent_id input")
    field.press_sequentially("jkad", delay=30)
    expect(field).to_have_value("jkad")
    expect(desk.page.get_by_role("dialog")).to_have_count(0)
    on_card(desk, "Pay 3")
    field.press("Escape")
    field.blur()

    keyboard.press("d")
    opened = dialog(desk.page)
    reason = desk.page.locator(".st-key-reasoning textarea")
    expect(reason).to_be_focused()
    keyboard.type("jkad: not", delay=20)
    keyboard.press("Enter")
    keyboard.type("today")
    expect(reason).to_have_value("jkad: not\ntoday")
    expect(opened).to_be_visible()
    assert tenant.action(ids[3])["status"] == "pending_approval", "Enter decides nothing"
    keyboard.press("Control+Enter")
    expect(opened).to_be_hidden()
    on_card(desk, "Pay 2")
    assert tenant.action(ids[3])["error_message"] == "jkad: not\ntoday"

    ready(desk)
    keyboard.press("a")
    opened = dialog(desk.page)
    minutes = desk.page.locator(".st-key-valid_minutes input")
    minutes.fill("45")
    minutes.press("Enter")
    expect(opened).to_be_visible()
    keyboard.press("Control+Enter")
    expect(opened).to_be_hidden()
    approval = tenant.call("GET", f"/api/actions/{ids[2]}")["approval"]
    until, at = (datetime.fromisoformat(approval[name]) for name in ("valid_until", "decided_at"))
    assert (approval["state"], until - at) == ("approved", timedelta(minutes=45))


@deep("each page has one flow in the quick tier")
def test_the_keys_of_the_page_are_silent_behind_a_dialog(desk: Operator, tenant: Tenant) -> None:
    paying(tenant, 3)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    desk.page.keyboard.press("a")
    opened = dialog(desk.page)
    opened.get_by_text("Allow this action?").click()
    for key in "jd":
        desk.page.keyboard.press(key)
    desk.page.wait_for_timeout(800)
    expect(opened.get_by_text("Allow this action?")).to_be_visible()
    desk.page.keyboard.press("Escape")
    expect(opened).to_be_hidden()
    on_card(desk, "Pay 2")


@deep("each page has one flow in the quick tier")
def test_five_identical_ones_at_once_of_which_somebody_else_had_one(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    tenant.governed()
    tenant.add_key("Nora of the night shift", "operator")
    ids = [tenant.create("pay", **SAME) for _ in range(5)]
    desk = new_desk()
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    expect(desk.page.get_by_text("5 identical requests").first).to_be_visible()
    desk.page.keyboard.press("d")
    opened = dialog(desk.page)
    for action_id in ids:
        expect(opened.get_by_text(action_id)).to_be_visible()
    tenant.call(
        "POST",
        f"/api/actions/{ids[2]}/approve",
        {"decision": "allow", "reasoning": "I knew this one"},
        key="Nora of the night shift",
    )
    give_reason(desk.page, "The customer has it already")
    confirm(desk.page)
    expect(opened.get_by_text("Denied 4 of 5")).to_be_visible()
    expect(opened.get_by_text("1 already decided")).to_be_visible()
    expect(opened.get_by_text("Nora of the night shift")).to_be_visible()
    expect(opened.get_by_text("I knew this one")).to_be_visible()
    desk.page.locator(".st-key-cancel button").click()
    expect(opened).to_be_hidden()
    expect(desk.page.get_by_text("Nothing waits.")).to_be_visible()
    denied = [tenant.action(each)["error_message"] for each in ids if each != ids[2]]
    assert denied == 4 * ["The customer has it already"]
    assert tenant.action(ids[2])["status"] == "running"


@deep("each page has one flow in the quick tier")
def test_a_copied_link_shows_the_same_view(desk: Operator, tenant: Tenant) -> None:
    ids = paying(tenant, 3)
    tenant.policy("Ask before shipping", "require_approval", {"action_types": ["ship"]})
    tenant.create("ship", declared_goal="Ship it", agent_id="shipper")
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    desk.open(f"/approvals?agent_id=payer&order=expires&window=7d&action_id={ids[1]}")
    ready(desk)
    on_card(desk, "Pay 1")
    expect(desk.page.get_by_text("Ship it")).to_have_count(0)
    expect(desk.page.get_by_text("Decided in the last 7 days")).to_be_visible()
    expect(desk.page.locator(".st-key-approvals_agent_id input")).to_have_value("payer")
    goals = desk.page.locator('[class*="st-key-goal-"]').all_inner_texts()
    assert goals == ["Pay 0", "Pay 1", "Pay 2"]
    desk.page.locator(".st-key-order").get_by_text("Highest risk").click()
    desk.page.wait_for_url("**order=risk**")
