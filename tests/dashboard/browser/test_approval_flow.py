"""Operators decide in browsers while real agents wait in processes of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import confirm, detail, form, give_reason, open_request, press, row
from tests.dashboard.browser.dashboard import Operator
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant
from tests.stories.waiting_agent import waiting_agent
from tests.tiers import deep

NIGHT = "Nora of the night shift"


def approval(tenant: Tenant, action_id: str) -> dict[str, Any]:
    found: dict[str, Any] = tenant.call("GET", f"/api/actions/{action_id}")["approval"]
    return found


def comes_to(tenant: Tenant, action_id: str, state: str) -> dict[str, Any]:
    """What is held leaves after some seconds."""
    deadline = time.monotonic() + WAIT
    while (found := approval(tenant, action_id))["state"] != state:
        assert time.monotonic() < deadline, found
        time.sleep(0.1)
    return found


def test_one_is_allowed_and_one_denied_while_their_agents_wait(
    desk: Operator, tenant: Tenant, page_service: LiveService
) -> None:
    tenant.governed()
    first, second = tenant.create("pay"), tenant.create("pay")
    key = tenant.keys["agent"]
    with (
        waiting_agent(page_service.base_url, key, first) as allowed,
        waiting_agent(page_service.base_url, key, second, awaited=True) as denied,
    ):
        desk.sign_in(tenant.keys["operator"], "/approvals")
        expect(row(desk, first)).to_be_visible()
        expect(row(desk, second)).to_be_visible()
        press(desk, "more", first)
        give_reason(desk.page, "Seen and fine")
        confirm(desk.page)
        expect(desk.page.locator(".inbox-undo")).to_be_visible()
        assert tenant.action(first)["status"] == "pending_approval", "it is held, and can be taken back"
        press(desk, "deny", second)
        give_reason(desk.page, "Not on a Friday")
        confirm(desk.page)
        assert allowed.ended()["status"] == "running"
        assert denied.ended() == {
            "error": "ApprovalDeniedError",
            "decision": "deny",
            "reasoning": "Not on a Friday",
        }
        expect(row(desk, first)).to_be_hidden()
    own = tenant.call("GET", "/api/keys/own", key="operator")["name"]
    for action_id, state in ((first, "approved"), (second, "denied")):
        found = approval(tenant, action_id)
        assert (found["state"], found["decided_by"]) == (state, own)
    assert approval(tenant, first)["reasoning"] == "Seen and fine"


@deep("each page has one flow in the quick tier")
def test_a_denial_needs_words(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = tenant.create("pay")
    desk.sign_in(tenant.keys["operator"], "/approvals")
    press(desk, "deny", action_id)
    confirm(desk.page)
    expect(form(desk.page).get_by_text("Say why.")).to_be_visible()
    assert tenant.action(action_id)["status"] == "pending_approval"


@deep("each page has one flow in the quick tier")
def test_a_high_risk_wants_a_word_that_is_typed(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = tenant.create("pay", risk_score=95, reversible=False)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    press(desk, "allow", action_id)
    confirm(desk.page)
    expect(form(desk.page).get_by_text("Type allow, or say why")).to_be_visible()
    desk.page.locator(".inbox-typed").fill("Allow")
    desk.page.locator(".inbox-typed").press("Enter")
    expect(desk.page.locator(".inbox-form")).to_be_visible()
    confirm(desk.page)
    comes_to(tenant, action_id, "approved")


@deep("each page has one flow in the quick tier")
def test_of_several_the_form_shows_first_what_needs_the_word(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    risks = (20, 95, 30)
    ids = [tenant.create("pay", declared_goal=f"Pay at {risk}", risk_score=risk) for risk in risks]
    desk.sign_in(tenant.keys["operator"], "/approvals")
    for each in ids:
        open_request(desk, each)
        row(desk, each).locator(".inbox-pick").click()
    desk.page.keyboard.press("a")
    expect(form(desk.page)).to_contain_text("Allow 3 requests?")
    high, *others = form(desk.page).locator("li").all_inner_texts()
    about = "An agent without a name · pay · names no system"
    assert high == f"Pay at 95 · {about} · risk {tenant.action(ids[1])['risk_score']:g}"
    assert {each.partition(" ·")[0] for each in others} == {"Pay at 20", "Pay at 30"}
    expect(form(desk.page).locator("li .inbox-high")).to_have_count(1)
    expect(form(desk.page)).to_contain_text("1 of them is of high risk. Type")
    desk.page.locator(".inbox-typed").fill("allow")
    confirm(desk.page)
    for each in ids:
        comes_to(tenant, each, "approved")


@deep("each page has one flow in the quick tier")
def test_an_open_form_follows_and_the_loser_of_a_race_sees_who_decided(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    tenant.governed()
    tenant.add_key(NIGHT, "operator")
    open_one, held_one = tenant.create("pay"), tenant.create("pay")
    slow = new_desk()
    slow.sign_in(tenant.keys["operator"], "/approvals")
    press(slow, "allow", held_one)
    expect(row(slow, held_one)).to_contain_text("held")
    press(slow, "deny", open_one)
    for action_id, reason in ((held_one, "I was first"), (open_one, "So was I")):
        tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny", "reasoning": reason}, key=NIGHT)
    opened = form(slow.page)
    expect(opened.get_by_text("Too late.")).to_be_visible()
    expect(opened.get_by_text(NIGHT)).to_be_visible()
    expect(slow.page.locator(".inbox-confirm")).to_be_disabled()
    slow.page.keyboard.press("Escape")
    expect(detail(slow, open_one).get_by_text("So was I")).to_be_visible()
    notice = slow.page.locator(".inbox-notice")
    expect(notice).to_contain_text("Your decision came too late")
    expect(notice).to_contain_text(NIGHT)
    expect(notice).to_contain_text("I was first")
    assert tenant.action(held_one)["status"] == "cancelled"


@deep("each page has one flow in the quick tier")
def test_what_happens_elsewhere_shows_on_an_open_page(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    desk.sign_in(tenant.keys["operator"], "/approvals")
    expect(desk.page.get_by_text("Nothing waits.")).to_be_visible()
    action_id = tenant.create("pay")
    expect(row(desk, action_id)).to_be_visible()
    expect(desk.page).to_have_title("(1) Approvals · Assent")
    other = tenant.create("pay")
    tenant.call("POST", f"/api/actions/{other}/approve", {"decision": "allow"}, key="operator")
    expect(row(desk, other)).to_be_hidden()
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    # What was looked at stays, and says how it ended; it is among what was decided.
    expect(detail(desk, action_id)).to_contain_text("It does not wait here any more.")
    expect(desk.page.locator(f".st-key-decided-{action_id}")).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_a_closed_tab_loses_no_decision_and_another_tab_takes_one_back(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    tenant.governed()
    lost, undone = tenant.create("pay", declared_goal="Lost"), tenant.create("pay", declared_goal="Undone")
    desk = new_desk()
    desk.sign_in(tenant.keys["operator"], "/approvals")
    press(desk, "allow", lost)
    expect(row(desk, lost)).to_contain_text("held")
    press(desk, "allow", undone)
    expect(row(desk, undone)).to_contain_text("held")
    desk.page.locator(".inbox-undo button").click()
    expect(row(desk, undone)).not_to_contain_text("held")
    desk.page.close()
    comes_to(tenant, lost, "approved")
    assert tenant.action(undone)["status"] == "pending_approval"


@deep("each page has one flow in the quick tier")
def test_a_link_leads_to_its_request_and_says_when_it_is_over(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    ids = [tenant.create("pay", declared_goal=f"Pay {number}") for number in range(3)]
    desk.sign_in(tenant.keys["operator"], f"/approvals?action_id={ids[0]}")
    expect(detail(desk, ids[0]).locator(".inbox-title")).to_have_text("Pay 0")
    tenant.call("POST", f"/api/actions/{ids[1]}/approve", {"decision": "deny", "reasoning": "No"}, key="admin")
    desk.open(f"/approvals?action_id={ids[1]}")
    over = detail(desk, ids[1])
    expect(over.get_by_text("Denied by First admin key")).to_be_visible()
    expect(over.get_by_text("It does not wait here any more.")).to_be_visible()
    expect(over.locator(".inbox-allow")).to_be_disabled()


@deep("each page has one flow in the quick tier")
def test_signing_out_in_another_tab_ends_the_page(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = tenant.create("pay")
    desk.sign_in(tenant.keys["operator"], "/approvals")
    open_request(desk, action_id)
    other = desk.page.context.new_page()
    other.goto(desk.address + "/proof")
    other.get_by_role("button", name="Sign out").click()
    other.get_by_label("Key").wait_for()
    expect(desk.page.get_by_text("Your session has ended.").first).to_be_visible()
    expect(desk.page.locator(".inbox-list")).to_have_count(0)
    assert tenant.action(action_id)["status"] == "pending_approval"
