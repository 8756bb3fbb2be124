"""Told of what waits while one looks elsewhere: the number in the title, and a browser notice that was asked for."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.dashboard.browser.approval_page import ready
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

ELSEWHERE = """() => {
  document.hasFocus = () => false;
  window.made = [];
  window.Notification = class extends Notification {
    constructor(title, options) { super(title, options); window.made.push(options.body); }
  };
}"""


@deep("each page has one flow in the quick tier; node looks at the rules")
def test_the_title_counts_and_a_browser_notice_comes_once_it_was_asked_for(desk: Operator, tenant: Tenant) -> None:
    tenant.governed()
    tenant.create("pay", declared_goal="Pay 1")
    desk.page.context.grant_permissions(["notifications"])
    desk.sign_in(tenant.keys["operator"], "/approvals")
    ready(desk)
    expect(desk.page).to_have_title(re.compile(r"^\(1\) "))
    desk.page.evaluate(ELSEWHERE)
    tenant.create("pay", declared_goal="Pay 2")
    expect(desk.page).to_have_title(re.compile(r"^\(2\) "))
    assert desk.page.evaluate("window.made") == []
    desk.page.locator(".inbox-keys").click()
    expect(desk.page.locator(".inbox-sounds")).not_to_be_checked()
    button = desk.page.locator(".inbox-tells")
    expect(button).to_have_text("Tell me by a browser notice")
    button.click()
    expect(button).to_have_text("No browser notices any more")
    tenant.create("pay", declared_goal="Pay 3")
    expect(desk.page).to_have_title(re.compile(r"^\(3\) "))
    assert desk.page.evaluate("window.made") == ["3 requests wait"]
    desk.open("/ledger")
    desk.settle()
    expect(desk.page).not_to_have_title(re.compile(r"^\("))
