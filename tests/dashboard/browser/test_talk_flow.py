"""What an operator does with a request besides deciding, by keyboard: ask back, comment, put off, allow its like."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import detail, form, on_row, ready, row, said
from tests.dashboard.browser.audit import faults
from tests.dashboard.browser.dashboard import Operator
from tests.live import WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep


def reached(condition: Callable[[], object]) -> bool:
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def waiting(tenant: Tenant, count: int) -> list[str]:

    tenant.governed()
    return [
        tenant.create("pay", declared_goal=f"Pay {number}", agent_id="payer", parameters={"number": number})
        for number in range(count)
    ]


@deep("each page has one flow in the quick tier")
def test_asking_commenting_putting_off_and_granting_by_keyboard(desk: Operator, tenant: Tenant) -> None:
    ids = waiting(tenant, 3)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    on_row(desk, "Pay 2")

    keyboard.press("e")
    opened = form(desk.page)
    expect(desk.page.locator(".inbox-question")).to_be_focused()
    keyboard.press("Control+Enter")
    expect(opened.locator(".inbox-problem")).to_have_text("Say what you want to know.")
    assert faults(desk.page) == []
    keyboard.type("jkad: for <b>whom</b>?", delay=10)
    desk.page.locator(".inbox-offer").fill("only 50 EUR")
    keyboard.press("Control+Enter")
    expect(opened).to_be_hidden()
    beside = detail(desk, ids[2])
    expect(beside).to_contain_text("jkad: for <b>whom</b>?")
    expect(beside).to_contain_text("Would allow it: only 50 EUR")
    (question,) = tenant.call("GET", f"/api/questions?action_id={ids[2]}")["questions"]
    keyboard.press("j")
    on_row(desk, "Pay 1")
    tenant.call("POST", f"/api/questions/{question['question_id']}/answer", {"answer": "For 4711."}, key="agent")
    notice = desk.page.locator(".inbox-notice-talk")
    expect(notice).to_contain_text("the agent answered: Pay 2")
    notice.get_by_role("button", name="Look").click()
    on_row(desk, "Pay 2")
    expect(beside).to_contain_text("the agent: For 4711.")

    keyboard.press("m")
    expect(desk.page.locator(".inbox-comment")).to_be_focused()
    keyboard.type("I know 4711.", delay=10)
    keyboard.press("Control+Enter")
    expect(beside).to_contain_text("I know 4711.")
    expect(beside).to_contain_text("the operator, just now: ")

    keyboard.press("s")
    form(desk.page)
    expect(desk.page.locator(".inbox-until-choice").first).to_be_focused()
    assert faults(desk.page) == []
    keyboard.press("Tab")
    keyboard.press("Enter")
    on_row(desk, "Pay 1")
    expect(row(desk, ids[2])).to_have_count(0)
    expect(desk.page.locator(".inbox-count")).to_have_text("2 waiting")
    expect(desk.page.locator(".inbox-shown")).to_contain_text("1 put off")
    (put,) = tenant.call("GET", "/api/snoozes?current=true")["snoozes"]
    assert (put["action_id"], put["snoozed_by"]) == (ids[2], "the operator")
    desk.page.locator(".inbox-asleep-too").click()
    expect(row(desk, ids[2])).to_contain_text("put off until")
    row(desk, ids[2]).click()
    on_row(desk, "Pay 2")
    keyboard.press("s")
    expect(desk.page.locator(".inbox-until-back")).to_be_focused()
    keyboard.press("Enter")
    expect(desk.page.locator(".inbox-count")).to_have_text("3 waiting")
    expect(row(desk, ids[2])).not_to_contain_text("put off")

    keyboard.press("f")
    pattern = desk.page.locator(".inbox-pattern")
    expect(pattern).to_contain_text("payer may pay, up to risk")
    expect(pattern).to_contain_text("parameters.number is 2")
    expect(pattern).to_contain_text("it would have covered 1 of 3 requests of this type")
    assert faults(desk.page) == []
    pattern.get_by_label("parameters.number is 2").uncheck()
    expect(pattern).to_contain_text("Left open: any number")
    pattern.get_by_label("parameters are number and no others").uncheck()
    expect(pattern).to_contain_text("any request of this type")
    expect(desk.page.locator(".inbox-confirm")).to_be_enabled()
    desk.page.locator(".inbox-grant-reason").focus()
    keyboard.press("Control+Enter")
    expect(said(desk)).to_contain_text("Allowed in advance until")
    (grant,) = tenant.call("GET", "/api/grants")["grants"]
    given: dict[str, Any] = {"agent_ids": ["payer"], "when": None, "max_uses": 20, "reason": "Like: Pay 2"}
    assert {name: grant[name] for name in given} == given
    assert {tenant.action(each)["status"] for each in ids} == {"pending_approval"}, "none of it decides"
    keyboard.press("a")
    assert reached(lambda: tenant.action(ids[2])["status"] == "running"), "the next key decides on what is seen"
    assert {tenant.action(each)["status"] for each in ids[:2]} == {"pending_approval"}


@deep("each page has one flow in the quick tier")
def test_taking_giving_and_looking_at_ones_own_by_keyboard(desk: Operator, tenant: Tenant) -> None:
    tenant.add_key("ben", "operator")
    ids = waiting(tenant, 3)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    on_row(desk, "Pay 2")
    keyboard.press("i")
    expect(said(desk)).to_have_text("Yours: Pay 2")
    expect(row(desk, ids[2]).locator(".inbox-whose")).to_have_text("mine")
    expect(detail(desk, ids[2])).to_contain_text("Assigned to you by the operator just now")
    keyboard.press("j")
    on_row(desk, "Pay 1")
    keyboard.press("I")
    form(desk.page)
    colleagues = desk.page.locator(".inbox-colleagues")
    expect(colleagues).to_be_focused()
    expect(colleagues.locator("option")).to_contain_text(["Nobody in particular", "the operator (you)"])
    assert faults(desk.page) == []
    colleagues.select_option(label="the ben")
    keyboard.press("Control+Enter")
    expect(said(desk)).to_have_text("Assigned to the ben")
    expect(row(desk, ids[1]).locator(".inbox-whose")).to_have_text("the ben")
    with tenant.client("ben") as ben:
        ben.assign_action(ids[0], ben.get_own_key().key_id)
        expect(row(desk, ids[0]).locator(".inbox-whose")).to_have_text("the ben")
        ben.assign_action(ids[1], tenant.key_ids["operator"])
    expect(said(desk)).to_have_text("Assigned to you by the ben: Pay 1")
    notice = desk.page.locator(".inbox-notice-talk")
    expect(notice).to_contain_text("Assigned to you by the ben: Pay 1")
    row(desk, ids[2]).click()
    on_row(desk, "Pay 2")
    notice.get_by_role("button", name="Look").click()
    on_row(desk, "Pay 1")
    expect(notice).to_have_count(0)
    expect(row(desk, ids[1]).locator(".inbox-whose")).to_have_text("mine")
    keyboard.press("i")
    expect(said(desk)).to_have_text("Handed back: Pay 1")
    row(desk, ids[2]).click()
    desk.page.get_by_role("radio", name="Mine").click()
    on_row(desk, "Pay 2")
    expect(desk.page.locator("[role=option]")).to_have_count(1)
    expect(desk.page.locator(".inbox-count")).to_have_text("1 of 3 waiting")
    desk.is_at("whose=mine")
    keyboard.press("i")
    expect(said(desk)).to_have_text("Handed back: Pay 2")
    on_row(desk, "Pay 2")
    desk.page.get_by_role("radio", name="Nobody's").click()
    on_row(desk, "Pay 2")
    assert faults(desk.page) == []
    assert {tenant.action(each)["status"] for each in ids} == {"pending_approval"}, "none of it decides"


@deep("each page has one flow in the quick tier")
def test_what_was_opened_for_a_request_stays_with_it_and_says_when_it_is_over(desk: Operator, tenant: Tenant) -> None:
    ids = waiting(tenant, 2)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    on_row(desk, "Pay 1")
    keyboard.press("e")
    opened = form(desk.page)
    keyboard.type("For whom?", delay=10)
    tenant.call("POST", f"/api/actions/{ids[1]}/approve", {"decision": "deny", "reasoning": "No"}, key="admin")
    expect(opened.locator(".inbox-problem")).to_contain_text("Too late. Denied by First admin key")
    expect(desk.page.locator(".inbox-confirm")).to_be_disabled()
    keyboard.press("Control+Enter")
    keyboard.press("Escape")
    assert tenant.call("GET", "/api/questions")["questions"] == []
    keyboard.press("s")
    expect(said(desk)).to_have_text("Refused: it does not wait any more")
    keyboard.press("m")
    keyboard.type("It was a double.", delay=10)
    keyboard.press("Control+Enter")
    expect(detail(desk, ids[1])).to_contain_text("It was a double.")
    (comment,) = tenant.call("GET", "/api/comments")["comments"]
    assert (comment["action_id"], comment["text"]) == (ids[1], "It was a double.")
    # Both keys arrive before a frame is drawn: the second one would be about what nobody has seen.
    desk.page.evaluate("""() => {
      for (const key of 'js') {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      }
    }""")
    expect(said(desk)).to_have_text("Refused: this request was not on the screen yet")
    on_row(desk, "Pay 0")
    expect(desk.page.locator(".inbox-form")).to_have_count(0)


@deep("each page has one flow in the quick tier")
def test_a_changed_request_is_linked_to_in_the_inbox_while_it_waits(desk: Operator, tenant: Tenant) -> None:
    (action_id,) = waiting(tenant, 1)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    with tenant.client("operator", None) as operator, tenant.client("agent", "payer") as agent:
        operator.ask_question(action_id, "Would 50 do?")
        changed = agent.create_action("pay", "Pay 50", parameters={"amount": 50}, replaces=action_id).action_id
    notice = desk.page.locator(".inbox-notice-talk")
    expect(notice).to_contain_text("the agent asks for something else instead: Pay 50")
    beside = detail(desk, action_id)
    link = beside.get_by_role("link", name="the changed request")
    expect(link).to_have_attribute("href", f"/approvals?action_id={changed}")
    link.click()
    on_row(desk, "Pay 50")
    assert "/ledger" not in desk.page.url
    desk.page.keyboard.press("a")
    assert reached(lambda: tenant.action(changed)["status"] == "running")
    desk.open(f"/approvals?action_id={action_id}")
    expect(link).to_have_attribute("href", f"/ledger?action_id={changed}")
