"""The approvals page as an operator's hands find it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.dashboard.browser.dashboard import Operator


def row(desk: Operator, action_id: str) -> Locator:
    return desk.page.locator(f"#inbox-option-{action_id}")


def detail(desk: Operator, action_id: str) -> Locator:
    """The request beside the list."""
    return desk.page.locator(f'.inbox-detail[data-id="{action_id}"]')


def open_request(desk: Operator, action_id: str) -> Locator:
    """Beside the list, with what stands behind it."""
    row(desk, action_id).click()
    found = detail(desk, action_id)
    expect(found).to_be_visible()
    expect(found.locator(".inbox-part").first).to_be_visible()
    return found


def press(desk: Operator, button: str, action_id: str) -> None:
    """`allow`, `deny` or `more`."""
    found = open_request(desk, action_id)
    seen(desk, action_id)
    breath(desk)
    found.locator(f".inbox-{button}").click()


def breath(desk: Operator) -> None:
    """The same key or button sooner after itself than a hand is would count once."""
    desk.page.wait_for_timeout(200)


def form(page: Page) -> Locator:
    """It stands there; one that decides was seen to its end, as it has to be before it does."""
    found = page.locator(".inbox-form")
    expect(found).to_be_visible()
    expect(page.locator('.inbox-form:not([data-seen=""])')).to_be_attached()
    return found


def seen(desk: Operator, action_id: str) -> None:
    """The request has been painted beside the list with its arguments: a key that comes before decides nothing."""
    expect(detail(desk, action_id)).to_be_visible()
    whole(desk)
    desk.page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
    )


def whole(desk: Operator) -> None:
    """The arguments of the request beside the list were in sight to their end: nothing is allowed before."""
    expect(desk.page.locator('.inbox-detail[data-whole="yes"]')).to_be_attached()


def give_reason(page: Page, text: str) -> None:
    page.locator(".inbox-reason").fill(text)


def confirm(page: Page) -> None:
    page.locator(".inbox-confirm").click()


def on_row(desk: Operator, goal: str) -> None:
    """The cursor is on the request with this goal, in the list and beside it, and both stand in the window."""
    current = desk.page.locator(".inbox-current .inbox-goal")
    expect(current).to_have_text(goal)
    expect(current).to_be_in_viewport()
    expect(desk.page.locator(".inbox-title")).to_have_text(goal)
    whole(desk)


def said(desk: Operator) -> Locator:
    """What the last press did."""
    return desk.page.locator(".inbox-said")


def ready(desk: Operator) -> None:
    """The page is drawn to its end, and listens to its keys."""
    desk.settle()
    whole(desk)
    expect(desk.page.locator(".inbox-list")).to_be_focused()
