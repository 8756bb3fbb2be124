"""Snapshots by values worked out with NumPy and SciPy, and on frames with nothing or the worst in them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assent_analytics.drift import METRICS
from assent_analytics.snapshots import snapshots

NUMBERS = ("score", "risk_score", "confidence", "duration_ms", "cost_estimate", "tokens")
EPISODES: dict[str, pl.DataType] = {
    "agent_id": pl.String(),
    "ended_at": pl.Datetime("us", "UTC"),
    "source": pl.String(),
    **dict.fromkeys(NUMBERS, pl.Float64()),
    "success": pl.Boolean(),
}
DECISIONS: dict[str, pl.DataType] = {
    "agent_id": pl.String(),
    "occurred_at": pl.Datetime("us", "UTC"),
    "source": pl.String(),
    "decision": pl.String(),
}


def episodes(*rows: tuple[str | None, int, float | None], source: str = "live") -> pl.DataFrame:
    """Agent, day of November and score."""
    made = [
        {"agent_id": agent, "ended_at": datetime(2026, 11, day, 23, 59, tzinfo=UTC), "source": source, "score": score}
        for agent, day, score in rows
    ]
    return pl.DataFrame(made, EPISODES)


def decisions(*rows: tuple[str, int, str]) -> pl.DataFrame:
    made = [
        {"agent_id": agent, "occurred_at": datetime(2026, 11, day, tzinfo=UTC), "source": "live", "decision": decision}
        for agent, day, decision in rows
    ]
    return pl.DataFrame(made, DECISIONS)


def rows_of(found: pl.LazyFrame) -> list[dict[str, Any]]:
    return found.collect().to_dicts()


def test_a_mean_has_students_interval() -> None:
    values = [60.0, 71.0, 85.0, 90.0]
    (row,) = rows_of(snapshots(episodes(*(("a", 3, value) for value in values)), decisions(), metrics=["score"]))
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    assert (row["agent_id"], row["metric"], row["kind"], row["day"]) == ("a", "score", "number", date(2026, 11, 3))
    assert row["n"] == 4
    assert row["mean"] == pytest.approx(np.mean(values), rel=1e-12)
    assert row["sd"] == pytest.approx(np.std(values, ddof=1), rel=1e-12)
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((low, high), rel=1e-9)


def test_a_rate_has_wilsons_interval() -> None:
    asked = [("a", 3, "block")] * 3 + [("a", 3, "allow")] * 7
    (row,) = rows_of(snapshots(episodes(), decisions(*asked), metrics=["block_rate"]))
    found = stats.binomtest(3, 10).proportion_ci(0.95, "wilson")
    assert (row["kind"], row["n"], row["mean"]) == ("proportion", 10, pytest.approx(0.3))
    assert (row["mean_low"], row["mean_high"]) == pytest.approx((found.low, found.high), rel=1e-9)


def test_days_come_newest_first_and_a_whole_window_names_its_first() -> None:
    frame = episodes(("b", 1, 10), ("a", 1, 20), ("a", 2, 30), ("a", 2, 50), (None, 2, 1))
    daily = rows_of(snapshots(frame, decisions(), metrics=["score"]))
    assert [(row["agent_id"], row["day"].day, row["n"], row["mean"]) for row in daily] == [
        (None, 2, 1, 1),
        ("a", 2, 2, 40),
        ("a", 1, 1, 20),
        ("b", 1, 1, 10),
    ]
    assert daily[0]["sd"] is None
    assert daily[0]["mean_low"] is None
    whole = rows_of(snapshots(frame, decisions(), metrics=["score"], daily=False))
    assert [(row["agent_id"], row["day"].day, row["n"]) for row in whole] == [(None, 2, 1), ("a", 1, 3), ("b", 1, 1)]


def test_what_is_no_number_is_no_value() -> None:
    frame = episodes(("a", 1, None), ("a", 1, float("nan")), ("a", 1, float("inf")), ("a", 1, 5), ("b", 1, None))
    (row,) = rows_of(snapshots(frame, decisions(), metrics=["learning_score"]))
    assert (row["agent_id"], row["n"], row["mean"]) == ("a", 1, 5)


def test_numbers_too_large_to_square_leave_open_what_cannot_be_told() -> None:
    frame = episodes(("a", 1, 1e300), ("a", 1, -1e300), ("a", 1, 1e300))
    (row,) = rows_of(snapshots(frame, decisions(), metrics=["score"]))
    assert row["n"] == 3
    assert all(row[name] is None or np.isfinite(row[name]) for name in ("mean", "mean_low", "mean_high", "sd"))


def test_simulated_values_are_counted() -> None:
    frame = pl.concat([episodes(("a", 1, 5)), episodes(("a", 1, 7), source="simulated")])
    (row,) = rows_of(snapshots(frame, decisions(), metrics=["score"]))
    assert (row["n"], row["simulated"]) == (2, 1)


@pytest.mark.parametrize("daily", [True, False])
def test_nothing_gives_no_row_and_the_same_columns(daily: bool) -> None:
    found = snapshots(episodes(), decisions(), daily=daily).collect()
    assert found.height == 0
    assert found.schema == snapshots(episodes(("a", 1, 5)), decisions(("a", 1, "allow")), daily=daily).collect().schema
    assert snapshots(episodes(), decisions(), metrics=["action_mix"]).collect().schema == found.schema


def test_every_metric_with_a_mean_is_there() -> None:
    full = episodes(("a", 1, 5)).with_columns(
        *(pl.lit(1.0).alias(name) for name in NUMBERS), pl.lit(True).alias("success")
    )
    found = snapshots(full, decisions(("a", 1, "allow"))).collect()
    assert set(found["metric"]) == set(METRICS) - {"action_mix"}


def test_a_metric_or_a_column_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="mood"):
        snapshots(episodes(), decisions(), metrics=["mood"])
    with pytest.raises(ValueError, match="lack success"):
        snapshots(episodes().drop("success"), decisions()).collect()
