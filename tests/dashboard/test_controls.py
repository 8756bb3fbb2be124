"""The widgets that show an address and write it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from assent.contract.window import LONGEST_DAYS
from assent_dashboard.views import controls
from tests.live import WAIT


def page() -> None:
    from dataclasses import dataclass
    from enum import StrEnum

    import streamlit as st

    from assent_dashboard.views.address import Cursor
    from assent_dashboard.views.addresses import Scope
    from assent_dashboard.views.controls import Names, choose, draw_again, draw_problems, draw_scope, go, here, hold

    class Color(StrEnum):
        RED = "red"
        BLUE = "blue"

    @dataclass(frozen=True)
    class Page(Scope, page="p"):
        cursor: Cursor = None
        color: Color | None = None

    address, problems = here(Page)
    draw_problems(problems)
    with st.container(horizontal=True):
        draw_scope(address, Names(agents=("a-1", "a-2"), types=("pay",)))
        choose(address, "color", "Color", Color, nothing="Any color", spoken=str.title)
    st.button("Blue", key="blue", on_click=go, args=(Page,), kwargs={"color": Color.BLUE})
    st.button("Usual", key="usual", on_click=go, args=(Page(),))
    hold()
    if st.button("News", key="news"):
        # What a look by itself is asked with: the browser does not know yet what was chosen since.
        st.query_params.from_dict({"window": "90d"})
        draw_again()


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
    app.selectbox(key="p_window").set_value(controls.CUSTOM).run()
    assert address(app) == {"window": controls.CUSTOM_WINDOW, "agent_id": "a-1"}
    days = app.number_input(key="p_days")
    assert (days.value, days.min, days.max) == (14, 1, LONGEST_DAYS)
    days.set_value(45).run()
    assert address(app)["window"] == "45d"
    assert app.selectbox(key="p_window").value == controls.CUSTOM
    # And back to one of those that are offered.
    app.selectbox(key="p_window").set_value("1d").run()
    assert address(app)["window"] == "1d"
    assert not app.number_input


def test_a_window_of_ones_own_in_a_link_is_shown_as_days() -> None:
    assert opened(window="45d").number_input(key="p_days").value == 45


def test_a_choice_is_one_of_several_or_none() -> None:
    app = opened(color="red", window="7d")
    box = app.selectbox(key="p_color")
    assert (box.value, box.options, box.placeholder) == ("red", ["Red", "Blue"], "Any color")
    box.set_value("blue").run()
    assert address(app) == {"window": "7d", "color": "blue"}
    app.selectbox(key="p_color").set_value(None).run()
    assert address(app) == {"window": "7d"}


def test_what_means_nothing_is_told_until_the_next_choice_leaves_it_out() -> None:
    app = opened(color="green", agent_id="x" * 200, other="kept")
    assert len(app.warning) == 2
    assert app.selectbox(key="p_color").value is None
    app.selectbox(key="p_window").set_value("90d").run()
    assert address(app) == {"other": "kept", "window": "90d"}
    assert not app.warning


def test_a_button_opens_a_whole_look_or_one_with_these_members_only() -> None:
    app = opened(window="7d", agent_id="a-1", other="x")
    app.button(key="blue").click().run()
    assert address(app) == {"color": "blue"}
    app.button(key="usual").click().run()
    assert address(app) == {"window": "30d"}


def test_a_page_that_draws_itself_again_keeps_what_was_chosen_since_the_browser_asked() -> None:
    app = opened(window="7d")
    app.selectbox(key="p_color").set_value("blue").run()
    app.button(key="news").click().run()
    assert address(app) == {"window": "7d", "color": "blue"}
    assert app.selectbox(key="p_window").value == "7d"
    assert app.selectbox(key="p_color").value == "blue"


def test_a_second_press_keeps_a_choice_that_the_browser_has_not_heard_of() -> None:
    app = opened(window="7d")
    app.selectbox(key="p_color").set_value("blue").run()
    # It names the address from before.
    app.query_params.clear()
    app.query_params["window"] = "7d"
    app.selectbox(key="p_agent_id").set_value("a-2").run()
    assert address(app) == {"window": "7d", "color": "blue", "agent_id": "a-2"}
    app.query_params.clear()
    app.query_params["window"] = "7d"
    app.run()
    assert address(app) == {"window": "7d", "color": "blue", "agent_id": "a-2"}
    assert (app.selectbox(key="p_color").value, app.selectbox(key="p_agent_id").value) == ("blue", "a-2")


def test_an_address_from_before_is_obeyed_once_the_choice_has_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controls, "ON_ITS_WAY_SECONDS", 0.0)
    app = opened(window="7d")
    app.selectbox(key="p_color").set_value("blue").run()
    app.query_params.clear()
    app.query_params["window"] = "7d"
    app.run()
    assert address(app) == {"window": "7d"}
    assert app.selectbox(key="p_color").value is None


def test_the_buttons_for_back_and_forward_are_obeyed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(window="7d")
    app.selectbox(key="p_color").set_value("blue").run()
    by_history = SimpleNamespace(fragment_ids_this_run=None, is_history_navigation=True)
    monkeypatch.setattr(controls, "get_script_run_ctx", lambda suppress_warning: by_history)
    app.query_params.clear()
    app.query_params["window"] = "7d"
    app.run()
    assert address(app) == {"window": "7d"}


def test_a_run_of_fragments_chooses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """In it Streamlit calls the callbacks of widgets that a choice took off the page."""
    app = opened(window="7d")
    looking = SimpleNamespace(fragment_ids_this_run=["banner"], is_history_navigation=False)
    monkeypatch.setattr(controls, "get_script_run_ctx", lambda suppress_warning: looking)
    app.selectbox(key="p_color").set_value("blue").run()
    app.button(key="usual").click().run()
    assert address(app) == {"window": "7d"}
