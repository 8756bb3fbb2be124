"""The trace of an action on its page: what happened when, what was corrected, what may be the cause, the five
checkpoints with their receipts, and a picture of its life."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent import Action, ActionTrace, Source
from assent.contract.conditions import in_words
from assent.contract.evidence.pcaa import CheckpointId, CheckpointStatus, Enforceability, Receipts
from assent.contract.evidence.traces import Change, RootCause
from assent.pcaa import ActionFacts, checkpoint_states_of, facts_of, receipts_of
from assent_analytics.charts import replay_gantt
from assent_analytics.charts.palette import CHECKPOINTS, spoken
from assent_dashboard.views import words
from assent_dashboard.views.blocks import picture

_SEVERITY = {"high": "red", "medium": "orange", "low": "gray"}
_LONGEST = 200
_MOMENTS = frozenset({"at", "timestamp_start", "timestamp_end"})
_STATES = frozenset({"status", "priority"})
_PEOPLE = frozenset({"approved_by", "decided_by"})
_REASONS = frozenset({"reasoning", "reason", "invalidated_reason", "error_message"})
_NEVER_RAN = {"denial": {"status": "denied"}, "expiry": {"status": "expired"}, "withdrawal": {"status": "withdrawn"}}
"""How an action stands after a change that ended the wait for its approval (`contract.control.actions.standing`); its
status is cancelled then."""


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
        st.markdown(f"**{change.kind.capitalize()}** by **{words.plain(change.by)}**, {words.moment(change.at)}")
        became = {**change.changed, **_NEVER_RAN.get(change.kind, {})}
        lines = [
            f"- {_label(name)}: {_value(name, value)}{_before(name, change.replaced)}" for name, value in became.items()
        ]
        st.markdown("\n".join(lines))


def causes(found: Sequence[RootCause], policies: Mapping[str, str]) -> None:
    """`policies` are their names by their ids."""
    st.header("What may have gone wrong", anchor=False)
    for cause in found:
        times = f" ({cause.count} times)" if cause.count > 1 else ""
        colour = _SEVERITY.get(cause.severity, "gray")
        st.markdown(
            f":{colour}-badge[{words.plain(cause.severity)}] {words.plain(spoken(cause.type)).capitalize()}{times}"
        )
        for row in cause.detail:
            parts = [
                f"{_label(name)}: {_value(name, value, policies)}" for name, value in row.items() if value is not None
            ]
            st.caption(" · ".join(parts))


def _before(name: str, replaced: Mapping[str, Any]) -> str:
    before = replaced.get(name)
    return "" if before is None or before in ([], "") else f" :gray[instead of] {_value(name, before)}"


def _label(name: str) -> str:
    return words.plain(spoken(name.removesuffix("_id").removesuffix("_ms")))


def _value(name: str, value: object, policies: Mapping[str, str] | None = None) -> str:
    """A member of an event as Markdown, by what its name says it is: a moment, a state, who, why; else as it is."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float() if name == "duration_ms":
            return words.exact(value / 1000)
        case str() if name.endswith("_at") or name in _MOMENTS:
            return words.moment(datetime.fromisoformat(value))
        case str() if name in _STATES:
            return words.plain(spoken(value))
        case str() if name in _PEOPLE:
            return f"**{words.plain(value)}**"
        case str() if name in _REASONS:
            return f"“{words.plain(words.shorten(in_words(value), _LONGEST))}”"
        case str() if policies is not None and value in policies:
            return words.plain(policies[value])
        case str():
            return words.code(words.shorten(value, _LONGEST))
        case list() if value and all(isinstance(each, str) for each in value):
            return ", ".join(_value("", each, policies) for each in value)
        case _:
            return words.code(words.shorten(msgspec.json.encode(value).decode(), _LONGEST))


# The five checkpoints of one action, how far guard reaches into it, and which receipts it left.


STYLE = """<style>
.st-key-action_checkpoints > * { flex: 1 1 160px; }
</style>"""
"""Five beside each other on a desk, two on a telephone."""
_LOOK: dict[CheckpointStatus, tuple[str, str]] = {
    CheckpointStatus.COMPLETE: ("green", ":material/check:"),
    CheckpointStatus.DENIED: ("red", ":material/block:"),
    CheckpointStatus.PENDING: ("blue", ":material/hourglass_empty:"),
    CheckpointStatus.MISSING: ("orange", ":material/error:"),
    CheckpointStatus.NOT_REQUIRED: ("gray", ":material/remove:"),
}
_REACH: dict[Enforceability, str] = {
    Enforceability.ENFORCE_BEFORE_EXECUTE: "Guard is asked before anything runs, so all of these can be expected.",
    Enforceability.HOOK_MEDIATED: "A hook asks guard before each call. Hooks see calls and not beliefs, so no "
    "assumption is expected.",
    Enforceability.OBSERVE_ONLY: "It was only observed, so neither an assumption nor an approval is expected.",
}


def facts(trace: ActionTrace) -> ActionFacts:
    return facts_of(trace.action, trace.trace.assumptions.items, trace.approval)


def states(trace: ActionTrace, now: datetime) -> dict[CheckpointId, CheckpointStatus]:
    """How the action stands at each checkpoint, in their order."""
    return {each.id: each.status for each in checkpoint_states_of(facts(trace), now)}


def draw_checkpoints(trace: ActionTrace, now: datetime) -> None:
    """Keys: `action_checkpoints`, `action_receipts`."""
    cards(states(trace, now))
    receipts(receipts_of(facts(trace), now))


def cards(stand: Mapping[CheckpointId, CheckpointStatus]) -> None:
    """How an action stands at each checkpoint, in the order given. Key: `action_checkpoints`."""
    st.html(STYLE)
    with st.container(key="action_checkpoints", horizontal=True, gap="small"):
        for each, status in stand.items():
            colour, icon = _LOOK[status]
            with st.container(border=True, gap="xxsmall"):
                st.caption(CHECKPOINTS[each.value])
                st.markdown(f":{colour}-badge[{icon} {spoken(status)}]")


def receipts(found: Receipts) -> None:
    """Key: `action_receipts`."""
    with st.container(key="action_receipts"):
        st.caption(
            f"{receipts_in_words(found)} :gray-badge[{spoken(found.enforceability)}] {_REACH[found.enforceability]}"
        )


def receipts_in_words(receipts: Receipts) -> str:
    """`2 of 3 expected receipts are there (66.7 %). Not there: Outcome.`"""
    missing = [CHECKPOINTS[each.value] for each in receipts.expected if each not in receipts.observed]
    expected = len(receipts.expected)
    there = f"{expected - len(missing)} of {words.several(expected, 'expected receipt')}"
    share = words.percent(100 * receipts.completeness)
    ending = f" Not there: {', '.join(missing)}." if missing else ""
    return f"{there} {'is' if expected - len(missing) == 1 else 'are'} there ({share}).{ending}"


# The life of one action as a picture, with what it says in words. Key: `action_replay`.


ROW, AXIS = 26, 90
"""Pixels of a lane, and of what is around the lanes."""
_COUNTED = {
    "assumption": "assumption",
    "message": "message",
    "correction": "correction",
    "loop": "thing left open",
}


def draw_replay(action: Action, events: pl.DataFrame) -> None:
    """`events` is `assent_analytics.replay.timeline`."""
    simulated = action.source is Source.SIMULATED
    lanes = events["lane"].n_unique()
    with st.container(key="action_replay"):
        chart = replay_gantt(events, simulated=simulated, height=max(200, AXIS + ROW * lanes))
        picture(chart, says(events, simulated=simulated), readable(events), key="action_timeline")


def says(events: pl.DataFrame, *, simulated: bool = False) -> str:
    """`What happened to this action, 7 entries in 20.0 s: guard decided allow; 2 messages; ran 18 s; completed; ...`"""
    moments = [*events["start"].to_list(), *events["end"].drop_nulls().to_list()]
    lasted = words.exact((max(moments) - min(moments)).total_seconds())
    parts = [_decision(events), *_counts(events), *_bars(events), *_ends(events)]
    told = "; ".join(part for part in parts if part)
    made = " A simulator made it up." if simulated else ""
    return (
        f"What happened to this action, {words.several(events.height, 'entry', 'entries')} in {lasted}: {told}.{made}"
    )


def readable(events: pl.DataFrame) -> pl.DataFrame:
    """The numbers of the picture as people read them."""
    lasted = (pl.col("end") - pl.col("start")).dt.total_milliseconds() / 1000
    return events.select(
        pl.col("start").alias("at (UTC)"),
        pl.col("lane").cast(pl.String),
        pl.col("kind").str.replace_all("_", " "),
        pl.col("text").map_elements(words.clean, return_dtype=pl.String).alias("what"),
        lasted.alias("seconds"),
        pl.col("open").alias("still open"),
    )


def _decision(events: pl.DataFrame) -> str:
    found = events.filter(pl.col("lane") == "decision")["kind"].to_list()
    return f"guard decided {spoken(found[0])}" if found else ""


def _counts(events: pl.DataFrame) -> list[str]:
    kinds = events["kind"].to_list()
    many = {"loop": "things left open"}
    return [words.several(kinds.count(kind), one, many.get(kind)) for kind, one in _COUNTED.items() if kind in kinds]


def _bars(events: pl.DataFrame) -> list[str]:
    bars = events.filter(pl.col("kind").is_in(["waiting", "running"])).sort("start")
    return [
        f"{row['text']} {words.exact((row['end'] - row['start']).total_seconds())}{' so far' if row['open'] else ''}"
        for row in bars.iter_rows(named=True)
    ]


def _ends(events: pl.DataFrame) -> list[str]:
    marks = events.filter(
        pl.col("lane").cast(pl.String).is_in(["approval", "outcome", "proof"]) & ~pl.col("kind").is_in(["waiting"])
    )
    # What was denied has that twice, as the approval's end and as its own.
    return [spoken(kind) for kind in marks["kind"].unique(maintain_order=True).to_list()]
