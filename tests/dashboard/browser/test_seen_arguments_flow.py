"""What was not in sight is not allowed, in a real browser: nothing that a key or a click could have meant otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import breath, detail, form, on_row, open_request, ready, row, said, whole
from tests.dashboard.browser.audit import faults
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

REASON = "each page has one flow in the quick tier"


def ask(tenant: Tenant, goal: str, **parameters: object) -> str:
    return tenant.create("pay", declared_goal=goal, agent_id="payer", parameters=parameters)


@deep(REASON)
def test_a_list_alone_allows_nothing(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = ask(tenant, "Pay the supplier", amount=900_000, iban="DE12500105170648489890")
    desk.page.set_viewport_size({"width": 700, "height": 900})
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    expect(detail(desk, action_id)).to_be_hidden()
    expect(row(desk, action_id)).to_be_visible()
    keyboard = desk.page.keyboard
    keyboard.press("a")
    expect(said(desk)).to_have_text("Refused: its arguments are not on the screen; Enter opens the request")
    keyboard.press("Enter")
    expect(detail(desk, action_id)).to_contain_text("DE12500105170648489890")
    keyboard.press("J")
    whole(desk)
    keyboard.press("a")
    expect(said(desk)).to_contain_text("Allowed: Pay the supplier")


@deep(REASON)
def test_a_long_goal_leaves_the_rest_in_sight_and_long_arguments_have_to_be_seen_to_their_end(
    desk: Operator, tenant: Tenant
) -> None:
    tenant.governed()
    below = ask(tenant, "Pay as agreed", note="word " * 700, amount=1_000_000)
    goal = "Pay for what was agreed with everybody who was there. " * 37
    short = ask(tenant, goal, amount=5, iban="DE12500105170648489890")
    desk.page.set_viewport_size({"width": 1440, "height": 900})
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    shown = open_request(desk, short)
    expect(shown.get_by_text("DE12500105170648489890", exact=True)).to_be_in_viewport()
    expect(shown.locator(".inbox-allow")).to_be_in_viewport()
    shown.locator(".inbox-whole-goal summary").click()
    expect(shown.locator(".inbox-whole-goal p")).to_have_text(goal.strip())
    keyboard = desk.page.keyboard
    keyboard.press("j")
    shown = detail(desk, below)
    expect(shown.get_by_text("1000000", exact=True)).not_to_be_in_viewport()
    keyboard.press("a")
    expect(said(desk)).to_have_text("Refused: its arguments go on below; J, or scrolling, shows them")
    shown.locator(".inbox-allow").click()
    expect(said(desk)).to_contain_text("(2 times)")
    keyboard.press("f")
    expect(said(desk)).to_contain_text("(3 times)")
    shown.locator(".inbox-grant").click()
    expect(said(desk)).to_contain_text("(4 times)")
    expect(desk.page.locator(".inbox-form")).to_have_count(0)
    for _ in range(6):
        keyboard.press("J")
    expect(shown.get_by_text("1000000", exact=True)).to_be_in_viewport()
    whole(desk)
    keyboard.press("a")
    expect(row(desk, below)).to_contain_text("allowed, held")


@deep(REASON)
def test_a_long_goal_is_allowed_once_its_end_was_in_sight(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    goal = f"{'Tell the customer what was agreed and when it comes. ' * 36}AND DELETE THE CUSTOMER"
    action_id = ask(tenant, goal, amount=5)
    desk.page.set_viewport_size({"width": 1440, "height": 900})
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    shown = open_request(desk, action_id)
    expect(shown.get_by_text("amount (parameters)", exact=True)).to_be_in_viewport()
    keyboard = desk.page.keyboard
    folded = "Refused: its goal goes on; v, or “The whole goal” below it, opens it"
    for number, key in enumerate("aAf", 1):
        keyboard.press(key)
        expect(said(desk)).to_have_text(folded if number == 1 else f"{folded} ({number} times)")
    desk.page.set_viewport_size({"width": 1000, "height": 720})
    keyboard.press("v")
    whole_goal = shown.locator(".inbox-whole-goal p")
    expect(whole_goal).to_have_text(goal)
    keyboard.press("a")
    expect(said(desk)).to_have_text("Refused: its goal goes on; J and K, or scrolling, show its end")
    keyboard.press("d")
    form(desk.page)
    keyboard.press("Escape")
    expect(whole_goal).to_be_visible()
    for _ in range(20):
        keyboard.press("K")
    for _ in range(12):
        if shown.get_attribute("data-whole") != "yes":
            keyboard.press("J")
            breath(desk)
    whole(desk)
    keyboard.press("a")
    expect(said(desk)).to_contain_text("Allowed: Tell the customer")


@deep(REASON)
def test_where_arguments_are_left_out_a_word_is_asked_for(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    many = {f"line_{number:03}": number for number in range(300)} | {"zz_amount": 1_000_000}
    action_id = ask(tenant, "Pay 6 EUR", **many)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    shown = open_request(desk, action_id)
    expect(shown.locator(".inbox-hidden")).to_contain_text("101 arguments are not shown here")
    expect(shown.locator("pre")).to_contain_text("zz_amount")
    keyboard = desk.page.keyboard
    for _ in range(14):
        keyboard.press("J")
    whole(desk)
    keyboard.press("f")
    granting = form(desk.page)
    expect(granting.locator(".inbox-confirm")).to_be_enabled()
    keyboard.press("Control+Enter")
    expect(granting.locator("[role=alert]")).to_have_text("Not all of its arguments are shown. Type allow.")
    granting.locator(".inbox-typed").fill("allow")
    keyboard.press("Control+Enter")
    expect(said(desk)).to_contain_text("Allowed in advance until")
    assert len(tenant.call("GET", "/api/grants")["grants"]) == 1
    keyboard.press("a")
    opened = form(desk.page)
    expect(opened).to_contain_text("Not all of its arguments are shown. Type “allow”, or give a reason")
    keyboard.press("Control+Enter")
    expect(opened).to_contain_text("Not all of its arguments are shown. Type allow, or say why.")
    opened.locator(".inbox-typed").fill("allow")
    keyboard.press("Control+Enter")
    expect(row(desk, action_id)).to_contain_text("allowed, held")


@deep(REASON)
def test_several_are_named_with_what_each_would_do_and_only_a_seen_form_decides(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    ask(tenant, "Pay somebody else")  # the first of an agent has another risk than those that follow
    ids = [ask(tenant, "Pay the supplier", amount=amount, iban="DE1") for amount in (5, 5, 900_000)]
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    for action_id in ids:
        row(desk, action_id).locator(".inbox-pick").click()
    # Both keys in one moment: no frame of the form comes between them.
    desk.page.evaluate("""() => {
      const press = (key, more) => (document.activeElement || document.body).dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
      press('a');
      press('Enter', { ctrlKey: true });
    }""")
    opened = form(desk.page)
    expect(opened).to_contain_text("This was not on the screen to its end when the key went down")
    lines = opened.locator(".inbox-asked li")
    expect(lines).to_have_count(3)
    texts = sorted(lines.all_inner_texts())
    about = "Pay the supplier · payer · pay · names no system · risk 20 · amount (parameters)"
    assert texts[0] == f"2 × {about}: 5", texts
    assert texts[1] == "In all: iban (parameters): DE1"
    assert texts[2] == f"{about}: 900000"
    desk.page.keyboard.press("Control+Enter")
    expect(row(desk, ids[2])).to_contain_text("allowed, held")


@deep(REASON)
def test_of_several_staging_and_production_are_two_lines(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    same: dict[str, Any] = {"declared_goal": "Pay 1.4", "agent_id": "payer", "parameters": {"v": "1.4"}}
    staging = tenant.create("pay", **same, systems_touched=["staging"])
    production = tenant.create("pay", **same, systems_touched=["production"], reversible=False)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    for action_id in (staging, production):
        row(desk, action_id).locator(".inbox-pick").click()
    desk.page.keyboard.press("a")
    lines = form(desk.page).locator(".inbox-asked li")
    expect(lines).to_have_count(3)
    risks = {each: f"{round(tenant.action(each)['risk_score'], 1):g}" for each in (staging, production)}
    about = "Pay 1.4 · payer · pay"
    assert sorted(lines.all_inner_texts()) == [
        'In all: v (parameters): "1.4"',
        f"{about} · touches production · risk {risks[production]} · cannot be undone",
        f"{about} · touches staging · risk {risks[staging]}",
    ]
    desk.page.keyboard.press("Escape")
    desk.page.keyboard.press("s")
    expect(form(desk.page).locator(".inbox-asked li", has_text="touches production")).to_have_count(1)


@deep("what is in sight is a browser's")
def test_a_long_form_about_several_decides_when_each_line_of_it_was_in_sight(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    ids = [
        ask(tenant, f"Pay supplier {number}", **{f"line{at}": f"{number} {at} " * 9 for at in range(6)})
        for number in range(11)
    ]
    desk.page.set_viewport_size({"width": 1280, "height": 900})
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    for action_id in ids:
        row(desk, action_id).locator(".inbox-pick").click()
    keyboard = desk.page.keyboard
    keyboard.press("a")
    opened = desk.page.locator(".inbox-form")
    expect(opened.locator(".inbox-asked li").first).to_be_in_viewport(ratio=1)
    expect(opened.locator(".inbox-confirm")).to_have_text(re.compile("Allow 11"))
    expect(opened).not_to_contain_text("not here yet")
    breath(desk)
    keyboard.press("Control+Enter")
    problem = opened.locator("[role=alert]")
    expect(problem).to_contain_text("This was not on the screen to its end")
    expect(problem).to_be_in_viewport(ratio=1)
    # To the end at once: what was passed over was not seen.
    desk.page.evaluate("document.querySelector('.inbox-detail').scrollTop = 1e6")
    desk.page.wait_for_timeout(400)
    expect(opened).not_to_have_attribute("data-seen", "yes")
    keyboard.press("Control+Enter")
    expect(problem).to_contain_text("This was not on the screen to its end")
    for _ in range(12):
        keyboard.press("PageUp")
        desk.page.wait_for_timeout(150)
    expect(opened).to_have_attribute("data-seen", "yes")
    assert all(tenant.action(action_id)["status"] == "pending_approval" for action_id in ids)
    keyboard.press("Control+Enter")
    expect(said(desk)).to_contain_text("Allowed 11")


@deep("what is in sight is a browser's")
def test_several_that_differ_in_what_allows_them_are_several_lines(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    body: dict[str, Any] = {"agent_id": "payer", "declared_goal": "Wire 20 EUR", "parameters": {"to": "Ann"}}
    tenant.create("pay", **body)
    ids = [tenant.create("pay", **body, authorization_scope=said) for said in ("payroll", "payroll", "CFO said so")]
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    for action_id in ids:
        row(desk, action_id).locator(".inbox-pick").click()
    desk.page.keyboard.press("a")
    lines = form(desk.page).locator(".inbox-asked li")
    expect(lines.filter(has_text="differs in its allowed to, as the agent says: payroll")).to_contain_text(
        "2 × Wire 20 EUR"
    )
    expect(lines.filter(has_text="CFO said so")).to_have_count(1)


CUT = "(cells) => cells.map((each) => each.scrollWidth > each.clientWidth)"


@deep("widths are a browser's")
def test_a_long_name_in_the_list_leaves_the_id_whose_it_is_in_sight(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    long = tenant.create("pay", agent_id="mallory", agent_name="The accounting department's billing bot")
    short = tenant.create("pay", agent_id="payer")
    desk.sign_in(tenant.keys["operator"], "/approvals")
    for width in (1280, 390):
        desk.page.set_viewport_size({"width": width, "height": 844})
        desk.settle()
        cells = row(desk, long).locator(".inbox-agent > span")
        expect(cells.last).to_have_text("mallory")
        expect(cells.last).to_be_in_viewport(ratio=1)
        assert cells.evaluate_all(CUT) == [True, False], "the name is cut, and the id is whole"
        expect(row(desk, short).locator(".inbox-agent > span")).to_have_text(["payer"])


@deep("a telephone in the dark")
def test_on_a_telephone_what_a_tap_did_stands_at_the_lower_edge(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    tenant.governed()
    short = ask(tenant, "Pay the supplier", amount=5)
    long = ask(tenant, "Pay as agreed", **{f"line_{number:02}": number for number in range(30)})
    desk = new_desk(width=390, height=844, dark=True)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    shown = open_request(desk, long)
    desk.settle()
    shown.locator(".inbox-allow").click()
    expect(said(desk)).to_have_text("Refused: its arguments go on below; J, or scrolling, shows them")
    expect(said(desk)).to_be_in_viewport(ratio=1)
    assert faults(desk.page) == []
    # What the foot covers is not seen.
    desk.page.evaluate(LAST_ARGUMENT_AT, 834)
    desk.page.wait_for_timeout(400)
    expect(shown).not_to_have_attribute("data-whole", "yes")
    desk.page.evaluate(LAST_ARGUMENT_AT, 700)
    whole(desk)
    desk.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop = 1e6")
    foot, end = (desk.page.locator(each).bounding_box() for each in (".inbox-foot", ".inbox-detail"))
    assert foot is not None
    assert end is not None
    assert end["y"] + end["height"] <= foot["y"], "whatever it covers can be scrolled from behind it"
    shown.get_by_role("button", name="Back to the list").click()
    shown = open_request(desk, short)
    desk.settle()
    whole(desk)
    breath(desk)
    shown.locator(".inbox-allow").click()
    undo = desk.page.locator(".inbox-undo")
    expect(undo).to_contain_text("Allowed: Pay the supplier")
    expect(undo).to_be_in_viewport(ratio=1)
    button = undo.get_by_role("button", name="Undo")
    box = button.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 44
    button.click()
    expect(said(desk)).to_have_text("Taken back: Pay the supplier")
    expect(said(desk)).to_be_in_viewport(ratio=1)
    assert tenant.action(short)["status"] == "pending_approval"


LAST_ARGUMENT_AT = """(at) => {
  const end = [...document.querySelectorAll('.inbox-pairs')][0].getBoundingClientRect().bottom;
  document.querySelector('[data-testid=stMain]').scrollTop += end - at;
}"""
"""Scrolls the page so that the arguments end so many pixels below its upper edge."""


@deep(REASON)
def test_a_double_click_allows_one(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    ids = [ask(tenant, f"Pay {number}", amount=number) for number in range(3)]
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    on_row(desk, "Pay 2")
    box = desk.page.locator(".inbox-allow").bounding_box()
    assert box is not None
    mouse = desk.page.mouse
    mouse.move(box["x"] + 20, box["y"] + 10)
    mouse.down()
    mouse.up()
    expect(row(desk, ids[2])).to_contain_text("allowed, held")
    # The second one of a double click, on the next request's button, which stands where the other's stood.
    mouse.down(click_count=2)
    mouse.up(click_count=2)
    expect(said(desk)).to_have_text("Refused: a double click decides once")
    expect(row(desk, ids[1])).not_to_contain_text("held")
    # News come behind a refusal, and do not take its place.
    ask(tenant, "Pay 4", amount=4)
    expect(said(desk)).to_have_text("Refused: a double click decides once · 1 new request")


@deep(REASON)
def test_under_the_kill_switch_nothing_is_called_allowed(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = ask(tenant, "Pay the supplier", amount=5)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    on_row(desk, "Pay the supplier")
    tenant.call("POST", "/api/halt", {"reason": "Incident 4711"}, key="operator")
    expect(desk.page.locator(".st-key-halted")).to_be_visible()
    keyboard = desk.page.keyboard
    keyboard.press("a")
    expect(said(desk)).to_have_text("Refused: the kill switch is on, so nothing can be allowed; denying is possible")
    expect(row(desk, action_id)).not_to_contain_text("held")
    keyboard.press("j")
    expect(said(desk)).to_have_text("The list ends here")
    keyboard.press("f")
    expect(said(desk)).to_have_text("Refused: the kill switch is on, so nothing can be allowed; denying is possible")
    keyboard.press("d")
    form(desk.page)


@deep(REASON)
def test_a_grant_of_a_high_risk_takes_the_word(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    tenant.create("pay", declared_goal="Pay the supplier", agent_id="payer", parameters={"amount": 5}, risk_score=95)
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    desk.page.keyboard.press("f")
    granting = form(desk.page)
    expect(granting.locator(".inbox-confirm")).to_be_enabled()
    desk.page.keyboard.press("Control+Enter")
    expect(granting.locator("[role=alert]")).to_have_text("The risk is high. Type allow.")
    assert tenant.call("GET", "/api/grants")["grants"] == []
    granting.locator(".inbox-typed").fill("allow")
    desk.page.keyboard.press("Control+Enter")
    expect(said(desk)).to_contain_text("Allowed in advance until")


@deep(REASON)
def test_what_is_different_is_in_sight_with_the_arguments_and_texts_have_their_lines(
    desk: Operator, tenant: Tenant
) -> None:
    tenant.governed()
    before = ask(tenant, "Pay as before", amount=40, body="Dear Ana,\n\nplease pay.\nBen")
    tenant.call("POST", f"/api/actions/{before}/approve", {"decision": "allow"}, key="operator")
    action_id = ask(tenant, "Pay more", amount=900, body="Dear Ana,\n\nplease pay.\nBen", urgent=True)
    desk.page.set_viewport_size({"width": 1440, "height": 900})
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.settle()
    shown = open_request(desk, action_id)
    body = shown.locator(".inbox-pairs dd", has_text="Dear Ana,")
    expect(body).to_have_count(1)
    assert body.inner_text().split("\n") == ["Dear Ana, ⏎⏎", "please pay. ⏎", "Ben"]
    amount = shown.locator(".inbox-diff div", has_text="parameters.amount")
    expect(amount.locator("del")).to_have_text("40")
    expect(amount.locator("ins")).to_have_text("900")
    for each in (body, amount, shown.locator(".inbox-diff div", has_text="parameters.urgent")):
        expect(each).to_be_in_viewport(ratio=1)


@deep(REASON)
def test_what_is_different_follows_what_others_approve(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()

    def allowed(amount: int, to: str) -> None:
        action_id = ask(tenant, "Pay rent", amount=amount, to=to)
        tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="admin")

    allowed(40, "ACME")
    action_id = ask(tenant, "Pay rent", amount=900, to="MALLORY")
    desk.page.set_viewport_size({"width": 1440, "height": 900})
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    shown = detail(desk, action_id)
    expect(shown).to_contain_text("Beside the nearest of 1 that was approved")
    expect(shown.locator(".inbox-diff")).to_have_count(1)
    desk.page.evaluate("document.querySelector('.inbox-allow').dataset.drawn = 'before'")
    shown.locator(".inbox-part summary").click()
    asked = sum(f"/inbox/requests/{action_id}" in url for url in desk.asked)
    allowed(900, "MALLORY")
    expect(shown).to_contain_text("Beside the nearest of 2 that were approved")
    expect(shown).to_contain_text("All 2 arguments are the same")
    expect(shown.locator(".inbox-diff")).to_have_count(0)
    assert sum(f"/inbox/requests/{action_id}" in url for url in desk.asked) - asked <= 2
    # Nothing else was drawn anew: what was seen is seen, what was open is open.
    expect(shown.locator('.inbox-allow[data-drawn="before"]')).to_have_count(1)
    expect(shown.locator(".inbox-part details")).to_have_attribute("open", "")
    desk.page.keyboard.press("a")
    expect(row(desk, action_id)).to_contain_text("allowed, held")
