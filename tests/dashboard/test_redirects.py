"""Addresses that lead to a page, over HTTP."""

from __future__ import annotations

import httpx
import pytest

from assent_dashboard.pages import ENTRIES
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


def test_its_name_is_that_of_the_first_page() -> None:
    assert OPENING.removeprefix("/") == next(iter(ENTRIES))
