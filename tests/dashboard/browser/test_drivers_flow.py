"""An operator asks what moved the failures, and what a policy against it would have caused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.dashboard.browser.test_policies_flow import press
from tests.stories.tenant import Tenant


def test_what_moved_leads_to_what_a_policy_would_cause(desk: Operator, tenant: Tenant) -> None:
    now = datetime.now(UTC)
    for later in (False, True):
        for session in range(12):
            for kind in ("deploy", "mail"):
                failed = kind == "deploy" and (session < 11 if later else session < 2)
                tenant.create(
                    kind,
                    agent_id="bot",
                    session_id=f"{later}-{session}",
                    timestamp_start=(now - timedelta(days=3 if later else 10, minutes=session)).isoformat(),
                    status="failed" if failed else "completed",
                )
    policy_id = tenant.policy("No deployments", "block_action_type", {"action_types": ["deploy"]}, mode="observe")
    desk.sign_in(tenant.keys["operator"], "/drivers?window=7d")
    page = desk.page
    expect(page.locator(".st-key-drivers_sentence")).to_contain_text("type deploy went from 16.7% to 91.7%")
    expect(page.locator(".st-key-drivers_basis")).to_contain_text("24 and 24 actions that ended in 24 clusters")
    # The picture says in words what it shows.
    expect(page.locator(".st-key-drivers_waterfall_picture [aria-label*='type deploy']").first).to_be_attached()
    page.get_by_role("link", name="What changes of rules moved").click()
    press(page, f"policy_edit_{policy_id}")
    page.get_by_role("radio", name="What it would cause").click()
    press(page, "policy_value")
    basis = page.locator(".st-key-policy_value_basis")
    # All 48 decisions: 24 deployments would be blocked, of which 11 ended well.
    expect(basis).to_contain_text("Blocks 24 of 48 decisions (50 %)")
    expect(basis).to_contain_text("Work is lost: 11 of 48 decisions")
    expect(page.locator(".st-key-policy_value_so")).to_contain_text("cannot be said from this")
