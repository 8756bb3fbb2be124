"""The approvals page as an operator's hands find it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.dashboard.browser.dashboard import Operator


def card(desk: Operator, action_id: str) -> Locator:
    """Whichever way it is shown: open, in short, or as one of identical ones."""
    return desk.page.locator(f".st-key-approval-{action_id}, .st-key-one-{action_id}").first


def press(desk: Operator, verdict: str, action_id: str) -> None:
    desk.page.locator(f".st-key-{verdict}-{action_id} button").click()
    dialog(desk.page)


def dialog(page: Page) -> Locator:
    found = page.get_by_role("dialog")
    expect(found).to_be_visible()
    return found


def give_reason(page: Page, text: str) -> None:
    page.locator(".st-key-reasoning textarea").fill(text)


def confirm(page: Page) -> None:
    page.locator(".st-key-confirm button").click()


def on_card(desk: Operator, goal: str) -> None:
    """The cursor is on the card with this goal, which stands in the window."""
    found = desk.page.locator('.st-key-current [class*="st-key-goal-"]')
    expect(found).to_have_text(goal)
    expect(found).to_be_in_viewport()


def ready(desk: Operator) -> None:
    """The page is drawn to its end, and listens to its keys."""
    desk.settle()
    expect(desk.page.locator(".st-key-earlier")).to_be_visible()
    desk.page.wait_for_timeout(500)
