"""A change is seen, looked at closely, acknowledged; and a suggested scale is applied to a profile."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.dashboard.analysis.drifting import drifted
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep


def test_a_change_is_looked_at_and_acknowledged(desk: Operator, tenant: Tenant) -> None:
    alert = drifted(tenant)
    desk.sign_in(tenant.keys["operator"], "/drift?window=60d&agent_id=bot")
    card = desk.page.locator(f".st-key-drift_alert_{alert.id}")
    expect(card).to_contain_text("Risk went up")
    expect(card).to_contain_text("worse")
    series = desk.page.locator(".st-key-drift_series_picture")
    expect(series.locator("canvas, svg").first).to_be_visible()
    desk.is_at("window=60d")
    desk.is_at("agent_id=bot")
    expect(card.get_by_role("link", name="Actions since then")).to_have_attribute("href", re.compile("agent_id=bot"))
    expect(desk.page.locator(".st-key-drift_overview_picture").locator("canvas, svg").first).to_be_visible()
    desk.page.locator(".st-key-drift_values label").first.click()
    expect(desk.page.locator(".st-key-drift_ecdf_picture").locator("canvas, svg").first).to_be_visible()
    card.get_by_role("button", name="Remove").click()
    desk.sees("an admin key is needed")
    expect(desk.page.locator(f".st-key-drift_removed_{alert.id} button")).to_be_disabled()
    desk.page.keyboard.press("Escape")
    card.get_by_role("button", name="Acknowledge").click()
    desk.page.get_by_role("button", name="Acknowledge this alert").click()
    expect(card).to_have_count(0)
    desk.page.get_by_role("radio", name="Acknowledged").click()
    expect(card).to_be_visible()
    desk.is_at("alerts=acknowledged")


@deep("each page has one flow in the quick tier")
def test_an_alert_comes_to_an_open_page_by_itself(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"], "/drift")
    desk.sees("Nothing is watched yet")
    alert = drifted(tenant)
    expect(desk.page.locator(f".st-key-drift_alert_{alert.id}")).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_a_deep_link_restores_a_part_and_a_scale_is_applied(desk: Operator, tenant: Tenant) -> None:
    with tenant.client("admin", None) as client:
        for at in range(12):
            made = client.create_action("look", "See", agent_id="bot", confidence=80, risk_score=20 + at)
            client.update_outcome(made.action_id, status="completed", duration_ms=1000 + at)
        profile = client.create_scoring_profile("Mine")
        desk.sign_in(tenant.keys["admin"], "/scores?part=calibration&window=7d&failure=50")
        desk.heading("Is confidence earned?")
        expect(desk.page.get_by_label("A missed failure")).to_have_value("50.00")
        desk.page.get_by_role("button", name="Apply").click()
        desk.page.locator(".st-key-scores_apply_yes button").click()
        expect(desk.page.get_by_text("The profile does not measure it.")).to_have_count(0)
        assert [each.data_source for each in client.get_scoring_profile(profile.id).dimensions] == ["duration_ms"]
    desk.page.get_by_role("radio", name="Risk templates").click()
    desk.sees("No risk template yet")
    desk.is_at("part=templates")
    desk.is_at("window=7d")
