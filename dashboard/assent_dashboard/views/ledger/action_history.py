"""The parts of an action's page that go through time: what happened when, what was corrected, what may be the cause."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent.contract.traces import Change, RootCause
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words

_SEVERITY = {"high": "red", "medium": "orange", "low": "gray"}
_LONGEST = 200


def timeline(events: pl.DataFrame) -> None:
    """`events` is `assent_analytics.replay.timeline`. The time of day of each, the day where it begins."""
    st.header("What happened when", anchor=False)
    lines, day = [], None
    for event in events.iter_rows(named=True):
        if event["start"].date() != day:
            day = event["start"].date()
            lines.append(f"\n**{day.day} {day:%B %Y}**\n")
        lasted = "" if event["end"] is None else f" · {words.exact((event['end'] - event['start']).total_seconds())}"
        text = words.plain(words.shorten(event["text"], _LONGEST))
        lines.append(f"- `{event['start']:%H:%M:%S}.{event['start'].microsecond // 1000:03d}` {text}{lasted}")
    st.markdown("\n".join(lines))


def changes(made: Sequence[Change]) -> None:
    """What every change said, beside what it replaced."""
    st.header("What was changed", anchor=False)
    for change in made:
        st.markdown(f"**{change.kind.capitalize()}** by {words.code(change.by)}, {words.moment(change.at)}")
        lines = [
            f"- {words.plain(spoken(name))}: {_value(value)}{_before(name, change.replaced)}"
            for name, value in change.changed.items()
        ]
        st.markdown("\n".join(lines))


def causes(found: Sequence[RootCause]) -> None:
    st.header("What may have gone wrong", anchor=False)
    for cause in found:
        times = f" ({cause.count} times)" if cause.count > 1 else ""
        colour = _SEVERITY.get(cause.severity, "gray")
        st.markdown(
            f":{colour}-badge[{words.plain(cause.severity)}] {words.plain(spoken(cause.type)).capitalize()}{times}"
        )
        for row in cause.detail:
            st.caption(" · ".join(f"{words.plain(spoken(name))}: {_value(value)}" for name, value in row.items()))


def _before(name: str, replaced: Mapping[str, Any]) -> str:
    before = replaced.get(name)
    return "" if before is None or before in ([], "") else f" :gray[instead of] {_value(before)}"


def _value(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return words.code(words.shorten(text, _LONGEST))
