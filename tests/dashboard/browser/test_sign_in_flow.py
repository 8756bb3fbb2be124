"""Signing in and out, as a person does it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep


def test_an_operator_signs_in_stays_after_a_reload_and_signs_out(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"])
    desk.heading("Readiness")
    desk.sees("Signed in as")
    desk.page.reload()
    desk.heading("Readiness")
    cookies = desk.page.context.cookies()
    session = next(cookie for cookie in cookies if cookie["name"].startswith("assent_session"))
    assert session["httpOnly"] is True
    assert session["sameSite"] == "Lax"
    desk.page.get_by_text("Sign out").click()
    expect(desk.page.locator("#key")).to_be_visible()
    desk.open("/approvals")
    expect(desk.page.locator("#key")).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_the_key_is_nowhere_in_the_browser(desk: Operator, tenant: Tenant) -> None:
    key = tenant.keys["operator"]
    desk.sign_in(key)
    desk.heading("Readiness")
    held = desk.page.evaluate(
        "() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, document.body.innerHTML])"
    )
    assert key not in held
    assert all(key not in url for url in desk.asked)
    assert all(key not in str(cookie["value"]) for cookie in desk.page.context.cookies())


@deep("each page has one flow in the quick tier")
def test_a_wrong_key_and_an_agents_key_are_refused_in_words(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in("assent_no_such_key")
    desk.sees("does not know this key")
    desk.page.fill("#key", tenant.keys["agent"])
    desk.page.click("button[type=submit]")
    desk.sees("This is a key of role agent")
    desk.open("/")
    expect(desk.page.locator("#key")).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_a_deep_link_is_kept_through_the_sign_in(new_desk: Callable[..., Operator], tenant: Tenant) -> None:
    desk = new_desk()
    desk.sign_in(tenant.keys["operator"], "/ledger?window=7d&agent_id=a-1")
    desk.heading("Ledger")
    assert desk.page.url == f"{desk.address}/ledger?window=7d&agent_id=a-1"
