"""What nobody decides is escalated while operators look: to whose group it is, and who is on shift."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack

import httpx
import pytest
from playwright.sync_api import Browser, expect

from assent.contract.people.rota import DAYS
from tests.dashboard.browser.approval_page import detail, form, on_row, ready, row, said, seen
from tests.dashboard.browser.audit import faults
from tests.dashboard.browser.dashboard import Operator, operator_desk, running_dashboard
from tests.dashboard.browser.test_approval_flow import comes_to
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("a service of its own, whose minutes are seconds")

ALWAYS = {"days": [str(day) for day in DAYS], "start": "00:00", "end": "00:00"}
MINUTES = 3

Sit = Callable[[str], Operator]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveService, str]]:
    """The service, and the address of a dashboard in front of it."""
    home = tmp_path_factory.mktemp("hasty") / "home"
    with (
        start_service(home, module="tests.stories.hasty_service") as service,
        running_dashboard(service.base_url) as address,
    ):
        yield service, address


@pytest.fixture
def hasty(browser: Browser, places: tuple[LiveService, str]) -> Iterator[tuple[Tenant, Sit]]:
    """An organization whose requests are escalated, and what opens the inbox with one of its keys."""
    service, address = places
    with ExitStack() as stack:
        tenant = Tenant(service, stack.enter_context(httpx.Client(timeout=WAIT, trust_env=False)))
        tenant.add_key("ben", "operator")
        for action_type, group in (("refund", "Leads"), ("payout", "Night")):
            rules = {"action_types": [action_type], "escalate_after_minutes": MINUTES, "escalate_to": group}
            tenant.policy(f"Ask before a {action_type}", "require_approval", rules)

        def sit(name: str) -> Operator:
            desk = stack.enter_context(operator_desk(browser, address))
            desk.sign_in(tenant.keys[name], "/approvals")
            desk.settle()
            return desk

        yield tenant, sit


def duty(tenant: Tenant, *leads: Mapping[str, object]) -> None:
    """Leads are on shift then, and the night group never."""
    groups = [
        {"name": "Leads", "members": ["the operator"], "shifts": list(leads)},
        {"name": "Night", "members": ["the ben"], "shifts": []},
    ]
    tenant.call("POST", "/api/rota", {"groups": groups})


def test_what_nobody_decides_is_marked_and_told_to_its_group_alone(hasty: tuple[Tenant, Sit]) -> None:
    tenant, sit = hasty
    duty(tenant, ALWAYS)
    lead, ben = sit("operator"), sit("ben")
    for desk in (lead, ben):
        expect(desk.page.locator(".inbox-shifts")).to_have_text("On shift: Leads (the operator)")
    refund = tenant.create("refund", declared_goal="Refund order 7", agent_id="shop")
    expect(row(lead, refund)).to_be_visible()
    expect(said(lead)).to_have_text("Escalated to you: Refund order 7")
    payout = tenant.create("payout", declared_goal="Pay out 50 EUR", agent_id="shop")
    for desk, action_id, group, own in ((lead, refund, "Leads", True), (ben, refund, "Leads", False)):
        mark = row(desk, action_id).locator(".inbox-escalated")
        expect(mark).to_have_text(f"↑ {group}")
        expect(mark).to_have_class("inbox-badge inbox-escalated" + (" inbox-high" if own else ""))
        expect(row(desk, payout).locator(".inbox-escalated")).to_have_text("↑ Night")
        row(desk, action_id).click()
        told = detail(desk, action_id).locator(".inbox-escalation")
        expect(told).to_contain_text("Escalated to Leads, your group" if own else "Escalated to Leads ")
        expect(told).to_contain_text(f"nobody had decided for {MINUTES} min.")
        expect(told).not_to_contain_text("not on shift" if own else "your group")
        assert faults(desk.page) == []
    row(lead, payout).click()
    expect(detail(lead, payout).locator(".inbox-escalation")).to_contain_text("Nobody of that group was on shift.")
    assert {tenant.action(each)["status"] for each in (refund, payout)} == {"pending_approval"}, "it decides nothing"
    duty(tenant)
    for desk in (lead, ben):
        expect(desk.page.locator(".inbox-shifts.inbox-problem")).to_have_text("Nobody is on shift")
    row(ben, refund).click()
    on_row(ben, "Refund order 7")
    detail(ben, refund).locator(".inbox-allow").click()
    assert comes_to(tenant, refund, "approved")["decided_by"] == "the ben", "whoever may decide still may"
    current = tenant.call("GET", "/api/escalations?current=true")["escalations"]
    assert [(each["action_id"], each["on_shift"]) for each in current] == [(payout, False)]


def test_whoever_takes_care_is_chosen_already_and_a_view_says_whose(hasty: tuple[Tenant, Sit]) -> None:
    tenant, sit = hasty
    given, free = (tenant.create("refund", declared_goal=f"Refund order {each}", agent_id="shop") for each in (7, 8))
    with tenant.client("ben") as ben:
        ben.assign_action(given, ben.get_own_key().key_id)
    desk = sit("operator")
    ready(desk)
    keyboard, page = desk.page.keyboard, desk.page
    colleagues = page.locator(".inbox-colleagues")
    for action_id, chosen in ((given, "the ben"), (free, "Nobody in particular")):
        row(desk, action_id).click()
        desk.settle()
        seen(desk, action_id)
        keyboard.press("I")
        expect(form(page)).to_contain_text("Who takes care of it?")
        expect(colleagues.locator("option")).not_to_have_count(1)
        expect(colleagues.locator("option:checked")).to_have_text(chosen)
        keyboard.press("Escape")
        expect(page.locator(".inbox-form")).to_have_count(0)
    for action_id in (given, free):
        row(desk, action_id).locator(".inbox-pick").click()
    keyboard.press("I")
    expect(form(page)).to_contain_text("Who takes care of these 2 requests?")
    expect(colleagues.locator("option")).not_to_have_count(1)
    expect(colleagues.locator("option:checked")).to_have_text("Nobody in particular")
    keyboard.press("Escape")
    page.get_by_role("radio", name="Nobody's").click()
    on_row(desk, "Refund order 8")
    desk.is_at("whose=free")
    desk.settle()
    page.locator(".inbox-saved").click()
    expect(page.locator(".inbox-views")).to_contain_text("newest first · nobody's · decided in the last day")
    assert faults(page) == []
