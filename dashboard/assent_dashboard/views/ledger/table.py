"""The list: a page of actions or decisions, newest first, as a table that opens what is chosen.

Two tables stand for the two widths, a wide one with a column for each thing and a narrow one that folds them into two;
the style sheet shows one of them. Keys: `ledger_wide` and `ledger_narrow` around them, `ledger_actions_wide`,
`ledger_decisions_narrow` and so on themselves: with one key for both lists the first press in the other one is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC
from functools import partial

import polars as pl
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from assent import Action, Decision, GuardDecision, Source
from assent.contract.conditions import in_words
from assent.contract.control.actions import STANDINGS, standing
from assent_analytics.charts.palette import APPROVALS, DECISIONS, GREY, STATUSES, VIOLET, spoken
from assent_dashboard.views import words

ROW, TALL_ROW, HEADER, MOST = 35, 84, 38, 14
"""Heights in pixels, and how many rows are seen at once."""

STYLE = """<style>
.st-key-ledger_narrow { display: none; }
@media (max-width: 640px) {
  .st-key-ledger_wide { display: none; }
  .st-key-ledger_narrow { display: flex; }
}
</style>"""

SOFT = "40"
"""Opacity of the chips, in hexadecimal: a word on a tint is calmer than a word on a colour."""
_COLOURS = {**APPROVALS, **STATUSES, **DECISIONS, Source.SIMULATED.value: VIOLET, Source.IMPORT.value: GREY}


def of_actions(actions: Sequence[Action]) -> pl.DataFrame:
    """One row for each action, in the list's order."""
    return _frame(
        {
            "when": [action.timestamp_start.astimezone(UTC) for action in actions],
            "agent": [words.clean(action.agent_name or action.agent_id) for action in actions],
            "type": [words.clean(action.action_type) for action in actions],
            "goal": [words.clean(action.declared_goal) for action in actions],
            "decision": [[spoken(action.decision)] for action in actions],
            "risk": [action.risk_score for action in actions],
            "status": [[spoken(standing(action))] for action in actions],
            "took": [duration(action.duration_ms) for action in actions],
            "source": [_source(action.source) for action in actions],
        }
    )


def of_decisions(decisions: Sequence[GuardDecision]) -> pl.DataFrame:
    """One row for each decision, in the list's order."""
    return _frame(
        {
            "when": [row.occurred_at.astimezone(UTC) for row in decisions],
            "agent": [words.clean(row.agent_id) for row in decisions],
            "type": [words.clean(row.action_type) for row in decisions],
            "goal": [words.clean(row.declared_goal) for row in decisions],
            "decision": [[spoken(row.decision)] for row in decisions],
            "risk": [row.risk_score for row in decisions],
            "reason": [words.clean(in_words(row.reason or "")) for row in decisions],
            "source": [_source(row.source) for row in decisions],
        }
    )


def duration(milliseconds: int | None) -> str:
    return "" if milliseconds is None else words.exact(milliseconds / 1000)


def draw(frame: pl.DataFrame, kind: str, opened: Callable[[int], None]) -> None:
    """`kind` names the list; `opened` is called with the row that is chosen, before the page is drawn anew."""
    st.html(STYLE)
    with st.container(key="ledger_wide"):
        _table(frame, f"ledger_{kind}_wide", ROW, opened)
    with st.container(key="ledger_narrow"):
        _table(folded(frame), f"ledger_{kind}_narrow", TALL_ROW, opened)


def folded(frame: pl.DataFrame) -> pl.DataFrame:
    """The same rows in two columns: what it is, and how it stands."""
    goal = pl.when(pl.col("goal") != "").then(_shortened("goal", 64)).otherwise(pl.lit("No goal declared"))
    told = pl.format("{} · {} · {}", goal, "type", "agent")
    stands = pl.concat_list("status" if "status" in frame.columns else "decision", "source")
    return frame.select(told.alias("what"), stands.alias("state"))


def _shortened(name: str, length: int) -> pl.Expr:
    text = pl.col(name)
    cut = pl.concat_str(text.str.head(length - 1).str.strip_chars_end(), pl.lit("…"))
    return pl.when(text.str.len_chars() > length).then(cut).otherwise(text)


def _table(frame: pl.DataFrame, key: str, row: int, opened: Callable[[int], None]) -> None:
    seen = min(frame.height, MOST if row == ROW else MOST // 2)
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        row_height=row,
        height=HEADER + seen * row,
        column_config=_columns(),
        selection_mode=["single-row", "single-cell"] if row == ROW else "single-cell",
        on_select=partial(_chosen, key, opened),
        placeholder="",
        alt="The list, newest first. Choosing a row opens it.",
    )


def _chosen(key: str, opened: Callable[[int], None]) -> None:
    chosen = st.session_state[key].selection
    rows = [*chosen.rows, *(row for row, _ in chosen.cells)]
    if rows:
        opened(rows[0])


def _columns() -> dict[str, ColumnConfig]:
    column = st.column_config
    return {
        "when": column.DatetimeColumn("When (UTC)", format="D MMM HH:mm:ss", width=124),
        "agent": column.TextColumn("Agent", width=112),
        "type": column.TextColumn("Type", width=122),
        "goal": column.TextColumn("Goal", width=186),
        "reason": column.TextColumn("Reason", width=193),
        "decision": _chips("Decision", Decision, 136),
        "risk": column.NumberColumn("Risk", format="%.0f", width=50),
        "status": _chips("Status", STANDINGS, 143),
        "took": column.TextColumn("Took", width=66, alignment="right"),
        "source": _chips("Source", Source, 94),
        "what": column.TextColumn("What", width=204),
        "state": _chips("State", (*STANDINGS, *Decision, *Source), 150),
    }


def _chips(label: str, values: Iterable[str], width: int) -> ColumnConfig:
    names = [value for value in values if value in _COLOURS]
    return st.column_config.MultiselectColumn(
        label,
        options=[spoken(name) for name in names],
        color=[_COLOURS[name][:7] + SOFT for name in names],  # of those that are see-through already, the colour
        width=width,
    )


def _source(source: Source) -> list[str]:
    """What happened live needs no word."""
    return [] if source is Source.LIVE else [spoken(source)]


def _frame(columns: dict[str, list[object]]) -> pl.DataFrame:
    schema: dict[str, pl.DataType] = {name: _TYPES.get(name, pl.String()) for name in columns}
    return pl.DataFrame(columns, schema=schema)


_TYPES: dict[str, pl.DataType] = {
    "when": pl.Datetime("us", "UTC"),
    "risk": pl.Float64(),
    "decision": pl.List(pl.String()),
    "status": pl.List(pl.String()),
    "source": pl.List(pl.String()),
}
