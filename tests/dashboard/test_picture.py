"""A picture has words and numbers beside it."""

from __future__ import annotations

import polars as pl
from streamlit.testing.v1 import AppTest

from assent_dashboard.views.blocks import ROWS
from tests.live import WAIT

SAYS = "Guard's decisions by day: 312 allowed, 14 blocked"


def page() -> None:
    import altair as alt
    import polars as pl
    import streamlit as st

    from assent_dashboard.views.blocks import picture

    numbers = pl.DataFrame({"day": range(st.session_state["rows"]), "n": range(st.session_state["rows"])})
    chart = alt.Chart(numbers.head(5)).mark_bar().encode(x="day", y="n")
    picture(chart, "Guard's decisions by day: 312 allowed, 14 blocked", numbers, key="mix")
    picture(chart, "Without its numbers, for they stand beside it", key="bare")


def drawn(rows: int) -> AppTest:
    app = AppTest.from_function(page, default_timeout=WAIT)
    app.session_state["rows"] = rows
    app.run()
    assert not app.exception
    return app


def test_the_words_are_the_pictures_alternative() -> None:
    mix, bare = drawn(3).get("vega_lite_chart")
    assert mix.proto.alt == SAYS
    assert bare.proto.alt.startswith("Without its numbers")


def test_the_numbers_are_a_table_under_it() -> None:
    app = drawn(3)
    (table,) = app.dataframe
    assert table.value["n"].tolist() == [0, 1, 2]
    assert SAYS in table.proto.alt
    assert [each.label for each in app.expander] == ["The picture as a table"]


def test_a_table_of_nothing_is_left_out_and_a_long_one_cut() -> None:
    assert not drawn(0).dataframe
    assert drawn(ROWS + 5).dataframe[0].value.shape == (ROWS, 2)
    assert pl.DataFrame({"n": range(ROWS + 5)}).height > ROWS
