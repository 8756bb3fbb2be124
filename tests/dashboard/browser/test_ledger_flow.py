"""Links into the ledger: a filtered list, an action, and the way back."""

from __future__ import annotations

import httpx
from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.live import LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep


def test_a_deep_link_leads_into_a_filtered_ledger(desk: Operator, tenant: Tenant) -> None:
    for agent, kind in (("a-1", "look"), ("a-1", "write"), ("a-1", "look"), ("a-2", "look")):
        tenant.create(kind, agent_id=agent)
    desk.sign_in(tenant.keys["operator"], "/ledger?window=7d&agent_id=a-1&action_type=look")
    desk.heading("Ledger")
    desk.sees("2 actions")
    desk.is_at("agent_id=a-1")
    desk.open("/ledger?window=7d&view=decisions")
    desk.sees("4 decisions")


@deep("each page has one flow in the quick tier")
def test_a_deep_link_restores_every_filter(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    tenant.create("look", agent_id="a-1")
    tenant.create("pay", agent_id="a-1", declared_goal="Pay invoice 7")
    query = "window=90d&agent_id=a-1&action_type=pay&status=pending_approval&decision=require_approval"
    desk.sign_in(tenant.keys["operator"], f"/ledger?{query}")
    desk.sees("1 action")
    for key, shown in (
        ("window", "Last 90 days"),
        ("agent_id", "a-1"),
        ("action_type", "pay"),
        ("status", "pending approval"),
        ("decision", "require approval"),
    ):
        box = desk.page.locator(f".st-key-ledger_{key} input")
        expect(box).to_have_value(shown)
    assert desk.page.url == f"{desk.address}/ledger?{query}"


@deep("each page has one flow in the quick tier")
def test_an_address_with_nonsense_says_so_and_shows_the_usual(desk: Operator, tenant: Tenant) -> None:
    tenant.create("look")
    desk.sign_in(tenant.keys["operator"], "/ledger?window=0d&status=asleep")
    desk.sees("0d")
    desk.sees("asleep")
    desk.sees("1 action")


@deep("each page has one flow in the quick tier")
def test_a_replay_link_lands_on_the_action(desk: Operator, tenant: Tenant, page_service: LiveService) -> None:
    action_id = tenant.create("look", declared_goal="Find the lost parcel")
    tenant.call("POST", "/api/assumptions", {"action_id": action_id, "assumption": "It was sent on Monday"})
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed", "output_summary": "It is in Lyon"})
    led = httpx.get(f"{page_service.base_url}/replay/{action_id}", trust_env=False)
    assert led.status_code == 302
    path = led.headers["location"].removeprefix("http://127.0.0.1:8485")
    assert path == f"/ledger?action_id={action_id}"
    desk.sign_in(tenant.keys["operator"], path)
    desk.heading("Find the lost parcel")
    for text in ("It was sent on Monday", "It is in Lyon"):
        desk.sees(text)
    expect(desk.page.locator(".st-key-action_replay canvas, .st-key-action_replay svg").first).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_an_action_that_is_not_there_is_told_in_words(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"], "/ledger?action_id=act_of_nobody")
    desk.sees("act_of_nobody")
    expect(desk.page.locator(".stException")).to_have_count(0)
