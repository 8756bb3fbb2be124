"""The link of a notice over HTTP, against a dashboard in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.live import WAIT
from tests.stories.asks.webhooks import link
from tests.stories.tenant import Tenant

HTML = {"accept": "text/html"}


@pytest.fixture
def browser(page_dashboard: str) -> Iterator[httpx.Client]:
    """Keeps cookies and does not follow redirects."""
    with httpx.Client(base_url=page_dashboard, trust_env=False, timeout=WAIT, headers=HTML) as client:
        yield client


def sign_in(browser: httpx.Client, key: str) -> None:
    assert browser.post("/sign-in", data={"key": key}).status_code == 303


def test_a_link_leads_through_the_sign_in_to_the_request_once(browser: httpx.Client, house: Tenant) -> None:
    before = house.recorded()
    path = f"/notices/{link(house)}"
    without = browser.get(path)
    assert without.status_code == 303
    onward = without.headers["location"]
    assert onward.startswith("/sign-in?next=%2Fnotices%2Fwh_")
    sign_in(browser, house.keys["operator"])
    led = browser.get(onward)
    assert led.headers["location"] == path
    # Neither fetches the page for a person.
    assert browser.head(path).status_code == 503
    assert browser.get(path, headers={"sec-purpose": "prefetch"}).status_code == 503
    found = browser.get(path)
    assert found.status_code == 303
    assert found.headers["location"] == f"/approvals?window=1d&action_id={created(house, before)}"
    browser.post("/sign-out")
    sign_in(browser, house.keys["admin"])
    again = browser.get(path)
    assert again.status_code == 409
    assert "This link was followed at" in again.text
    assert '<a href="/approvals">' in again.text


def created(house: Tenant, before: int) -> str:
    """The action that was created first since then."""
    return str(next(house.client("admin", None).events("action.created", last_event_id=before - 1)).data["action_id"])


@pytest.mark.parametrize("path", ["wh_1.7.4000000000.c2ln", "%3Cscript%3E", "a.b.c.d"])
def test_a_link_that_nobody_signed(browser: httpx.Client, house: Tenant, path: str) -> None:
    sign_in(browser, house.keys["operator"])
    answer = browser.get(f"/notices/{path}")
    assert answer.status_code == 404
    assert "No notice of this organization has this link." in answer.text
    assert "<script" not in answer.text


def test_another_page_may_not_follow_it(browser: httpx.Client, house: Tenant) -> None:
    sign_in(browser, house.keys["operator"])
    answer = browser.get("/notices/wh_1.7.4000000000.c2ln", headers={"origin": "https://evil.invalid"})
    assert answer.status_code == 403
