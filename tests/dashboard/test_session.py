"""The session of a page: a tab that lost its connection comes back with the cookie of whoever has signed in since."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import pytest
from streamlit.testing.v1 import AppTest

from assent import Client, Key, Role
from assent_dashboard.feed import Feed
from assent_dashboard.sessions import STATE, Session
from tests.live import WAIT


def script() -> None:
    import streamlit as st

    from assent_dashboard.sessions import current

    session = current()
    kept = st.session_state.get("kept")
    if session is not None and kept is None:
        st.session_state["kept"] = f"what {session.name} saw"
    st.text_input("Reason", key="reason")
    st.text(str(st.session_state.get("kept")))


def session_of(name: str) -> Session:
    key = Key(
        org_id="org_1",
        key_id=f"key_{name}",
        name=name,
        role=Role.OPERATOR,
        agent_id=None,
        hint="0000",
        created_at=datetime(2026, 11, 20, tzinfo=UTC),
        created_by="admin",
        revoked_at=None,
        revoked_by=None,
    )
    return Session(key=key, client=cast(Client, None), feed=cast(Feed, None), used=0.0)


@pytest.fixture
def page() -> AppTest:
    return AppTest.from_function(script, default_timeout=WAIT)


def saw(page: AppTest) -> str:
    page.run()
    assert not page.exception
    return str(page.text[0].value)


def test_what_one_person_saw_is_not_shown_to_the_next(page: AppTest) -> None:
    page.session_state[STATE] = session_of("ana")
    assert saw(page) == "what ana saw"
    page.text_input(key="reason").set_value("a word of ana").run()
    page.session_state[STATE] = session_of("ben")
    assert saw(page) == "what ben saw"
    assert page.text_input(key="reason").value == ""


def test_what_a_person_saw_stays_theirs(page: AppTest) -> None:
    page.session_state[STATE] = session_of("ana")
    assert saw(page) == "what ana saw"
    page.session_state["kept"] = "something else"
    assert saw(page) == "something else"
