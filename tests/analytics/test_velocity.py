"""Velocity against NumPy and SciPy, window by window, and by hand."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from assent_analytics.rates import wilson
from assent_analytics.velocity import overall, velocity, windows
from tests.analytics.histories import MONDAY, assert_near, drawn, history


def only(frame: pl.DataFrame, period: Any = "daily") -> dict[str, Any]:
    (row,) = velocity(frame, period).to_dicts()
    return row


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("period", ["daily", "weekly"])
def test_it_is_numpys_and_scipys(seed: int, period: Any) -> None:
    frame = drawn(seed, 300)
    days = 1 if period == "daily" else 7
    for row in velocity(frame, period).to_dicts():
        of: dict[int, list[int]] = defaultdict(list)
        own = frame.filter(pl.col("agent_id") == row["agent_id"])
        for at, score in own.select("ended_at", "score").iter_rows():
            of[(at - MONDAY) // timedelta(days=days)].append(score)
        x = np.array(sorted(of), dtype=float)
        y = np.array([np.mean(of[int(each)]) for each in x])
        line, sen = scipy_stats.linregress(x, y), scipy_stats.theilslopes(y, x)
        half = scipy_stats.t.ppf(0.975, len(x) - 2) * line.stderr
        assert (row["n"], row["windows"]) == (len(own), len(x))
        assert (row["velocity"], row["velocity_low"], row["velocity_high"]) == near(
            (line.slope, line.slope - half, line.slope + half)
        )
        assert row["slope"] == near(sen.slope)
        expected = (sen.low_slope, sen.high_slope) if len(x) >= 5 else (None, None)
        assert_near((row["slope_low"], row["slope_high"]), expected)
        cut = (len(x) + 1) // 2
        later, earlier = np.polyfit(x[-cut:], y[-cut:], 1)[0], np.polyfit(x[:cut], y[:cut], 1)[0]
        assert row["acceleration"] == near(later - earlier)
        assert row["score_delta"] == near(y[-1] - y[0])
        scores = own["score"].to_numpy()
        there = scipy_stats.t.interval(0.95, len(scores) - 1, scores.mean(), scipy_stats.sem(scores))
        assert (row["avg_score"], row["avg_low"], row["avg_high"]) == near((scores.mean(), *there))
        successes = int(own["success"].sum())
        assert (row["success_rate"], row["success_low"], row["success_high"]) == near(
            (successes / len(own), *wilson(successes, len(own)))
        )
        assert row["simulated"] == own.filter(pl.col("source") == "simulated").height


def test_by_hand() -> None:
    # Means 50, 60 and 80 on days 0, 1 and 3 lie on a line of 10 a day.
    frame = history({"score": 40}, {"score": 60}, {"day": 1, "score": 60}, {"day": 3, "score": 80})
    row = only(frame)
    assert (row["velocity"], row["slope"], row["score_delta"]) == near((10.0, 10.0, 30.0))
    assert row["acceleration"] == near(0.0)
    assert (row["slope_low"], row["status"]) == (None, "ok")
    assert (row["period_start"], row["period_end"]) == (MONDAY, MONDAY + timedelta(days=3))


def test_weeks_begin_on_monday() -> None:
    frame = history(
        {"day": 0, "score": 10}, {"day": 6, "score": 20}, {"day": 7, "score": 90}, {"day": 13, "score": 100}
    )
    row = only(frame, "weekly")
    assert (row["windows"], row["velocity"]) == (2, near(80.0))
    assert row["velocity_low"] is None
    assert row["acceleration"] is None


@pytest.mark.parametrize(
    "rows",
    [
        [{}],
        [{}, {"day": 1}],
        [{}, {}, {}, {}],
    ],
)
def test_too_little_makes_no_trend(rows: list[dict[str, Any]]) -> None:
    row = only(history(*rows))
    assert row["status"] == "insufficient_data"
    trend = ("velocity", "velocity_low", "slope", "slope_low", "acceleration", "score_delta")
    assert [row[name] for name in trend] == [None] * 6
    assert row["success_low"] < row["success_rate"] == 1.0


def test_scores_that_are_all_alike() -> None:
    row = only(history(*({"day": day} for day in range(8))))
    assert (row["velocity"], row["slope"], row["slope_low"], row["velocity_low"]) == (0, 0, None, None)
    assert (row["avg_score"], row["avg_low"], row["avg_high"]) == (80, 80, 80)


def test_nobody() -> None:
    frame = history({}).clear()
    found = velocity(frame)
    assert (found.height, windows(frame).collect().height) == (0, 0)
    assert found.schema == velocity(history({}, {"day": 1}, {"day": 2})).schema
    row = overall(frame).collect().row(0, named=True)
    assert (row["total_episodes"], row["avg_score"], row["success_low"]) == (0, None, None)
    assert row["status"] == "insufficient_data"


def test_rows_without_an_agent_or_an_end_do_not_count() -> None:
    frame = history({}, {"agent_id": None}, {"ended_at": None})
    assert only(frame)["n"] == 1


@pytest.mark.parametrize("name", ["score", "success"])
def test_what_lacks_a_score_or_a_success_is_left_out_and_counted(name: str) -> None:
    """From day to day one more of ten lacks it: nothing moves but their number."""
    rows = [{"day": day, "score": 60 + 2 * at, "success": at > 1} for day in range(8) for at in range(10)]
    frame = history(*rows)
    lack = pl.int_range(pl.len()) // 10 > 9 - pl.int_range(pl.len()) % 10
    without = frame.with_columns(pl.when(~lack).then(name).alias(name))
    (row,) = velocity(without).to_dicts()
    (kept,) = velocity(frame.filter(~lack)).to_dicts()
    assert row.pop("left_out") == 28
    assert kept.pop("left_out") == 0
    assert row == kept
    total, of_kept = (overall(each).collect().drop("left_out") for each in (without, frame.filter(~lack)))
    assert total.equals(of_kept)
    assert overall(without).collect()["left_out"].item() == 28
    assert windows(without).collect().equals(windows(frame.filter(~lack)).collect())


def test_agents_stand_in_order_and_alone() -> None:
    frame = history({"agent_id": "b"}, {"agent_id": "a", "score": 10}, {"agent_id": "b", "score": 100})
    assert velocity(frame).select("agent_id", "n", "avg_score").rows() == [("a", 1, 10.0), ("b", 2, 90.0)]


@pytest.mark.parametrize(
    ("episodes", "successes", "score", "level", "number"),
    [
        (9, 9, 100, "novice", 30 * 0.009 + 40 + 30),
        (10, 4, 40, "developing", 30 * 0.01 + 16 + 12),
        (10, 3, 100, "novice", 30 * 0.01 + 12 + 30),
        (50, 30, 55, "competent", 30 * 0.05 + 24 + 16.5),
        (50, 30, 54, "developing", 30 * 0.05 + 24 + 16.2),
        (150, 120, 65, "proficient", 30 * 0.15 + 32 + 19.5),
        (500, 425, 75, "expert", 15 + 34 + 22.5),
        (1000, 920, 85, "master", 30 + 36.8 + 25.5),
        (2000, 2000, 100, "master", 100),
    ],
)
def test_maturity(episodes: int, successes: int, score: int, level: str, number: float) -> None:
    frame = pl.DataFrame(
        {
            "agent_id": "a",
            "ended_at": pl.Series([MONDAY] * episodes).cast(pl.Datetime("us", "UTC")),
            "score": pl.Series([score] * episodes),
            "success": [True] * successes + [False] * (episodes - successes),
        }
    )
    row = only(frame)
    assert (row["maturity_level"], row["maturity_score"]) == (level, near(number))


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="period is 'hourly'; give one of daily, weekly"):
        velocity(history({}), "hourly")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="episodes lack score, success"):
        velocity(history({}).drop("score", "success"))


def test_the_whole() -> None:
    frame = history({"score": 70}, {"score": 90, "success": False, "source": "simulated"}, {"score": 80})
    row = overall(frame).collect().row(0, named=True)
    low, high = wilson(2, 3)
    # Student's t with 2 degrees of freedom is 4.302653, and the sd 10: 80 -+ 24.8414.
    assert (row["avg_score"], row["avg_low"], row["avg_high"]) == pytest.approx((80, 55.1586, 100), abs=1e-3)
    assert (row["success_rate"], row["success_low"], row["success_high"]) == near((2 / 3, low, high))
    assert (row["total_episodes"], row["simulated"], row["status"]) == (3, 1, "ok")
