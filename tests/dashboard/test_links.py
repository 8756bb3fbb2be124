"""Links to other pages, with and without a navigation around them."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from streamlit.testing.v1 import AppTest

from tests.live import WAIT


def bare() -> None:
    from assent_dashboard.views.addresses import DriftAddress, LedgerAddress, SettingsAddress
    from assent_dashboard.views.links import to_ledger, to_page, to_proof

    to_ledger("act_1")
    to_proof("act_2", "Its proof")
    to_page(DriftAddress, "Drift", agent_id="a&b=c d", window="7d")
    to_page(SettingsAddress, "Settings")
    to_page(LedgerAddress(agent_id="a-1"), "A whole look")


def navigated() -> None:
    import streamlit as st

    from assent_dashboard.views.addresses import AgentsAddress
    from assent_dashboard.views.links import remember, to_ledger, to_page

    def here() -> None:
        to_ledger("act_1", "In the ledger")
        to_page(AgentsAddress, "Nowhere", provider="b")

    pages = {"home": st.Page(here, url_path="home", default=True), "ledger": st.Page(lambda: None, url_path="ledger")}
    remember(pages)
    st.navigation(list(pages.values())).run()


def run(script: Any) -> AppTest:
    app = AppTest.from_function(script, default_timeout=WAIT)
    app.run()
    assert not app.exception
    return app


def test_a_page_that_stands_alone_has_plain_links() -> None:
    links = [str(each.value) for each in run(bare).markdown]
    assert links[0] == "[Details](/ledger?action_id=act_1)"
    assert links[1] == "[Its proof](/proof?action=act_2)"
    assert links[3] == "[Settings](/settings)"
    assert links[4] == "[A whole look](/ledger?window=7d&agent_id=a-1)"
    address = urlsplit(links[2].partition("](")[2].removesuffix(")"))
    assert (address.path, parse_qs(address.query)) == ("/drift", {"agent_id": ["a&b=c d"], "window": ["7d"]})


def test_a_page_of_the_navigation_is_reached_without_loading_it_anew() -> None:
    app = run(navigated)
    (link,) = app.get("page_link")
    assert (link.proto.label, link.proto.query_string, link.proto.page) == (
        "In the ledger",
        "action_id=act_1",
        "ledger",
    )
    assert [str(each.value) for each in app.markdown] == ["[Nowhere](/agents?provider=b)"]
