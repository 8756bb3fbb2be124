"""Learning curves against NumPy and SciPy, step by step."""

from __future__ import annotations

from datetime import timedelta
from math import floor, log2
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from assent_analytics.curves import by_exposure, by_week
from assent_analytics.rates import wilson
from tests.analytics.histories import MONDAY, assert_near, drawn, history


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def student(values: np.ndarray[Any, Any], low: float, high: float | None) -> tuple[float | None, ...]:
    if len(values) < 2:
        return (values.mean() if len(values) else None, None, None)
    ends = (values.mean(), values.mean())
    if values.std() > 0:
        ends = scipy_stats.t.interval(0.95, len(values) - 1, values.mean(), scipy_stats.sem(values))
    return (values.mean(), *(max(low, each if high is None else min(high, each)) for each in ends))


def check(row: dict[str, Any], own: pl.DataFrame) -> None:
    """A row against the rows that it is made of."""
    scores = own["score"].to_numpy().astype(float)
    successes = int(own["success"].sum())
    assert (row["n"], row["successes"]) == (len(own), successes)
    assert (row["success_low"], row["success_high"]) == near(wilson(successes, len(own)))
    assert [row[f"p{share}_score"] for share in (25, 50, 75)] == near(list(np.quantile(scores, [0.25, 0.5, 0.75])))
    assert_near([row[name] for name in ("avg_score", "score_low", "score_high")], student(scores, 0, 100))
    for column, names in (
        ("duration_ms", ("avg_duration_ms", "duration_low", "duration_high")),
        ("cost_estimate", ("avg_cost", "cost_low", "cost_high")),
    ):
        known = own[column].drop_nulls().to_numpy()
        assert_near([row[name] for name in names], student(known, 0, None))
        assert row["duration_n" if column == "duration_ms" else "cost_n"] == len(known)
    assert (row["window_start"], row["window_end"]) == (own["ended_at"].min(), own["ended_at"].max())
    assert row["status"] == ("ok" if len(own) >= 3 else "insufficient_data")
    assert row["simulated"] == own.filter(pl.col("source") == "simulated").height


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("first", [1, 3, 10])
def test_every_step_is_numpys(seed: int, first: int) -> None:
    frame = drawn(seed, 250)
    rows = by_exposure(frame, first).collect().to_dicts()
    for row in rows:
        pair = (pl.col("agent_id") == row["agent_id"]) & (pl.col("action_type") == row["action_type"])
        ordered = frame.filter(pair).sort("ended_at", maintain_order=True)
        check(row, ordered[row["exposure_from"] - 1 : row["exposure_to"]])
        assert all(
            row["step"] == (0 if each < first else floor(log2(each // first)) + 1)
            for each in (row["exposure_from"] - 1, row["exposure_to"] - 1)
        )
    assert sum(row["n"] for row in rows) == len(frame)


@pytest.mark.parametrize("seed", range(4))
def test_every_week_is_numpys(seed: int) -> None:
    frame = drawn(seed, 250)
    for row in by_week(frame).collect().to_dicts():
        pair = (pl.col("agent_id") == row["agent_id"]) & (pl.col("action_type") == row["action_type"])
        within = pl.col("ended_at").is_between(row["week"], row["week"] + timedelta(weeks=1), closed="left")
        check(row, frame.filter(pair & within))
        before = frame.filter(pair & (pl.col("ended_at") < row["week"])).height
        assert (row["exposure_from"], row["exposure_to"]) == (before + 1, before + row["n"])
        assert row["week"].weekday() == 0


@given(st.integers(1, 400), st.integers(1, 12))
def test_steps_double(n: int, first: int) -> None:
    frame = pl.DataFrame(
        {
            "agent_id": "a",
            "action_type": "t",
            "ended_at": pl.Series([MONDAY] * n).cast(pl.Datetime("us", "UTC")),
            "score": pl.int_range(n, eager=True),
            "success": True,
        }
    )
    rows = by_exposure(frame, first).collect()
    ends = [first * 2**step for step in range(20)]
    assert rows["exposure_to"].to_list()[:-1] == ends[: rows.height - 1]
    assert rows["exposure_to"].to_list()[-1] == n
    # Of one moment, the frame's order counts.
    assert rows["avg_score"].to_list()[0] == pytest.approx((min(first, n) - 1) / 2)


def test_one_episode_and_none() -> None:
    (row,) = by_exposure(history({"duration_ms": None})).collect().to_dicts()
    assert (row["n"], row["success_rate"], row["status"]) == (1, 1.0, "insufficient_data")
    assert (row["avg_score"], row["score_low"], row["p25_score"], row["duration_n"]) == (80, None, 80, 0)
    assert (row["avg_duration_ms"], row["cost_n"], row["cost_low"]) == (None, 1, None)
    for cut in (by_exposure, by_week):
        assert cut(history({}).clear()).collect().height == 0
        assert cut(history({}).clear()).collect().schema == cut(history({})).collect().schema


def test_huge_and_unknown_numbers() -> None:
    (row,) = (
        by_week(history({"cost_estimate": 1e300}, {"cost_estimate": 1e300}, {"cost_estimate": None}))
        .collect()
        .to_dicts()
    )
    assert (row["cost_n"], row["avg_cost"]) == (2, 1e300)
    frame = history({}, {"agent_id": None}, {"action_type": None}, {"ended_at": None})
    assert by_exposure(frame).collect()["n"].to_list() == [1]
    least = history({}).drop("duration_ms", "cost_estimate", "source")
    assert by_exposure(least).collect()["avg_cost"].to_list() == [None]


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="first is 0; give 1 or more"):
        by_exposure(history({}), 0)
    with pytest.raises(ValueError, match="episodes lack score"):
        by_week(history({}).drop("score"))
