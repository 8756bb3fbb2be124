"""An operator reads what agents learned, switches a recommendation off, and sees that it holds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep


def test_a_recommendation_is_switched_off_and_stays_off(desk: Operator, tenant: Tenant) -> None:
    now = datetime.now(UTC)
    for day in range(1, 7):
        at = (now - timedelta(days=day)).isoformat()
        tenant.create(
            "refund",
            key="admin",
            agent_id="bot",
            source="import",
            occurred_at=at,
            status="completed",
            declared_goal="Help",
        )
    (advice,) = tenant.call("GET", "/api/learning/recommendations")["recommendations"]
    desk.sign_in(tenant.keys["operator"], "/learning?window=30d&agent_id=bot")
    desk.open("/learning?window=30d&agent_id=bot")
    card = desk.page.locator(f".st-key-learning_advice_{advice['id']}")
    expect(card).to_contain_text("active")
    # The picture says in words what it shows.
    expect(desk.page.locator(".st-key-learning_curves [aria-label*='bot, refund']").first).to_be_attached()
    card.locator("button").click()
    desk.page.locator(".st-key-learning_confirm button").click()
    expect(card).to_contain_text("off")
    expect(desk.page.get_by_text("Switched off at")).to_be_visible()
    assert tenant.call("GET", "/api/learning/recommendations")["total"] == 0
    desk.page.reload()
    expect(card).to_contain_text("Switch on")
    desk.is_at("agent_id=bot")


@deep("each page has one flow in the quick tier")
def test_what_is_missing_leads_into_the_ledger(desk: Operator, tenant: Tenant) -> None:
    owed = tenant.create("refund", agent_id="bot", declared_goal="Refund order 4711", risk_score=90)
    tenant.call("PATCH", f"/api/actions/{owed}", {"status": "completed", "output_summary": "done"})
    desk.sign_in(tenant.keys["operator"])
    desk.open("/pcaa?window=7d&agent_id=bot")
    gap = desk.page.locator(".st-key-pcaa_gap_0")
    expect(gap).to_contain_text("Assumption is missing from 1 of 1 action")
    gap.get_by_text("The newest").click()
    desk.page.wait_for_url(f"**/ledger?action_id={owed}")
    desk.heading("Refund order 4711")
