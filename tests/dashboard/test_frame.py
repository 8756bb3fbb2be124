"""The frame of a page, around a page that shows how often it was asked."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from streamlit.testing.v1 import AppTest

from assent.errors import ConnectionFailed
from assent_dashboard.sessions import STATE, ServiceClock
from assent_dashboard.views import answers
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.answers import FRESH_SECONDS
from tests.live import WAIT

THERE = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)


class Asked:
    """The service behind the page: what each look asked for."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.gone = False
        began = time.monotonic()
        self.session = SimpleNamespace(
            clock=ServiceClock(lambda: THERE + timedelta(seconds=time.monotonic() - began)),
            feed=SimpleNamespace(version=lambda names: len(names)),
            key=SimpleNamespace(key_id="key_1", role="operator"),
            client=SimpleNamespace(get_guard_decisions=self._decisions),
        )

    def load(self, scope: Scope) -> list[int]:
        self.scopes.append(scope)
        if self.gone:
            raise ConnectionFailed(url="http://127.0.0.1:1", reason="nobody there")
        return list(range(len(self.scopes)))

    def _decisions(self, limit: int) -> Any:
        row = SimpleNamespace(agent_id=f"a-{limit}", action_type="pay")
        return SimpleNamespace(decisions=[row])


def script() -> None:
    from dataclasses import dataclass

    import polars as pl
    import streamlit as st

    from assent_dashboard.sessions import STATE
    from assent_dashboard.views.address import Window
    from assent_dashboard.views.addresses import Scope
    from assent_dashboard.views.controls import _names
    from assent_dashboard.views.frame import scoped_page

    _names.clear()
    behind = st.session_state["behind"]

    def draw(session: object, scope: object, answer: list[int]) -> None:
        st.text(f"answer {len(answer)}")

    @dataclass(frozen=True)
    class Fake(Scope, page="fake"):
        window: Window = "90d"

    show = scoped_page(
        Fake,
        "A page",
        load=lambda session, address: behind.load(address.scope),
        draw=draw,
        tables=lambda answer: {"the_rows": pl.DataFrame({"n": answer}), "none": pl.DataFrame({"n": []})},
        by=st.session_state["by"],
    )
    show(st.session_state[STATE])


@pytest.fixture
def behind() -> Asked:
    return Asked()


def look(behind: Asked, *, by: tuple[str, ...] = ("window", "agent_id", "action_type"), **address: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=WAIT)
    app.session_state["behind"], app.session_state["by"] = behind, by
    app.session_state[STATE] = cast(Any, behind.session)
    for name, value in address.items():
        app.query_params[name] = value
    return app.run()


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def order(app: AppTest) -> list[str]:
    """Kinds and keys or words, as they stand on the page."""
    return [f"{each.type}:{getattr(each, 'key', None) or getattr(each, 'value', '')}" for each in app.main]


def test_title_scope_last_checked_and_content_stand_in_this_order(behind: Asked) -> None:
    app = sound(look(behind, window="7d", agent_id="a-7"))
    assert behind.scopes == [Scope(window="7d", agent_id="a-7")]
    there = [
        next(at for at, each in enumerate(order(app)) if what in each)
        for what in ("title:A page", "fake_window", "fake_agent_id", "fake_action_type", "fake_again", "answer 1")
    ]
    assert there == sorted(there)


def test_the_usual_window_is_the_pages_own(behind: Asked) -> None:
    sound(look(behind))
    assert behind.scopes == [Scope(window="90d")]


def test_last_checked_is_the_services_time(behind: Asked) -> None:
    (said,) = [str(each.value) for each in sound(look(behind)).caption if "Last checked" in str(each.value)]
    assert said.startswith("Last checked, by the service's clock: 20 Nov 2026, 14:0")
    assert said.endswith("(just now)")


def test_a_fresh_answer_is_drawn_again_without_a_question(behind: Asked) -> None:
    app = sound(look(behind))
    sound(app.run())
    assert [each.value for each in app.text] == ["answer 1"]
    assert len(behind.scopes) == 1


def test_the_button_asks_anew(behind: Asked) -> None:
    app = sound(look(behind))
    sound(app.button(key="fake_again").click().run())
    assert [each.value for each in app.text] == ["answer 2"]


def test_after_a_minute_it_is_asked_anew(behind: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    app = sound(look(behind))
    monkeypatch.setattr(answers, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + FRESH_SECONDS + 1))
    sound(app.run())
    assert [each.value for each in app.text] == ["answer 2"]


def test_another_window_is_another_question(behind: Asked) -> None:
    app = sound(look(behind))
    app.selectbox(key="fake_window").set_value("1d").run()
    assert [each.value for each in sound(app).text] == ["answer 2"]
    assert behind.scopes[-1] == Scope(window="1d")


def test_what_an_address_has_wrong_is_told_in_words(behind: Asked) -> None:
    app = sound(look(behind, window="![x](y)d"))
    (problem,) = [str(each.value) for each in app.warning]
    assert "Showing 90d instead" in problem.replace("\\", "")
    assert "![x](y)" not in problem, "what stood in the address is no Markdown here"
    assert behind.scopes == [Scope(window="90d")]


def test_what_the_page_cannot_be_narrowed_by_is_not_offered(behind: Asked) -> None:
    app = sound(look(behind, by=("window",)))
    assert [each.key for each in app.selectbox] == ["fake_window"]
    app = sound(look(behind, by=()))
    assert not app.selectbox


def test_every_table_can_be_taken_away_but_an_empty_one(behind: Asked) -> None:
    app = sound(look(behind))
    buttons = {each.proto.id.rsplit("-", 1)[-1]: each.proto for each in app.get("download_button")}
    assert set(buttons) == {f"fake_{name}_{ending}" for name in ("the_rows", "none") for ending in ("csv", "parquet")}
    assert {name for name, each in buttons.items() if each.disabled} == {"fake_none_csv", "fake_none_parquet"}
    assert any("**The rows** · 1 row" in str(each.value) for each in app.markdown)


def test_a_service_that_does_not_answer_is_told_by_who_builds_the_pages_and_the_widgets_are_there(
    behind: Asked,
) -> None:
    behind.gone = True
    app = look(behind)
    assert "ConnectionFailed" in str(app.exception[0])
    assert app.selectbox(key="fake_window").value == "90d"
    behind.gone = False
    assert [each.value for each in sound(app.run()).text] == ["answer 2"]
