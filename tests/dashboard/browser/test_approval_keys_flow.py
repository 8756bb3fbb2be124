"""The approvals page by keyboard, and several requests at once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.dashboard.browser.approval_page import (
    breath,
    confirm,
    detail,
    form,
    give_reason,
    on_row,
    ready,
    row,
    said,
    whole,
)
from tests.dashboard.browser.dashboard import Operator
from tests.dashboard.browser.test_approval_flow import approval, comes_to
from tests.stories.tenant import Tenant
from tests.tiers import deep

SMALL = """() => [...document.querySelectorAll('.inbox :is(button, select, summary, input:not([type=checkbox]))')]
  .filter((e) => e.checkVisibility()).map((e) => [e.textContent || e.className, e.getBoundingClientRect()])
  .filter(([, { width, height }]) => Math.min(width, height) < 44).map(([name]) => name)"""
"""What is too small for a thumb."""
SAME: dict[str, Any] = {"declared_goal": "Refund order 1042", "agent_id": "support"}
IN_SIGHT = """() => {
  const list = document.querySelector('.inbox-list').getBoundingClientRect();
  const whole = (e) => { const r = e.getBoundingClientRect(); return r.top >= list.top && r.bottom <= list.bottom; };
  const rows = [...document.querySelectorAll('.inbox-list [role=option]')];
  return { seen: rows.filter(whole).length, drawn: rows.length, bottom: list.bottom, window: innerHeight,
           scrolled: document.querySelector('[data-testid=stMain]').scrollTop };
}"""


def paying(tenant: Tenant, count: int, **more: Any) -> list[str]:
    tenant.governed()
    # No agent may have more than 200 that wait.
    agents = ["payer" if number < 150 else f"payer-{number // 150}" for number in range(count)]
    return [
        tenant.create("pay", declared_goal=f"Pay {number}", agent_id=agent, **more)
        for number, agent in enumerate(agents)
    ]


@deep("each page has one flow in the quick tier")
def test_j_and_k_move_a_and_d_decide_and_nothing_happens_while_one_types(desk: Operator, tenant: Tenant) -> None:
    ids = paying(tenant, 6)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    on_row(desk, "Pay 5")
    for key, goal in (("j", "Pay 4"), ("j", "Pay 3"), ("j", "Pay 2"), ("k", "Pay 3")):
        keyboard.press(key)
        on_row(desk, goal)
    for field in (desk.page.locator(".st-key-approvals_agent_id input"), desk.page.locator(".inbox-search")):
        field.press_sequentially("jkad", delay=30)
        expect(field).to_have_value("jkad")
        expect(desk.page.locator(".inbox-form")).to_have_count(0)
        field.fill("")
        field.press("Escape")
        field.blur()
    desk.page.wait_for_timeout(700)
    desk.settle()
    row(desk, ids[3]).click()
    on_row(desk, "Pay 3")

    keyboard.press("d")
    opened = form(desk.page)
    reason = desk.page.locator(".inbox-reason")
    expect(reason).to_be_focused()
    keyboard.type("jkad: not", delay=20)
    keyboard.press("Enter")
    keyboard.type("today")
    expect(reason).to_have_value("jkad: not\ntoday")
    expect(opened).to_be_visible()
    assert tenant.action(ids[3])["status"] == "pending_approval", "Enter decides nothing"
    keyboard.press("Control+Enter")
    expect(opened).to_be_hidden()
    on_row(desk, "Pay 2")

    keyboard.press("Shift+A")
    opened = form(desk.page)
    minutes = desk.page.locator(".inbox-minutes")
    minutes.fill("45")
    minutes.press("Enter")
    expect(opened).to_be_visible()
    desk.page.locator(".inbox-conditions").fill("Before noon\n\n  No more than 100  ")
    keyboard.press("Control+Enter")
    expect(opened).to_be_hidden()
    comes_to(tenant, ids[3], "denied")
    assert tenant.action(ids[3])["error_message"] == "jkad: not\ntoday"
    allowed = comes_to(tenant, ids[2], "approved")
    until, at = (datetime.fromisoformat(allowed[name]) for name in ("valid_until", "decided_at"))
    assert until - at == timedelta(minutes=45)
    assert allowed["conditions"] == ["Before noon", "No more than 100"]


@deep("each page has one flow in the quick tier")
def test_a_press_is_taken_back_and_what_was_not_seen_is_refused(desk: Operator, tenant: Tenant) -> None:
    ids = paying(tenant, 3)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    keyboard.press("a")
    expect(row(desk, ids[2])).to_contain_text("allowed, held")
    on_row(desk, "Pay 1")
    expect(desk.page.locator(".inbox-undo")).to_contain_text("Allowed: Pay 2")
    keyboard.press("u")
    expect(row(desk, ids[2])).not_to_contain_text("held")
    breath(desk)
    # Both keys arrive before a frame is drawn: the second one would be about what nobody has seen.
    desk.page.evaluate("""() => {
      for (const key of 'ja') {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      }
    }""")
    expect(said(desk)).to_have_text("Refused: this request was not on the screen yet")
    on_row(desk, "Pay 0")
    keyboard.press("u")
    expect(said(desk)).to_have_text("Refused: nothing is held that could be taken back")
    keyboard.press("u")
    expect(said(desk)).to_have_text("Refused: nothing is held that could be taken back (2 times)")
    keyboard.press("k")
    keyboard.press("k")
    keyboard.press("u")
    expect(said(desk)).to_have_text("Refused: nothing is held that could be taken back")
    desk.page.wait_for_timeout(6000)
    assert {tenant.action(each)["status"] for each in ids} == {"pending_approval"}


@deep("each page has one flow in the quick tier")
def test_nothing_is_allowed_before_its_arguments_are_shown(desk: Operator, tenant: Tenant) -> None:
    ids = paying(tenant, 2, parameters={"amount": 5})
    held: list[Route] = []
    slow = True

    def keep(route: Route) -> None:
        if slow:
            held.append(route)
        else:
            route.continue_()

    desk.page.route("**/inbox/arguments*", keep)
    desk.page.route("**/inbox/requests/*", keep)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    expect(desk.page.locator(".inbox-title")).to_have_text("Pay 1")
    keyboard = desk.page.keyboard
    reason = "Refused: its arguments are not shown yet"
    keyboard.press("a")
    expect(said(desk)).to_have_text(reason)
    keyboard.press("Shift+A")
    expect(said(desk)).to_have_text(f"{reason} (2 times)")
    desk.page.locator(".inbox-allow").click()
    expect(said(desk)).to_have_text(f"{reason} (3 times)")
    expect(detail(desk, ids[1])).not_to_contain_text("Exact arguments")
    keyboard.press("d")
    form(desk.page)
    keyboard.press("Escape")
    slow = False
    for route in held:
        route.continue_()
    on_row(desk, "Pay 1")
    expect(detail(desk, ids[1])).to_contain_text("amount (parameters)")
    keyboard.press("a")
    expect(row(desk, ids[1])).to_contain_text("allowed, held")
    # Of the next one they were asked for before the cursor came.
    on_row(desk, "Pay 0")
    breath(desk)
    keyboard.press("a")
    expect(row(desk, ids[0])).to_contain_text("allowed, held")


@deep("each page has one flow in the quick tier")
def test_what_a_form_has_covered_was_not_seen(desk: Operator, tenant: Tenant) -> None:
    ids = paying(tenant, 3)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    on_row(desk, "Pay 2")
    held: list[Route] = []
    # Playwright marks the handler, which a built-in method does not let it do.
    desk.page.route("**/inbox/later", lambda route: held.append(route))
    keyboard = desk.page.keyboard
    keyboard.press("s")
    form(desk.page)
    with desk.page.expect_request("**/inbox/later"):
        keyboard.press("Enter")
    keyboard.press("Escape")
    expect(desk.page.locator(".inbox-form")).to_have_count(0)
    keyboard.press("m")
    form(desk.page)
    # It is answered now: the next request has its turn, behind the form.
    [route] = held
    route.continue_()
    expect(desk.page.locator(".inbox-current .inbox-goal")).to_have_text("Pay 1")
    expect(detail(desk, ids[2])).to_be_visible()
    desk.page.wait_for_timeout(300)
    desk.page.evaluate("""() => {
      const drawn = new MutationObserver(() => {
        drawn.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }));
      });
      drawn.observe(document.querySelector('.inbox-detail'), { attributeFilter: ['data-id'] });
    }""")
    keyboard.press("Escape")
    expect(said(desk)).to_have_text("Refused: this request was not on the screen yet")
    on_row(desk, "Pay 1")
    expect(row(desk, ids[1])).not_to_contain_text("held")


@deep("each page has one flow in the quick tier")
def test_the_keys_of_the_page_are_silent_behind_a_form_and_can_be_switched_off(desk: Operator, tenant: Tenant) -> None:
    paying(tenant, 3)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard = desk.page.keyboard
    keyboard.press("d")
    opened = form(desk.page)
    opened.get_by_text("Deny this request?").click()
    for key in "jxa":
        keyboard.press(key)
    expect(opened.get_by_text("Deny this request?")).to_be_visible()
    expect(said(desk)).to_contain_text("finish what is open")
    keyboard.press("Escape")
    expect(opened).to_be_hidden()
    on_row(desk, "Pay 2")
    keyboard.press("?")
    desk.page.get_by_label("Keys work everywhere on this page").uncheck()
    desk.page.get_by_role("heading", name="Approvals").click()
    desk.page.evaluate("document.activeElement.blur()")
    keyboard.press("j")
    on_row(desk, "Pay 2")
    desk.page.locator(".inbox-list").focus()
    keyboard.press("j")
    on_row(desk, "Pay 1")


@deep("each page has one flow in the quick tier")
def test_escape_closes_the_help_and_the_focus_is_where_it_was(desk: Operator, tenant: Tenant) -> None:
    paying(tenant, 2)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    keyboard, page = desk.page.keyboard, desk.page
    shown, listed, opener = page.locator(".inbox-help"), page.locator(".inbox-list"), page.locator(".inbox-keys")
    everywhere = page.get_by_label("Keys work everywhere on this page")
    # The focus did not leave the list.
    keyboard.press("?")
    expect(shown).to_be_visible()
    keyboard.press("Escape")
    expect(shown).to_be_hidden()
    expect(listed).to_be_focused()
    # From within, it goes back to what it came from: the list, or the button.
    keyboard.press("?")
    everywhere.uncheck()
    keyboard.press("Escape")
    expect(shown).to_be_hidden()
    expect(listed).to_be_focused()
    opener.click()
    expect(opener).to_have_attribute("aria-expanded", "true")
    everywhere.check()
    keyboard.press("Escape")
    expect(shown).to_be_hidden()
    expect(opener).to_be_focused()
    expect(opener).to_have_attribute("aria-expanded", "false")
    # What is typed into is left first.
    listed.focus()
    keyboard.press("?")
    keyboard.press("d")
    opened = form(page)
    keyboard.press("Escape")
    expect(opened).to_be_hidden()
    expect(shown).to_be_visible()
    keyboard.press("Escape")
    expect(shown).to_be_hidden()
    on_row(desk, "Pay 1")


@deep("each page has one flow in the quick tier")
def test_five_identical_ones_at_once_of_which_somebody_else_had_one(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    tenant.governed()
    tenant.add_key("Nora of the night shift", "operator")
    ids = [tenant.create("pay", **SAME) for _ in range(5)]
    tenant.create("pay", **SAME | {"metadata": {"amount": 500}})
    desk = new_desk()
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    desk.page.keyboard.press("j")
    expect(desk.page.locator(".inbox-detail").get_by_text("5 identical requests")).to_be_visible()
    desk.page.get_by_role("button", name="Select all 5 identical").click()
    expect(desk.page.locator(".inbox-shown")).to_contain_text("5 selected")
    desk.page.keyboard.press("d")
    opened = form(desk.page)
    expect(opened.get_by_text("Deny 5 requests?")).to_be_visible()
    tenant.call(
        "POST",
        f"/api/actions/{ids[2]}/approve",
        {"decision": "allow", "reasoning": "I knew this one"},
        key="Nora of the night shift",
    )
    expect(opened.get_by_text("Deny 4 requests?")).to_be_visible()
    give_reason(desk.page, "The customer has it already")
    confirm(desk.page)
    notice = desk.page.locator(".inbox-notice")
    expect(notice).to_contain_text("Nora of the night shift")
    expect(notice).to_contain_text("I knew this one")
    for each in ids:
        if each != ids[2]:
            comes_to(tenant, each, "denied")
    expect(desk.page.locator(".inbox-count")).to_have_text("1 waiting")
    others = [approval(tenant, each) for each in ids if each != ids[2]]
    assert [each["reasoning"] for each in others] == 4 * ["The customer has it already"]
    assert len({each["idempotency_key"] for each in others}) == 4
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
    on_row(desk, "Pay 1")
    expect(desk.page.get_by_text("Ship it")).to_have_count(0)
    expect(desk.page.get_by_text("Decided in the last 7 days")).to_be_visible()
    expect(desk.page.locator(".st-key-approvals_agent_id input")).to_have_value("payer")
    goals = desk.page.locator(".inbox-list .inbox-goal")
    expect(goals).to_have_text(["Pay 0", "Pay 1", "Pay 2"])
    desk.page.locator(".st-key-order").get_by_text("Highest risk").click()
    desk.is_at("order=risk")
    desk.page.keyboard.press("/")
    desk.page.keyboard.type("pay 2")
    expect(goals).to_have_text(["Pay 2"])
    desk.is_at("search=pay")
    desk.open(desk.page.url.replace(desk.address, ""))
    ready(desk)
    expect(goals).to_have_text(["Pay 2"])
    expect(desk.page.locator(".inbox-search")).to_have_value("pay 2")
    expect(desk.page.locator(".inbox-count")).to_have_text("1 of 4 waiting")
    desk.page.locator(".inbox-everybody").click()
    expect(goals).to_have_count(4)
    expect(desk.page.locator(".st-key-approvals_agent_id input")).to_have_value("")


@deep("a thousand requests")
def test_a_thousand_wait_and_fifteen_are_seen_without_scrolling_the_page(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    paying(tenant, 1000)
    desk = new_desk(width=1440, height=900)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    expect(desk.page.locator(".inbox-count")).to_have_text("1000 waiting")
    found = desk.page.evaluate(IN_SIGHT)
    assert found["seen"] >= 15
    assert found["drawn"] <= 40, "rows that nobody sees are not drawn"
    assert found["scrolled"] == 0
    assert found["bottom"] <= found["window"]
    desk.page.keyboard.press("End")
    on_row(desk, "Pay 0")
    option = desk.page.locator(".inbox-current")
    for name in ("aria-posinset", "aria-setsize"):
        expect(option).to_have_attribute(name, "1000")
    expect(desk.page.locator(".inbox-list")).to_have_attribute("aria-activedescendant", str(option.get_attribute("id")))


@deep("a telephone")
def test_on_a_telephone_a_request_is_opened_and_decided_with_a_thumb(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    ids = paying(tenant, 3)
    desk = new_desk(width=390, height=844)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    top = desk.page.locator(".inbox-list").bounding_box()
    assert top is not None
    assert top["y"] <= 300, "the list begins in the upper half"
    assert desk.page.evaluate("document.documentElement.scrollWidth") == 390
    assert desk.page.evaluate(SMALL) == []
    row(desk, ids[1]).click()
    expect(desk.page.locator(".inbox-title")).to_have_text("Pay 1")
    expect(desk.page.locator(".inbox-list")).to_be_hidden()
    desk.settle()
    whole(desk)
    assert desk.page.evaluate(SMALL) == []
    desk.page.locator(".inbox-deny").click()
    form(desk.page)
    assert desk.page.evaluate(SMALL) == []
    desk.page.locator(".inbox-cancel").click()
    # What stands behind the request comes later and draws it anew.
    desk.page.wait_for_function("document.querySelector('.inbox-allow')?.getBoundingClientRect().height >= 44")
    desk.page.locator(".inbox-allow").click()
    desk.page.get_by_role("button", name="Back to the list").click()
    expect(row(desk, ids[1])).to_contain_text("held")
    comes_to(tenant, ids[1], "approved")


LINES = """() => {
  const parts = [...document.querySelectorAll('.inbox-count, .inbox-shown > span')];
  return parts.map((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  });
}"""
"""On how many lines each text of the counter stands."""


@deep("the counter in four widths")
@pytest.mark.parametrize("width", [1440, 1000, 700, 390])
def test_the_counter_keeps_its_line_whatever_is_looked_for(
    new_desk: Callable[..., Operator], tenant: Tenant, width: int
) -> None:
    paying(tenant, 12)
    desk = new_desk(width=width)
    desk.sign_in(tenant.keys["operator"], f"/approvals?agent_id=payer&search={'+'.join(['pay'] * 40)}")
    desk.settle()
    page = desk.page
    for pick in page.locator(".inbox-pick").all()[:3]:
        pick.click()
    page.locator(".inbox-search").fill("Pay 11 " * 20)
    expect(page.locator(".inbox-count")).to_have_text("1 of 12 waiting")
    expect(page.locator(".inbox-shown > span")).to_have_text("3 selected")
    assert page.evaluate(LINES) == [1, 1]
    boxes = [page.locator(each).bounding_box() for each in (".inbox-count", ".inbox-everybody")]
    count, button = (box for box in boxes if box is not None)
    assert button["y"] < count["y"] + count["height"] < button["y"] + button["height"] + 1, "beside each other"
    assert button["x"] + button["width"] <= width
