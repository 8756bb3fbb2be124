"""How good a scan is: rates at thresholds worked out by hand, costs, and their pictures."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest

from assent_analytics import charts
from assent_analytics.rates import wilson
from assent_analytics.screening import by_group, cheapest, cost_lines, operating_points, weight_of_attacks

ROWS = pl.DataFrame(
    {
        "attack": [True, True, True, True, False, False, False, False, False],
        "score": [9.0, 4.0, 4.0, 0.0, 5.0, 4.0, 0.0, 0.0, 0.0],
        "source": ["a", "a", "b", "b", "a", "b", "b", "b", "c"],
        "block": [5.0, 5.0, 4.0, 4.0, 5.0, 4.0, 4.0, 4.0, 1.0],
    }
)


def test_rates_at_every_threshold_that_changes_anything() -> None:
    points = operating_points(ROWS)
    assert points.select("threshold", "caught", "stopped").rows() == [(0, 4, 5), (4, 3, 2), (5, 1, 1), (9, 1, 0)]
    at = points.row(1, named=True)
    assert (at["recall"], at["false_positives"], at["attacks"], at["harmless"]) == (0.75, 0.4, 4, 5)
    assert (at["recall_low"], at["recall_high"]) == pytest.approx(wilson(3, 4))
    assert (at["false_positives_low"], at["false_positives_high"]) == pytest.approx(wilson(2, 5))


def test_a_threshold_counts_those_that_reach_it() -> None:
    assert operating_points(ROWS, [4.0, 4.1, 99]).select("caught", "stopped").rows() == [(3, 2), (1, 1), (0, 0)]


def test_each_source_has_its_own_threshold() -> None:
    found = by_group(ROWS, pl.col("block"), "source")
    assert found.select("source", "caught", "attacks", "stopped", "harmless").rows() == [
        ("a", 1, 2, 1, 1),
        ("b", 1, 2, 1, 3),
        ("c", 0, 0, 0, 1),
    ]


@pytest.mark.parametrize(
    ("prevalence", "ratio", "weight"), [(0, 100, 0), (1, 1, 1), (0.5, 1, 0.5), (0.001, 999, 0.5), (0.1, 9, 0.5)]
)
def test_prevalence_and_ratio_are_one_weight(prevalence: float, ratio: float, weight: float) -> None:
    assert weight_of_attacks(prevalence, ratio) == pytest.approx(weight)


@pytest.mark.parametrize(("prevalence", "ratio"), [(-0.1, 1), (1.1, 1), (0.5, 0), (0.5, -2)])
def test_what_is_no_prevalence_or_ratio_is_refused(prevalence: float, ratio: float) -> None:
    with pytest.raises(ValueError, match="give a share from 0 to 1"):
        weight_of_attacks(prevalence, ratio)


def test_a_line_goes_from_false_positives_to_misses() -> None:
    lines = cost_lines({"scan": (0.75, 0.4)})
    ends = lines.filter(pl.col("weight").is_in([0.0, 0.5, 1.0])).sort("name", "weight")
    costs = {name: ends.filter(pl.col("name") == name)["cost"].to_list() for name in ends["name"].unique()}
    assert costs["scan"] == pytest.approx([0.4, 0.325, 0.25])
    assert costs["stop nothing"] == pytest.approx([0, 0.5, 1])
    assert costs["stop everything"] == pytest.approx([1, 0.5, 0])


@pytest.mark.parametrize(
    ("weight", "threshold", "cost"), [(0.0, 9, 0.0), (0.3, 9, 0.225), (0.6, 4, 0.31), (1.0, 0, 0.0)]
)
def test_the_cheapest_threshold_moves_with_the_weight(weight: float, threshold: float, cost: float) -> None:
    assert cheapest(operating_points(ROWS), weight) == pytest.approx((threshold, cost))


def words(chart: Any) -> str:
    title = json.loads(chart.to_json())["title"]
    lines = title["subtitle"]
    return f"{title['text']} · {lines if isinstance(lines, str) else ' · '.join(lines)}"


def test_pictures_say_what_they_stand_on() -> None:
    points = operating_points(ROWS)
    marks = operating_points(ROWS, [4.0, 9.0]).with_columns(name=pl.Series(["warn", "block"]))
    assert "n = 4 attacks" in words(charts.recall_curve(points, marks, most=1.0))
    assert "5 harmless" in words(charts.recall_curve(points, marks, most=1.0))
    assert "n = 9 texts" in words(charts.cost_by_weight(cost_lines({"scan": (0.75, 0.4)}), n=9))
    assert "n = 0" in words(charts.recall_curve(points.clear(), marks.clear()))
    assert "n = 0" in words(charts.cost_by_weight(cost_lines({}).clear(), n=0))


def test_what_is_out_of_the_picture_is_left_out() -> None:
    points = operating_points(ROWS)
    marks = operating_points(ROWS, [4.0, 9.0]).with_columns(name=pl.Series(["warn", "block"]))
    drawn = json.dumps(charts.recall_curve(points, marks, most=0.1).to_dict()["datasets"])
    assert '"block"' in drawn
    assert '"warn"' not in drawn


def test_the_pictures_of_the_page_count_their_texts() -> None:
    days = pl.DataFrame(
        {"day": ["2026-11-01", "2026-11-03"], "allow": [0, 1], "warn": [2, 0], "block": [1, 3]}
    ).with_columns(pl.col("day").str.to_date())
    assert "n = 7 texts" in words(charts.injection_days(days))
    assert "n = 0" in words(charts.injection_days(days.clear()))
    counts = pl.DataFrame(
        {
            "category": ["role_override", "jailbreak", "jailbreak"],
            "recommendation": ["block", "warn", "block"],
            "texts": [1, 2, 3],
        }
    )
    assert "n = 6 texts and categories" in words(charts.injection_categories(counts))
    (order,) = {tuple(each["sort"]) for each in [charts.injection_categories(counts).to_dict()["encoding"]["y"]]}
    assert order == ("jailbreak", "role_override")
    assert "n = 0" in words(charts.injection_categories(counts.clear()))
