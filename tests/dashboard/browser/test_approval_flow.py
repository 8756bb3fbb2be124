"""Operators decide in browsers while real agents wait in processes of their own."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import card, confirm, give_reason, press
from tests.dashboard.browser.dashboard import Operator
from tests.live import LiveService
from tests.stories.tenant import Tenant
from tests.stories.waiting_agent import waiting_agent
from tests.tiers import deep


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
        expect(card(desk, first)).to_be_visible()
        expect(card(desk, second)).to_be_visible()
        press(desk, "allow", first)
        assert tenant.action(first)["status"] == "pending_approval", "one press decides nothing"
        give_reason(desk.page, "Seen and fine")
        confirm(desk.page)
        expect(card(desk, first)).to_be_hidden()
        assert allowed.ended()["status"] == "running"
        press(desk, "deny", second)
        give_reason(desk.page, "Not on a Friday")
        confirm(desk.page)
        expect(card(desk, second)).to_be_hidden()
        assert denied.ended() == {
            "error": "ApprovalDeniedError",
            "decision": "deny",
            "reasoning": "Not on a Friday",
        }
    own = tenant.call("GET", "/api/keys/own", key="operator")["name"]
    for action_id, state in ((first, "approved"), (second, "denied")):
        approval = tenant.call("GET", f"/api/actions/{action_id}")["approval"]
        assert (approval["state"], approval["decided_by"]) == (state, own)
    assert tenant.call("GET", f"/api/actions/{first}")["approval"]["reasoning"] == "Seen and fine"


@deep("each page has one flow in the quick tier")
def test_a_denial_needs_words(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    action_id = tenant.create("pay")
    desk.sign_in(tenant.keys["operator"], "/approvals")
    press(desk, "deny", action_id)
    confirm(desk.page)
    expect(desk.page.get_by_role("dialog")).to_be_visible()
    assert tenant.action(action_id)["status"] == "pending_approval"


@deep("each page has one flow in the quick tier")
def test_the_loser_of_a_race_sees_who_decided(new_desk: Callable[..., Operator], tenant: Tenant) -> None:
    tenant.governed()
    tenant.add_key("Nora of the night shift", "operator")
    action_id = tenant.create("pay")
    quick, slow = new_desk(), new_desk()
    quick.sign_in(tenant.keys["Nora of the night shift"], "/approvals")
    slow.sign_in(tenant.keys["operator"], "/approvals")
    for desk, verdict in ((quick, "deny"), (slow, "allow")):
        press(desk, verdict, action_id)
        give_reason(desk.page, f"My reason to {verdict}")
    confirm(quick.page)
    expect(card(quick, action_id)).to_be_hidden()
    confirm(slow.page)
    dialog = slow.page.get_by_role("dialog")
    expect(dialog.get_by_text("Nora of the night shift").first).to_be_visible()
    expect(dialog.get_by_text("My reason to deny").first).to_be_visible()
    assert tenant.action(action_id)["status"] == "cancelled"


@deep("each page has one flow in the quick tier")
def test_what_happens_elsewhere_shows_on_an_open_page(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    desk.sign_in(tenant.keys["operator"], "/approvals")
    desk.heading("Approvals")
    action_id = tenant.create("pay")
    expect(card(desk, action_id)).to_be_visible()
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    expect(card(desk, action_id)).to_be_hidden()
    # Gone from the inbox, and among what was decided.
    expect(desk.page.locator(f".st-key-decided-{action_id}")).to_be_visible()
