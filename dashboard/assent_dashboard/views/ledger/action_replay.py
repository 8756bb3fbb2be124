"""The life of one action as a picture, with what it says in words. Key: `action_replay`."""

from __future__ import annotations

import polars as pl
import streamlit as st

from assent import Action, Source
from assent_analytics.charts import replay_gantt
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words
from assent_dashboard.views.picture import picture

ROW, AXIS = 26, 90
"""Pixels of a lane, and of what is around the lanes."""
_COUNTED = {
    "assumption": "assumption",
    "message": "message",
    "correction": "correction",
    "loop": "thing left open",
}


def draw(action: Action, events: pl.DataFrame) -> None:
    """`events` is `assent_analytics.replay.timeline`."""
    simulated = action.source is Source.SIMULATED
    lanes = events["lane"].n_unique()
    with st.container(key="action_replay"):
        chart = replay_gantt(events, simulated=simulated, height=max(200, AXIS + ROW * lanes))
        picture(chart, says(events, simulated=simulated), shown(events), key="action_timeline")


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


def shown(events: pl.DataFrame) -> pl.DataFrame:
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
    return [spoken(kind) for kind in marks["kind"].to_list()]
