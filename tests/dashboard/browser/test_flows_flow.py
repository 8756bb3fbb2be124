"""An operator comes from what waits to its session, sees where the account came from, and takes a label off."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

IBAN = "DE89370400440532013000"
PROSE = f"The open amount is 98.70; kindly pay it to {IBAN} by the end of the week, and be well."


@deep("a browser")
def test_a_session_is_seen_as_a_flow_and_its_label_is_taken_off_by_keyboard(desk: Operator, tenant: Tenant) -> None:
    tenant.policy("Where values come from", "flow", {})
    with tenant.client(agent_id="payer") as client, client.session("bill-17"):
        client.user_said("Please pay the bill in bill.txt")
        client.tool_answered("read_file", PROSE, arguments=["path"])
        waits = client.create_action("send_money", "Pay the bill", parameters={"recipient": IBAN}).action_id
    desk.sign_in(tenant.keys["operator"], f"/approvals?action_id={waits}")
    page = desk.page
    page.get_by_role("link", name="Its session, step by step").click()
    desk.is_at("/flows?session_id=bill-17")
    desk.settle()
    expect(page.locator(".st-key-flow_sentence")).to_contain_text("Of 1 call 1 was stopped. send_money at step 3 waits")
    # The picture says in words what it shows.
    expect(
        page.locator(".st-key-flow_chart_picture [aria-label*='2 read_file answered with text']").first
    ).to_be_attached()
    stopped = page.locator(".st-key-flow_step_3")
    expect(stopped).to_contain_text(
        f"recipient “{IBAN}”: This account number appears only in the text of what read_file"
    )

    # Everything from here on by keys.
    opener = page.locator(".st-key-flow_labels button").first
    opener.focus()
    page.keyboard.press("Enter")
    labels = page.locator(".st-key-flow_label input").first
    labels.focus()
    page.keyboard.type("untrusted")
    page.keyboard.press("Enter")
    # The button comes alive when the choice is drawn; before, keys to it are lost.
    take_off = page.locator(".st-key-flow_remove button")
    expect(take_off).to_be_enabled()
    reason = page.locator(".st-key-flow_reason textarea")
    reason.focus()
    page.keyboard.type("The file is our own.")
    page.keyboard.press("Control+Enter")
    take_off.focus()
    expect(take_off).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-flow_sentence")).to_contain_text("It carries no label.")
    expect(page.locator(".st-key-flow_steps")).to_contain_text(
        "An operator took untrusted_seen off: “The file is our own.”"
    )

    stopped.get_by_role("link", name="In the ledger").click()
    desk.is_at(f"action_id={waits}")
    page.get_by_role("link", name="Its session, step by step").click()
    desk.is_at("/flows?session_id=bill-17")
