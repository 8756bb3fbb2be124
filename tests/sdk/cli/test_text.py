"""Text for terminals and pipes: it fits, it lines up, and it cannot steer."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.cli.output import Progress
from assent.cli.text import clean, fit, span, tab_separated, table, width_of


@given(st.text())
def test_cleaned_text_cannot_steer_a_terminal(text: str) -> None:
    assert {unicodedata.category(char) for char in clean(text)}.isdisjoint({"Cc", "Cf", "Cs"})


def test_cleaned_text_keeps_what_is_harmless() -> None:
    assert clean("Grüße, 東京 ✓") == "Grüße, 東京 ✓"
    assert clean("a\tb\r\nc") == "a b c"
    assert clean("\x1b[2Jx\u202ey") == "�[2Jx�y"
    assert clean(None) == ""
    assert clean(3) == "3"


@given(st.text(), st.integers(1, 30))
def test_fitted_text_is_never_wider(text: str, width: int) -> None:
    assert width_of(fit(text, width)) <= width or width_of(text) <= width


def test_a_table_lines_up_and_stays_within_the_terminal() -> None:
    lines = table(("id", "goal"), [("a", "東京 " * 20), ("bb", "short")], 40)
    assert lines[0].startswith("ID  GOAL")
    assert all(width_of(line) <= 40 for line in lines)
    assert lines[2] == "bb  short"


ID = "act_01jd2k3m4n5p6q7r8s9t0v1w2x"


def test_an_id_is_never_cut_and_prose_gives_way() -> None:
    lines = table(("action_id", "goal"), [(ID, "move the old logs to the archive of the year")], 45)
    assert lines == [f"{'ACTION_ID':30}  GOAL", f"{ID}  move the old…"]


def test_rows_become_paragraphs_where_ids_leave_too_little_room() -> None:
    header = ("action_id", "agent", "goal", "risk", "policy_id")
    rows = [(ID, "payments-agent", "pay the invoice of the month", 40, ID), (ID, "b", "東京", 7, None)]
    assert table(header, rows, 36) == [
        f"ACTION_ID  {ID}",
        "AGENT      payments-agent",
        "GOAL       pay the invoice of the m…",
        "RISK       40",
        f"POLICY_ID  {ID}",
        "",
        f"ACTION_ID  {ID}",
        "AGENT      b",
        "GOAL       東京",
        "RISK       7",
    ]


@given(
    st.lists(st.tuples(st.text("ab_", min_size=1, max_size=40), st.text(max_size=60)), min_size=1, max_size=4),
    st.integers(20, 90),
)
def test_every_id_of_a_table_can_be_copied(rows: list[tuple[str, str]], width: int) -> None:
    words = [word for line in table(("key_id", "name"), rows, width) for word in line.split(" ")]
    assert {id_ for id_, _ in rows} <= set(words)


def test_cells_in_a_pipe_hold_no_tab_and_no_line_end() -> None:
    assert tab_separated(("a", "b"), [("x\ty", None)]) == ["a\tb", "x y\t"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "now"), (-5, "now"), (59.9, "59s"), (60, "1m"), (3600, "1h"), (172800, "2d")]
)
def test_spans(seconds: float, text: str) -> None:
    assert span(seconds) == text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_reports_every_few_seconds_without_a_terminal() -> None:
    now = [0.0]
    stream = io.StringIO()
    progress = Progress("calls", 4, stream=stream, clock=lambda: now[0])
    for moment in (1.0, 5.0, 6.0, 10.0):
        now[0] = moment
        progress.step()
    progress.finish()
    assert stream.getvalue().splitlines() == ["calls 2/4 (50%), about 5s left", "calls 4/4 (100%)"]


def test_progress_draws_a_bar_on_a_terminal_and_takes_it_away() -> None:
    now = [0.0]
    stream = Terminal()
    progress = Progress("calls", 2, stream=stream, clock=lambda: now[0])
    now[0] = 1.0
    progress.step()
    assert "[###############...............] calls 1/2 (50%)" in stream.getvalue()
    progress.finish()
    assert stream.getvalue().endswith("\r\x1b[2K")
