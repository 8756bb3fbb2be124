"""The picture of a session as a flow: who spoke when, which call was stopped, and where its values came from."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from assent.contract.control.flow_steps import FlowSteps
from assent.contract.control.guard import Decision, Source
from assent_analytics.charts.canvas import CLOSE, Chart, Width, colours, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import AMBER, BLUE, GREEN, GREY, MUTED, RED, VIOLET, spoken
from assent_analytics.flow_steps import first_step, label_spans, stopped, tool_of, value_frame

TITLE = "The session, step by step"
USER, ANSWERS, CALLS, OPERATOR = "user", "answers", "calls", "operator"
LANE, ROOM, MOST_LABELS = 46, 96, 4
"""Pixels of a lane, and of what stands below and above them; so many labels have a lane."""
KINDS: dict[str, tuple[str, str]] = {
    "said": (VIOLET, "circle"),
    "data": (GREY, "square"),
    "text_of_others": (AMBER, "triangle-up"),
    "label_off": (VIOLET, "stroke"),
    "allowed": (GREEN, "circle"),
    "warned": (AMBER, "diamond"),
    "asked_about": (BLUE, "triangle-down"),
    "blocked": (RED, "cross"),
}
"""Colour and shape of a step."""
VERDICTS = {
    Decision.ALLOW: "allowed",
    Decision.WARN: "warned",
    Decision.REQUIRE_APPROVAL: "asked_about",
    Decision.BLOCK: "blocked",
}
FROM = {"text": (AMBER, [5, 3]), "field": (GREY, [1, 0])}
"""Colour and dashes of a line from an answer to the call that has a value of it."""


def session_flow(found: FlowSteps, *, width: Width = "container") -> Chart:
    """Steps from left to right, in lanes: what the user said, what tools answered, what the agent asked to do, what an
    operator took off, and a bar for each label while it holds. Lines lead from an answer to each call that has a value
    of its text (dashed) or of its fields."""
    if not found.steps:
        return nothing(TITLE, width, 3 * LANE)
    marks = pl.DataFrame(_marks(found), orient="row")
    bars = _bars(found)
    lanes = [
        USER,
        ANSWERS,
        CALLS,
        *([OPERATOR] if OPERATOR in marks["lane"] else []),
        *bars["lane"].unique(maintain_order=True),
    ]
    numbers = marks["step"]
    first, last = int(numbers[0]), int(numbers[-1])
    scale = alt.Scale(domain=[first - 0.6, last + 0.6], nice=False, zero=False)
    axis = alt.Axis(format="d", tickMinStep=1, tickCount=min(12, len(found.steps)), grid=False, domain=False, **CLOSE)
    x = alt.X("step:Q", title="step", scale=scale, axis=axis)
    words = alt.Axis(ticks=False, domain=False, grid=True, gridOpacity=0.25, labelLimit=110, **CLOSE)
    y = alt.Y("lane:N", sort=lanes, scale=alt.Scale(domain=lanes), title=None, axis=words)
    held = alt.Chart(bars).mark_bar(height=12, cornerRadius=3, color=AMBER, opacity=0.45)
    spans = held.encode(x=alt.X("since:Q", scale=scale), x2="until:Q", y=y, tooltip=["lane:N", "told:N"])
    lines = alt.Chart(_lines(found)).mark_rule(strokeWidth=1.8, opacity=0.85)
    came = lines.encode(
        x=alt.X("source:Q", scale=scale),
        x2="step:Q",
        y=alt.Y("lane:N", sort=lanes, scale=alt.Scale(domain=lanes)),
        y2="to:N",
        color=alt.Color("colour:N", scale=None),
        strokeDash=alt.StrokeDash("origin:N", scale=_dashes(), legend=None),
        tooltip=["told:N"],
    )
    there = {kind: KINDS[kind] for kind in KINDS if kind in marks["kind"]}
    shapes = alt.Scale(domain=list(there), range=[shape for _, shape in there.values()])
    points = alt.Chart(marks).mark_point(filled=True, size=110, opacity=1, strokeWidth=2.5)
    drawn = points.encode(
        x=x,
        y=y,
        color=alt.Color("kind:N", **colours({kind: colour for kind, (colour, _) in there.items()})),
        shape=alt.Shape("kind:N", scale=shapes, legend=None),
        tooltip=["step:Q", "what:N", "so:N"],
    )
    # The first one alone: names of those that follow would stand on each other.
    named = marks.filter("stopped").head(1)
    late = not named.is_empty() and named["step"][0] > (first + last) / 2
    texts = alt.Chart(named).mark_text(
        align="right" if late else "left", dx=6 if late else -6, dy=14, color=MUTED, fontSize=11, limit=150
    )
    first_stopped = texts.encode(x=alt.X("step:Q", scale=scale), y=y, text="name:N")
    chart = alt.layer(spans, came, drawn, first_stopped).resolve_scale(color="independent")
    asked = [each.asked for each in found.steps if each.asked is not None]
    simulated = sum(each.source is Source.SIMULATED for each in asked)
    n = sum(stopped(each) for each in asked)
    said = (counted(found.total, "steps"), f"{n} stopped", *never_happened(len(asked), simulated))
    return size(chart, heading(TITLE, *said), width, LANE * len(lanes) + ROOM)


def _marks(found: FlowSteps) -> list[dict[str, Any]]:
    marks: list[dict[str, Any]] = []
    for number, each in enumerate(found.steps, first_step(found)):
        if each.asked is not None:
            kind, name = VERDICTS[each.asked.decision], tool_of(each.asked)
            row = {"lane": CALLS, "kind": kind, "what": f"{name} was asked", "so": spoken(each.asked.decision)}
            marks.append({"step": number, "name": name, "stopped": stopped(each.asked), **row})
        elif each.told is not None:
            told = each.told
            lane, kind, what = {
                "user": (USER, "said", "the user said something"),
                "removal": (OPERATOR, "label_off", "an operator took a label off"),
            }.get(told.kind, (ANSWERS, "text_of_others" if told.text else "data", f"{told.tool} answered"))
            so = ", ".join(told.labels)
            marks.append(
                {
                    "step": number,
                    "name": told.tool,
                    "stopped": False,
                    "lane": lane,
                    "kind": kind,
                    "what": what,
                    "so": so,
                }
            )
    return marks


def _bars(found: FlowSteps) -> pl.DataFrame:
    """While which steps each label holds; the first labels alone have room."""
    first, last = first_step(found), first_step(found) + len(found.steps) - 1
    spans = label_spans(found)
    names = list(dict.fromkeys(span.label for span in spans))[:MOST_LABELS]
    rows = [
        {
            "lane": span.label,
            "since": (span.since or first) - 0.4,
            "until": last + 0.5 if span.until is None else float(span.until),
            "told": "holds" if span.until is None else f"taken off at step {span.until}",
        }
        for span in sorted(spans, key=lambda span: span.label)
        if span.label in names
    ]
    return pl.DataFrame(rows, schema={"lane": pl.String, "since": pl.Float64, "until": pl.Float64, "told": pl.String})


def _lines(found: FlowSteps) -> pl.DataFrame:
    rows = [
        {
            "source": row[place],
            "step": row["step"],
            "lane": ANSWERS,
            "to": CALLS,
            "origin": origin,
            "colour": FROM[origin][0],
            "told": f"{row['argument']} of {row['tool']} (step {row['step']}) is in a {origin} of step {row[place]}",
        }
        for row in value_frame(found).iter_rows(named=True)
        for place, origin in (("text_step", "text"), ("from_step", "field"))
        if row[place] is not None and row["origin"] not in ("user", "approved")
    ]
    schema = {
        "source": pl.Int64,
        "step": pl.Int64,
        **dict.fromkeys(("lane", "to", "origin", "colour", "told"), pl.String),
    }
    return pl.DataFrame(rows, schema=schema).unique(("source", "step", "origin"), maintain_order=True)


def _dashes() -> alt.Scale:
    return alt.Scale(domain=list(FROM), range=[dashes for _, dashes in FROM.values()])
