"""Every picture can be drawn, says its n, says when it is simulated, and has something to say about nothing."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
import polars as pl
import pytest
import vl_convert
from PIL import Image

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent.contract.evidence.pcaa import CheckpointId, CheckpointStatus
from assent_analytics import approvals, charts, decisions, drift, risk
from assent_analytics.charts.approvals import rounded_share
from assent_analytics.charts.canvas import Chart
from assent_analytics.charts.metrics import named
from assent_analytics.charts.palette import INK, MUTED, RISK
from assent_analytics.detector import Grid
from assent_analytics.drivers import drivers as find_drivers
from assent_analytics.evidence import evidence
from tests.analytics import tables
from tests.analytics.drawing import (
    AFTER,
    BEFORE,
    DRAWN,
    Draw,
    costs,
    distributions,
    drifts,
    estimated,
    funnel,
    latency,
    learnt,
    risky,
    trace_of,
)
from tests.analytics.tables import NOW
from tests.tiers import deep

WIDE = deep("each picture has one width in the quick tier")
each_picture = pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)


def made(chart: Chart) -> tuple[dict[str, Any], bytes]:
    """The picture as Vega-Lite, and as the PNG that it becomes."""
    specification: dict[str, Any] = json.loads(chart.to_json())
    picture = vl_convert.vegalite_to_png(specification)
    assert picture.startswith(b"\x89PNG")
    return specification, picture


@cache
def made_once(draw: Draw, rows: int, width: int) -> tuple[dict[str, Any], bytes]:
    """What more than one test looks at; no test may change it."""
    return made(draw(rows, width))


def drawn(chart: Chart) -> dict[str, Any]:
    """The picture as Vega-Lite, once it has also become a PNG."""
    return made(chart)[0]


def subtitle(specification: dict[str, Any]) -> str:
    said = specification["title"]["subtitle"]
    return said if isinstance(said, str) else " · ".join(said)


@each_picture
@pytest.mark.parametrize("width", [350, pytest.param(700, marks=WIDE)])
@pytest.mark.parametrize("rows", [pytest.param(1, marks=deep("each picture is drawn once in the quick tier")), 5])
def test_a_picture_says_how_many_and_that_they_never_happened(draw: Draw, width: int, rows: int) -> None:
    specification, _ = made_once(draw, rows, width)
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


@each_picture
@pytest.mark.parametrize("width", [350, *(pytest.param(each, marks=WIDE) for each in (300, 560, 700))])
def test_nothing_is_cut_off_at_the_edge(draw: Draw, width: int) -> None:
    _, picture = made_once(draw, 5, width)
    pixels = np.asarray(Image.open(BytesIO(picture)).convert("L"))
    assert pixels.shape[1] == pytest.approx(width, abs=1)
    for edge in (pixels[:2], pixels[-2:], pixels[:, :2], pixels[:, -2:]):
        assert edge.min() > 250, "something dark reaches the edge of the picture"


def words(chart: Chart) -> set[str]:
    """Every text that can be seen in the picture."""
    svg = vl_convert.vegalite_to_svg(json.loads(chart.to_json()))
    texts = re.findall(r"<text([^>]*)>([^<]+)</text>", svg)
    return {text for attributes, text in texts if 'opacity="0"' not in attributes}


@pytest.mark.parametrize("width", [300, *(pytest.param(each, marks=WIDE) for each in (350, 700))])
def test_every_checkpoint_and_every_status_is_named(width: int) -> None:
    # A theme like Streamlit's lets names give way to each other.
    seen = words(funnel(5, width).properties(height=190).configure_axis(labelOverlap=True, labelFontSize=12))
    assert seen >= {"Admissibility", "Action open", "Assumption", "Approval", "Outcome"}
    assert seen >= {"complete", "denied", "pending", "missing", "not required"}


@pytest.mark.parametrize("width", [300, *(pytest.param(each, marks=WIDE) for each in (350, 700))])
def test_days_are_named_even_those_on_which_nothing_was_decided(width: int) -> None:
    # NOW and four days before it; nothing between.
    frame = tables.decisions({"occurred_at": NOW}, {"occurred_at": NOW - timedelta(days=4)})
    seen = words(charts.decision_mix(decisions.mix_by_day(frame), width=width))
    assert seen >= {f"{NOW - timedelta(days=back):%b} {(NOW - timedelta(days=back)).day}" for back in range(5)}
    assert seen >= {"allow", "warn", "require approval", "block"}


@each_picture
@pytest.mark.parametrize("page", ["#ffffff", "#10151c"])
def test_what_the_theme_does_not_colour_can_be_read_on_every_page(draw: Draw, page: str) -> None:
    specification, _ = made_once(draw, 5, 350)
    assert specification["title"]["subtitleColor"] == MUTED
    texts = [
        layer["mark"]
        for layer in specification.get("layer", [specification])
        if layer.get("mark", {}).get("type") == "text"
    ]
    # What stands on a filled cell is no business of the page.
    assert all(mark["color"] in (MUTED, INK) for mark in texts)
    darker, lighter = sorted((luminance(MUTED), luminance(page)))
    assert (lighter + 0.05) / (darker + 0.05) >= 4


def test_a_number_can_be_read_on_every_filled_cell() -> None:
    assert all((luminance(colour) + 0.05) / (luminance(INK) + 0.05) >= 4 for colour in RISK)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
    assert said == "n = 3 decided · p50 1 h 1 min · p95 1 h 55 min"


def test_a_crowd_that_came_and_went_between_two_steps_is_drawn() -> None:
    # Forty are asked 10 minutes after a step and decided 5 minutes later; the next step comes after an hour.
    crowd = {"requested_at": NOW + timedelta(minutes=10), "decided_at": NOW + timedelta(minutes=15)}
    one = {"requested_at": NOW, "decided_at": NOW + timedelta(hours=3)}
    steps = approvals.backlog(tables.approvals(one, *[crowd] * 40), timedelta(hours=1))
    specification = drawn(charts.approval_backlog(steps, asked=41, width=350))
    assert subtitle(specification) == "n = 41 asked · most at once 41"
    (rows,) = specification["datasets"].values()
    assert [row[specification["encoding"]["y"]["field"]] for row in rows] == [41, 1, 1, 0]


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


def rows_of(specification: dict[str, Any]) -> int:
    return sum(len(rows) for rows in specification.get("datasets", {}).values())


@pytest.mark.parametrize(
    "draw", [risky, distributions, drifts, trace_of, estimated, learnt], ids=lambda draw: draw.__name__
)
def test_a_picture_of_much_is_made_of_little(draw: Draw) -> None:
    specification = json.loads(draw(20_000, 700).to_json())
    assert rows_of(specification) < 5000


LAYERED = ["distributions", "drift", "learning"]


@pytest.mark.parametrize("name", LAYERED)
def test_what_colour_tells_shape_or_dash_tells_as_well(name: str) -> None:
    layers = json.loads(DRAWN[name](6, 700).to_json())["layer"]
    coloured = {
        layer["encoding"]["color"]["field"] for layer in layers if "field" in layer["encoding"].get("color", {})
    }
    told = {
        layer["encoding"][how]["field"]
        for layer in layers
        for how in ("shape", "strokeDash")
        if how in layer["encoding"]
    }
    assert coloured
    assert coloured <= told


def risks_of(rows: int) -> pl.DataFrame:
    """`rows` actions of one cell, and 19 of another."""
    many = ({"agent_id": "old", "risk_score": 61.0} for _ in range(rows))
    few = ({"agent_id": "new", "risk_score": 62.0} for _ in range(19))
    return risk.by_agent_and_type(tables.actions(*many, *few)).collect()


def test_cells_of_few_actions_are_pale_and_say_their_number_all_the_same() -> None:
    chart = charts.risk_map(risks_of(20), width=500)
    assert {"61", "62"} <= words(chart)
    svg = vl_convert.vegalite_to_svg(json.loads(chart.to_json()))
    cells = re.findall(r'<path aria-label="[^"]*agent_id: (old|new)[^"]*"([^>]*)>', svg)
    drawn_cells = dict(cells)
    assert "fill-opacity" in drawn_cells["new"]
    assert "stroke-dasharray" in drawn_cells["new"]
    assert "fill-opacity" not in drawn_cells["old"]


def test_only_the_busiest_are_shown_and_the_picture_says_who_is_not() -> None:
    acts = tables.actions(*({"agent_id": f"agent {at}"} for at in range(40)))
    said = subtitle(drawn(charts.risk_map(risk.by_agent_and_type(acts), width=500)))
    assert "10 agents and 0 types with fewer not shown" in said


def test_the_cost_curve_says_what_is_least_and_what_was_chosen() -> None:
    said = subtitle(drawn(costs(5, 500)))
    assert "least at 40: 300 (240 to 360)" in said
    assert "chosen 60: 700 (560 to 840)" in said


def test_the_drift_overview_counts_what_drifted_and_what_could_not_be_tested() -> None:
    rng = np.random.default_rng(0)
    old = pl.DataFrame({"a": rng.normal(0, 1, 200), "b": rng.normal(0, 1, 200), "c": [None] * 200})
    new = pl.DataFrame({"a": rng.normal(3, 1, 200), "b": rng.normal(0, 1, 200), "c": [None] * 200})
    old, new = (each.with_columns(pl.col("c").cast(pl.Float64)) for each in (old, new))
    chart = charts.drift_overview(drift.compare_columns(old, new), width=500)
    said = subtitle(drawn(chart))
    assert said == "n = 2 comparisons · 1 drifted · 1 with too few values"
    assert {"a", "b"} <= words(chart)


def test_the_detectors_picture_marks_the_alarm_and_where_the_change_is_put() -> None:
    rng = np.random.default_rng(3)
    scores = [*rng.normal(40, 8, 200), *rng.normal(75, 8, 100)]
    frame = pl.DataFrame(
        {"ended_at": [NOW + timedelta(minutes=at) for at in range(300)], "score": scores},
        schema={"ended_at": tables.TIME, "score": pl.Float64},
    )
    found = evidence(frame, "score", grid=Grid.NUMBER)
    chart = charts.detector_trace(found, metric="score", known={"planted": NOW + timedelta(minutes=200)}, width=600)
    assert {"estimated", "planted", "alarm"} <= words(chart)
    assert "1 alarm" in subtitle(drawn(chart))


def test_learning_leads_no_line_through_what_too_few_episodes_say() -> None:
    specification = drawn(learnt(5, 500))
    lines = [layer for layer in specification["layer"] if layer["mark"]["type"] in ("line", "area")]
    assert all("datum.status === 'ok'" in json.dumps(layer["transform"]) for layer in lines)
    assert {"old", "new"} <= words(learnt(5, 500))


def test_estimates_of_few_are_hollow_and_the_picture_says_so() -> None:
    assert "hollow: below 20" in subtitle(drawn(estimated(5, 500)))
    with_enough = pl.DataFrame({"name": ["a"], "value": [0.5], "low": [0.4], "high": [0.6], "n": [20]})
    said: dict[str, Any] = {"title": "Failures", "axis": "share", "what": "calls", "width": 500}
    assert subtitle(drawn(charts.estimates(with_enough, n=20, **said))) == "n = 20 calls · 95% intervals"


@pytest.mark.parametrize(
    ("metric", "name"), [("duration_ms", "duration"), ("block_rate", "blocks"), ("tokens", "tokens")]
)
def test_metrics_are_called_what_people_call_them(metric: str, name: str) -> None:
    assert named(metric) == name


def test_a_share_of_all_but_one_is_not_written_as_all() -> None:
    counts = pl.DataFrame({"part": [99_999, 100_000, 1, 0], "whole": [100_000, 100_000, 3, 100_000]})
    shares = counts.select(share=rounded_share(pl.col("part"), pl.col("whole")))["share"].to_list()
    assert [f"{share:.1%}" for share in shares] == ["99.9%", "100.0%", "33.3%", "0.0%"]


def test_a_waterfall_says_long_names_to_their_end_in_lines() -> None:
    long = ["deploy_a_whole_production_service_to_every_region_of_the_world", "refund"]
    some = pl.DataFrame(
        {
            "session_id": [f"s{at}" for at in range(40)],
            "tool": long * 20,
            "status": ["completed"] * 30 + ["failed"] * 10,
            "occurred_at": [NOW - timedelta(days=10 - at / 5) for at in range(40)],
        }
    )
    found = find_drivers(some, "failure_rate", baseline=BEFORE, recent=AFTER, by=["tool"])
    drawn = vl_convert.vegalite_to_svg(charts.waterfall(found, width=390).to_dict())
    said = "".join(re.findall(r"<t(?:ext|span)[^>]*>([^<]*)", drawn))
    for each in (*long, "before", "after"):
        assert each in said, "one label is left out"
    assert said.count("mix of") + said.count("rate of") == 4, "of two tools"
    assert "…" not in said
    # A browser leaves out every other label of lines that are close, unless it is told not to.
    axes = [each["encoding"]["y"]["axis"] for each in charts.waterfall(found).to_dict()["layer"]]
    assert all(each["labelOverlap"] is False for each in axes)
