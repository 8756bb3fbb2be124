"""What an address asks a page to look at, and the widgets that write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from assent.contract.window import LONGEST_DAYS
from assent_dashboard.views import scope, scope_controls
from assent_dashboard.views.scope import DEFAULT_WINDOW, LONGEST_NAME, Scope, in_words, read
from tests.live import WAIT

NAMES = st.text(min_size=1, max_size=LONGEST_NAME).filter(lambda name: bool(name.strip()) and name == name.strip())
SCOPES = st.builds(
    Scope,
    window=st.integers(1, LONGEST_DAYS).map(lambda days: f"{days}d"),
    agent_id=st.none() | NAMES,
    action_type=st.none() | NAMES,
)


@given(SCOPES)
def test_an_address_gives_back_the_scope_that_it_was_made_of(given_scope: Scope) -> None:
    assert read(given_scope.address()) == (given_scope, [])


@given(st.dictionaries(st.sampled_from(["window", "agent_id", "action_type", "cursor", "x"]), st.text(max_size=300)))
def test_no_address_is_too_wild(address: dict[str, str]) -> None:
    """Whatever stands there, a scope comes of it that the service understands, or a sentence for what does not."""
    found, problems = read(address)
    assert 1 <= found.days <= LONGEST_DAYS
    for name in (found.agent_id, found.action_type):
        assert name is None or 0 < len(name) <= LONGEST_NAME
    odd = found.window != address.get("window", "").strip() and bool(address.get("window", "").strip())
    long = [name for name in ("agent_id", "action_type") if len(address.get(name, "").strip()) > LONGEST_NAME]
    assert len(problems) == odd + len(long)


@pytest.mark.parametrize("window", ["0d", "7", "d", "-1d", "7 d", "07d", f"{LONGEST_DAYS + 1}d", "٣d", "1d\n2d"])
def test_a_window_that_is_none_is_told_and_the_usual_one_taken(window: str) -> None:
    found, problems = read({"window": window, "agent_id": "a-1"}, "90d")
    assert found == Scope(window="90d", agent_id="a-1")
    (problem,) = problems
    assert "Showing 90d instead." in problem
    assert repr(window) in problem


def test_a_name_that_is_too_long_is_told_with_its_length() -> None:
    found, problems = read({"agent_id": "x" * (LONGEST_NAME + 1), "action_type": "y" * LONGEST_NAME})
    assert (found.agent_id, found.action_type) == (None, "y" * LONGEST_NAME)
    assert problems == ["agent_id has 129 characters, at most 128 are possible. Showing without it."]


def test_nothing_asked_for_is_all_of_the_usual_window() -> None:
    assert read({"agent_id": "  ", "window": ""}) == (Scope(), [])
    assert Scope().window == DEFAULT_WINDOW
    assert not Scope(window="7d").narrowed
    assert Scope(action_type="pay").narrowed


def test_a_window_in_words() -> None:
    assert (in_words("1d"), in_words("14d")) == ("the last day", "the last 14 days")


def page() -> None:
    import streamlit as st

    from assent_dashboard.views import scope_controls
    from assent_dashboard.views.names import Names
    from assent_dashboard.views.scope import read

    scope, _ = read(st.query_params.to_dict())
    with st.container(horizontal=True):
        scope_controls.draw("p", scope, Names(agents=("a-1", "a-2"), types=("pay",)))


def opened(**address: str) -> AppTest:
    app = AppTest.from_function(page, default_timeout=WAIT)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def address(app: AppTest) -> dict[str, str]:
    return {name: value[0] if isinstance(value, list) else value for name, value in app.query_params.items()}


def test_the_widgets_show_what_the_address_says() -> None:
    app = opened(window="7d", agent_id="a-2", action_type="unheard of")
    assert app.selectbox(key="p_window").value == "7d"
    assert app.selectbox(key="p_agent_id").value == "a-2"
    # A name that nobody knows can be asked for all the same, and stands among the options.
    assert app.selectbox(key="p_action_type").value == "unheard of"
    assert app.selectbox(key="p_action_type").options == ["unheard of", "pay"]
    assert not app.number_input


def test_what_is_chosen_is_written_with_the_window_and_leaves_what_is_not_of_the_scope() -> None:
    app = opened(view="decisions", cursor="abc")
    app.selectbox(key="p_agent_id").set_value("a-1").run()
    assert address(app) == {"view": "decisions", "window": "30d", "agent_id": "a-1"}, "the cursor was of another list"
    app.selectbox(key="p_window").set_value("90d").run()
    assert address(app) == {"view": "decisions", "window": "90d", "agent_id": "a-1"}
    app.selectbox(key="p_agent_id").set_value(None).run()
    assert address(app) == {"view": "decisions", "window": "90d"}


def test_a_window_of_ones_own_is_counted_in_days() -> None:
    app = opened(agent_id="a-1")
    app.selectbox(key="p_window").set_value(scope_controls.CUSTOM).run()
    assert address(app) == {"window": scope_controls.CUSTOM_WINDOW, "agent_id": "a-1"}
    days = app.number_input(key="p_days")
    assert (days.value, days.min, days.max) == (14, 1, LONGEST_DAYS)
    days.set_value(45).run()
    assert address(app)["window"] == "45d"
    assert app.selectbox(key="p_window").value == scope_controls.CUSTOM
    # And back to one of those that are offered.
    app.selectbox(key="p_window").set_value("1d").run()
    assert address(app)["window"] == "1d"
    assert not app.number_input


def test_a_window_of_ones_own_in_a_link_is_shown_as_days() -> None:
    assert opened(window="45d").number_input(key="p_days").value == 45


def test_every_offered_window_is_one() -> None:
    assert all(read({"window": window}) == (Scope(window=window), []) for window in scope.WINDOWS)
    assert read({"window": scope_controls.CUSTOM_WINDOW})[1] == []
