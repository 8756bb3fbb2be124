"""Addresses that lead to a page, over HTTP."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest

from assent_dashboard.entries import ENTRIES
from assent_dashboard.redirects import OPENING
from tests.live import WAIT
from tests.stories.tenant import Tenant

HTML = {"accept": "text/html"}


@pytest.mark.parametrize(
    ("path", "ledger"),
    [
        ("/replay/act_1", "/ledger?action_id=act_1"),
        ("/replay/a%20b%26c", "/ledger?action_id=a+b%26c"),
        ("/replay//evil.invalid", "/ledger?action_id=%2Fevil.invalid"),
        ("/replay/", "/ledger?"),
    ],
)
def test_a_replay_link_leads_through_the_sign_in_to_the_ledger(
    page_dashboard: str, house: Tenant, path: str, ledger: str
) -> None:
    with httpx.Client(base_url=page_dashboard, trust_env=False, timeout=WAIT, headers=HTML) as browser:
        without = browser.get(path)
        assert without.status_code == 303
        onward = without.headers["location"]
        assert onward.startswith("/sign-in?next=%2Freplay%2F")
        assert browser.post("/sign-in", data={"key": house.keys["operator"]}).status_code == 303
        led = browser.get(path)
        assert (led.status_code, led.headers["location"]) == (303, ledger)


def test_the_opening_page_is_found_by_its_name(page_dashboard: str, house: Tenant) -> None:
    with httpx.Client(base_url=page_dashboard, trust_env=False, timeout=WAIT, headers=HTML) as browser:
        assert browser.post("/sign-in", data={"key": house.keys["operator"]}).status_code == 303
        led = browser.get("/readiness?window=7d")
        assert (led.status_code, led.headers["location"]) == (303, "/?window=7d")
        # Its path is the first of the pages', which Streamlit serves at the root alone.
        assert browser.get("/").status_code == 200


@pytest.fixture
def browser(page_dashboard: str, house: Tenant) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=page_dashboard, trust_env=False, timeout=WAIT, headers=HTML) as opened:
        assert opened.post("/sign-in", data={"key": house.keys["operator"]}).status_code == 303
        yield opened


@pytest.mark.parametrize(
    "path", ["/nonsense", "/approvals/act_1", "/actions?window=7d", "/Approvals", "/read%69ness%00", "/<b>x</b>"]
)
def test_an_address_that_is_no_page_says_so_and_names_the_pages(browser: httpx.Client, path: str) -> None:
    answer = browser.get(path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "<h1>There is no such page</h1>" in answer.text
    assert "<b>" not in answer.text
    links = re.findall(r'<a href="/([^"]*)">([^<]+)</a>', answer.text)
    assert links == [(path, entry.title) for path, entry in ENTRIES.items()]
    for linked, _ in links:
        assert browser.get(f"/{linked}", follow_redirects=True).status_code == 200


def test_what_no_page_is_and_no_browser_opens_stays_what_it_was(browser: httpx.Client) -> None:
    assert browser.get("/_stcore/host-config").status_code == 200
    assert browser.get("/favicon.png", headers={"accept": "image/png"}).headers["content-type"] == "image/png"
    assert browser.get("/approvals/", follow_redirects=True).status_code == 200
    assert browser.get("/notices/nonsense").text.count("This link leads no further") == 1
    assert browser.get("/sign-out").status_code == 303


def test_an_unknown_address_is_told_nobody_who_has_not_signed_in(page_dashboard: str) -> None:
    answer = httpx.get(f"{page_dashboard}/nonsense", headers=HTML, trust_env=False, timeout=WAIT)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=%2Fnonsense")


def test_its_name_is_that_of_the_first_page() -> None:
    assert OPENING.removeprefix("/") == next(iter(ENTRIES))
