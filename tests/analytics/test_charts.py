"""Every picture can be drawn, says its n, says when it is simulated, and has something to say about nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import polars as pl
import pytest
import vl_convert

from assent.contract.actions import ActionStatus
from assent.contract.approvals import ApprovalState
from assent.contract.guard import Decision
from assent.contract.pcaa import CheckpointId, CheckpointStatus
from assent_analytics import approvals, charts, decisions, pcaa
from assent_analytics.charts.approvals import in_words
from assent_analytics.charts.canvas import Chart, Width
from assent_analytics.replay import timeline
from tests.analytics import tables
from tests.analytics.tables import NOW
from tests.analytics.traces import START, approval, trace

Draw = Callable[[int, Width], Chart]
"""A picture of so many rows, in this width; some of the rows are simulated."""


def funnel(rows: int, width: Width) -> Chart:
    acts = tables.actions(*({"action_id": str(at), "source": "simulated"} for at in range(rows)))
    states = pcaa.checkpoint_states(acts, tables.assumptions(), tables.approvals(), NOW)
    return charts.checkpoint_funnel(pcaa.checkpoint_counts(states), simulated=rows, width=width)


def mix(rows: int, width: Width) -> Chart:
    frame = tables.decisions(*({"occurred_at": NOW - timedelta(days=at % 3)} for at in range(rows)))
    return charts.decision_mix(decisions.mix_by_day(frame), simulated=rows, width=width)


def asked(rows: int) -> pl.DataFrame:
    ends = ({"decided_at": NOW + timedelta(minutes=at * at)} for at in range(rows))
    return tables.approvals(*ends).with_columns(source=pl.lit("simulated"))


def latency(rows: int, width: Width) -> Chart:
    return charts.approval_latency(approvals.times_to_decide(asked(rows)), width=width)


def backlog(rows: int, width: Width) -> Chart:
    steps = approvals.backlog(asked(rows), timedelta(minutes=5))
    return charts.approval_backlog(steps, asked=rows, simulated=rows, width=width)


def gantt(rows: int, width: Width) -> Chart:
    frame = timeline(trace("completed", "require_approval", approval=approval("approved", 12)), START)
    return charts.replay_gantt(frame.head(rows), simulated=True, width=width)


DRAWN: dict[str, Draw] = {"funnel": funnel, "mix": mix, "latency": latency, "backlog": backlog, "gantt": gantt}
each_picture = pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)


def drawn(chart: Chart) -> dict[str, Any]:
    """The picture as Vega-Lite, once it has also become a PNG."""
    specification: dict[str, Any] = json.loads(chart.to_json())
    assert vl_convert.vegalite_to_png(specification).startswith(b"\x89PNG")
    return specification


def subtitle(specification: dict[str, Any]) -> str:
    said = specification["title"]["subtitle"]
    return said if isinstance(said, str) else " · ".join(said)


@each_picture
@pytest.mark.parametrize("width", [350, 700])
@pytest.mark.parametrize("rows", [1, 5])
def test_a_picture_says_how_many_and_that_they_never_happened(draw: Draw, width: int, rows: int) -> None:
    specification = drawn(draw(rows, width))
    assert specification["width"] == width
    assert subtitle(specification).startswith(f"n = {rows} ")
    assert "simulated" in subtitle(specification)
    assert "background" not in specification.get("config", {})


@each_picture
def test_nothing_is_said_to_be_nothing(draw: Draw) -> None:
    specification = drawn(draw(0, 350))
    assert "nothing in this window" in json.dumps(specification)
    assert subtitle(specification) == "n = 0"


@each_picture
def test_a_picture_can_follow_the_page(draw: Draw) -> None:
    assert json.loads(draw(3, "container").to_json())["width"] == "container"


def test_live_rows_are_not_said_to_be_simulated() -> None:
    days = decisions.mix_by_day(tables.decisions({}, {}))
    assert subtitle(drawn(charts.decision_mix(days, width=350))) == "n = 2 decisions"
    some = charts.decision_mix(days, simulated=1, width=350)
    assert subtitle(drawn(some)) == "n = 2 decisions · 1 of them simulated"


def test_bars_add_up_to_the_approvals() -> None:
    specification = json.loads(latency(40, 700).to_json())
    rows = [row for data in specification["datasets"].values() for row in data if "approvals" in row]
    assert sum(row["approvals"] for row in rows) == 40
    for row in rows:
        assert row["top"] - row["bottom"] == row["approvals"]


def test_latency_says_its_quantiles() -> None:
    # 1, 61 and 121 minutes: the middle one is p50, p95 lies 0.9 of the way from 61 to 121.
    frame = tables.approvals(
        *({"requested_at": NOW, "decided_at": NOW + timedelta(minutes=minutes)} for minutes in (1, 61, 121))
    )
    said = subtitle(drawn(charts.approval_latency(approvals.times_to_decide(frame), width=350)))
    assert said == "n = 3 decided · p50 1.02 h · p95 1.92 h"


def test_an_approval_at_once_has_a_place_on_a_log_axis() -> None:
    frame = tables.approvals({"decided_at": NOW, "requested_at": NOW})
    drawn(charts.approval_latency(approvals.times_to_decide(frame), width=350))


def test_everything_has_a_colour() -> None:
    assert set(charts.DECISIONS) == set(Decision)
    assert set(charts.CHECKPOINT_STATUSES) == set(CheckpointStatus)
    assert list(charts.CHECKPOINTS) == list(CheckpointId)
    assert set(charts.APPROVALS) == set(ApprovalState)
    assert set(charts.STATUSES) == set(ActionStatus)
    assert {*Decision, *ApprovalState, *ActionStatus, "waiting", "assumption", "correction"} <= set(charts.TIMELINE)


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.25, "0.25 s"), (59, "59 s"), (90, "1.5 min"), (7200, "2 h"), (172800, "2 d")]
)
def test_durations_in_words(seconds: float, said: str) -> None:
    assert in_words(seconds) == said
