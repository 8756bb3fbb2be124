"""Policies in a browser: edited, backtested, saved, and followed by the next guard call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.dashboard.browser.dashboard import Operator
from tests.dashboard.browser.dashboard import choose as take
from tests.stories.tenant import Tenant
from tests.tiers import deep


def there(place: Locator) -> None:
    expect(place).to_be_visible()


def press(page: Page, key: str) -> None:
    button = page.locator(f".st-key-{key} button").first
    expect(button).to_be_enabled()
    button.click()


def write(page: Page, key: str, text: str, kind: str = "input") -> None:
    page.locator(f".st-key-{key} {kind}").fill(text)
    page.locator(f".st-key-{key} {kind}").press("Control+Enter" if kind == "textarea" else "Enter")


def choose(page: Page, key: str, option: str) -> None:
    take(page.locator(f".st-key-{key} [data-baseweb=select], .st-key-{key} input").first, option)


def sentence(page: Page, text: str) -> None:
    expect(page.locator(".st-key-policy_sentence")).to_contain_text(text)


def yaml(page: Page) -> Locator:
    return page.locator(".st-key-policy_yaml textarea")


def guard(tenant: Tenant, action_type: str, **members: Any) -> str:
    body = {"action_type": action_type, "agent_id": "bot", **members}
    return str(tenant.call("POST", "/api/guard", body, key="agent")["decision"])


def traffic(tenant: Tenant) -> None:
    """Thirty decisions, ten of them on refunds that went wrong."""
    for number in range(30):
        kind = "refund" if number % 3 == 0 else "look"
        action_id = tenant.create(kind, agent_id="bot", metadata={"amount": number})
        status = "failed" if kind == "refund" else "completed"
        tenant.call("PATCH", f"/api/actions/{action_id}", {"status": status})


def test_a_policy_is_edited_backtested_saved_and_followed(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    policy_id = tenant.policy("Ask before money", "require_approval", {"action_types": ["pay"]})
    traffic(tenant)
    page = desk.page
    desk.sign_in(tenant.keys["admin"], "/policies")
    card = page.locator(f".st-key-policy-{policy_id}")
    expect(card).to_contain_text("Asks a person before pay.")
    expect(card).to_contain_text("matches 0 of 30 decisions")
    press(page, f"policy_edit_{policy_id}")
    expect(page).to_have_url(re.compile(f"policy_id={policy_id}"))
    choose(page, "policy_rule_action_types", "refund")
    sentence(page, "Asks a person before pay or refund.")
    page.keyboard.press("Escape")
    page.get_by_role("tab", name="YAML").click()
    expect(yaml(page)).to_have_value(re.compile(r"- pay\n\s+- refund"))
    assert guard(tenant, "refund") == "allow", "a draft is nobody's policy yet"
    press(page, "policy_backtest")
    found = page.locator(".st-key-policy_diff")
    expect(found).to_contain_text("11 more asked a person, 11 fewer allowed")
    expect(found).to_contain_text("10 of 10")
    there(found.get_by_text("What was decided, and what would be").first)
    alternative = re.compile("11 of 31 change. 11 from allow to require approval")
    expect(found.get_by_role("button", name=alternative).first, "the picture has its words").to_be_attached()
    press(page, "policy_save")
    desk.sees("The next guard call follows it.")
    assert guard(tenant, "refund") == "require_approval"
    expect(page).not_to_have_url(re.compile("policy_id="))
    page.reload()
    expect(card).to_contain_text("Asks a person before pay or refund.")


@deep("each page has one flow in the quick tier")
def test_a_changed_decision_leads_to_the_ledger(desk: Operator, tenant: Tenant) -> None:
    traffic(tenant)
    page = desk.page
    desk.sign_in(tenant.keys["operator"], "/policies?policy_id=new")
    write(page, "policy_name", "Block refunds")
    choose(page, "policy_type", "Block types of action")
    choose(page, "policy_rule_action_types", "refund")
    sentence(page, "Blocks refund.")
    page.keyboard.press("Escape")
    press(page, "policy_backtest")
    changed = page.locator(".st-key-policy_changed")
    there(changed.get_by_role("link", name="Ledger").first)
    changed.get_by_role("link", name="Ledger").first.click()
    expect(page).to_have_url(re.compile(r"/ledger\?.*action_id=act_"))


@deep("each page has one flow in the quick tier")
def test_yaml_that_cannot_be_read_is_told_and_the_form_stays(desk: Operator, tenant: Tenant) -> None:
    policy_id = tenant.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    page = desk.page
    desk.sign_in(tenant.keys["admin"], f"/policies?policy_id={policy_id}")
    page.get_by_role("tab", name="YAML").click()
    desk.settle()
    good = yaml(page).input_value()
    write(page, "policy_yaml", good.replace("    threshold", "\tthreshold"), "textarea")
    desk.sees("Line 6:")
    expect(page.locator(".st-key-policy_save button")).to_be_disabled()
    page.get_by_role("tab", name="Form").click()
    expect(page.locator(".st-key-policy_rule_threshold input")).to_have_value("60")
    page.get_by_role("tab", name="YAML").click()
    write(page, "policy_yaml", good.replace("60", "75"), "textarea")
    sentence(page, "Asks a person when the risk is 75 or more.")
    page.get_by_role("tab", name="Form").click()
    expect(page.locator(".st-key-policy_rule_threshold input")).to_have_value("75")


@deep("each page has one flow in the quick tier")
def test_a_new_policy_observes_until_it_is_enforced(desk: Operator, tenant: Tenant) -> None:
    page = desk.page
    desk.sign_in(tenant.keys["admin"], "/policies")
    press(page, "policies_new")
    write(page, "policy_name", "Watch high risk")
    write(page, "policy_rule_threshold", "0")
    sentence(page, "Asks a person when the risk is 0 or more.")
    desk.sees("It matches every action")
    press(page, "policy_save")
    press(page, "policy_save_anyway")
    desk.sees("Saved: Watch high risk")
    assert guard(tenant, "look") == "allow"
    found = next(each for each in tenant.call("GET", "/api/policies")["policies"] if each["name"] == "Watch high risk")
    page.locator(".st-key-policies_again button").click()
    card = page.locator(f".st-key-policy-{found['policy_id']}")
    expect(card).to_contain_text("would have asked about 1 of 1 decision since")
    press(page, f"policy_mode_{found['policy_id']}")
    there(page.get_by_role("dialog"))
    press(page, "policy_confirm")
    # Its words alone would not do: the buttons Enforce and Delete read as Enforced, too.
    expect(card.locator(f".st-key-policy_mode_{found['policy_id']}")).to_contain_text("Observe")
    assert guard(tenant, "look") == "require_approval"


@deep("each page has one flow in the quick tier")
def test_an_operator_sees_why_saving_is_not_hers(desk: Operator, tenant: Tenant) -> None:
    policy_id = tenant.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    page = desk.page
    desk.sign_in(tenant.keys["operator"], f"/policies?policy_id={policy_id}&window=7d")
    write(page, "policy_rule_threshold", "50")
    sentence(page, "50 or more")
    desk.sees("saving needs an admin key")
    expect(page.locator(".st-key-policy_save button")).to_be_disabled()
    press(page, "policy_backtest")
    desk.sees("There are no decisions in the last 7 days to try it on.")


@deep("each page has one flow in the quick tier")
def test_two_admins_at_one_policy(new_desk: Callable[..., Operator], tenant: Tenant) -> None:
    tenant.add_key("Nora", "admin")
    policy_id = tenant.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    quick, slow = new_desk(), new_desk()
    for desk, key, risk in ((slow, "admin", "70"), (quick, "Nora", "50")):
        desk.sign_in(tenant.keys[key], f"/policies?policy_id={policy_id}")
        write(desk.page, "policy_rule_threshold", risk)
        sentence(desk.page, f"{risk} or more")
    for desk in (quick, slow):
        press(desk.page, "policy_save")
        press(desk.page, "policy_save_anyway")
    slow.sees("the Nora changed this policy")
    assert tenant.call("GET", "/api/policies")["policies"][-1]["rules"]["threshold"] == 50
    slow.page.get_by_role("tab", name="YAML").click()
    expect(yaml(slow.page)).to_have_value(re.compile("threshold: 70"))
    press(slow.page, "policy_save_over")
    slow.sees("The next guard call follows it.")
    assert tenant.call("GET", "/api/policies")["policies"][-1]["rules"]["threshold"] == 70
