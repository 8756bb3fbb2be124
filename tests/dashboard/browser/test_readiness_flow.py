"""A new operator's first minutes: what the page says to do next, done, until the workspace is verified."""

from __future__ import annotations

import os
import subprocess
import sys

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.live import WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep


def test_from_the_first_start_to_a_verified_workspace(desk: Operator, tenant: Tenant) -> None:
    tenant.revoke("agent")  # which is bound to no agent, and would be something to settle
    before = tenant.recorded()
    desk.sign_in(tenant.keys["operator"])
    state, steps = desk.page.locator(".st-key-state"), desk.page.locator(".st-key-checks")
    expect(state).to_contain_text("Ready but not fully verified")
    expect(state).to_contain_text("Next: Run the connection test")
    expect(steps.locator(".st-key-step-connection_test")).to_contain_text("To do: Press the button above.")
    assert tenant.recorded() == before, "looking records nothing"

    desk.settle()
    desk.page.locator(".st-key-test-connection button").click()
    expect(state).to_contain_text("Verified")
    expect(state).to_contain_text("Next: Nothing to do.")
    expect(desk.page.locator(".st-key-connection").get_by_text("passed").first).to_be_visible()
    (action,) = tenant.call("GET", "/api/actions")["actions"]
    assert (action["action_type"], action["status"]) == ("connection_test", "completed")

    # The evidence can be seen where the step says.
    steps.locator(".st-key-step-connection_test a").click()
    desk.page.wait_for_url(f"**/ledger?action_id={action['action_id']}")
    desk.heading("Check that an action can be governed")
    desk.page.go_back()
    expect(state).to_contain_text("Verified")
    profiles = desk.page.locator(".st-key-profiles")
    for name in ("Local coding-assistant runtime", "Governed coding-agent runtime", "SDK service runtime"):
        expect(profiles.get_by_text(name)).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_the_first_agent_runs_what_the_page_gives_to_copy(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"])
    setup = desk.page.locator(".st-key-setup")
    code = setup.locator("code", has_text="from assent import Client").first
    expect(code).to_be_visible()
    copied = code.inner_text()
    assert tenant.service.base_url in copied
    environment = {**os.environ, "ASSENT_API_KEY": tenant.keys["agent"], "ASSENT_AGENT_ID": "my-agent"}
    subprocess.run([sys.executable, "-c", copied], env=environment, timeout=WAIT, check=True)
    desk.page.locator(".st-key-check-again button").click()
    expect(desk.page.locator(".st-key-share-governed")).to_contain_text("1 of 1")
    # Nothing on the page is a key, and none was asked for by address.
    shown = desk.page.content()
    assert not any(key in shown for key in tenant.keys.values())
    assert not any(key in url for key in tenant.keys.values() for url in desk.asked)


@deep("each page has one flow in the quick tier")
def test_the_page_says_what_is_the_matter(desk: Operator, tenant: Tenant) -> None:
    tenant.call("POST", "/api/halt", {"reason": "Incident 4711"}, key="operator")
    desk.sign_in(tenant.keys["operator"])
    desk.sees("Needs attention")
    expect(desk.page.locator(".st-key-checks").get_by_text("Incident 4711")).to_be_visible()
