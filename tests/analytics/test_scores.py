"""What scores add up to, by values worked out by hand and against the standard library."""

from __future__ import annotations

from datetime import UTC, date, datetime
from statistics import mean, stdev
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics import scores
from assent_analytics.frames import Frame

SHAPE: dict[str, pl.DataType] = {
    "scorer_name": pl.String(),
    "score": pl.Float64(),
    "source": pl.String(),
    "created_at": pl.Datetime("us", "UTC"),
}


def frame(*rows: tuple[str, float | None], source: str = "live", day: int = 1) -> pl.DataFrame:
    at = datetime(2026, 11, day, 23, 59, tzinfo=UTC)
    return pl.DataFrame([(name, score, source, at) for name, score in rows], SHAPE, orient="row")


def one(found: pl.LazyFrame) -> dict[str, Any]:
    (row,) = found.collect().to_dicts()
    return row


def test_by_hand() -> None:
    found = one(scores.summary(frame(("a", 1.0), ("a", 1.0), ("b", 0.5), ("b", 0.25))))
    assert (found["n"], found["mean"], found["min"], found["max"]) == (4, 0.6875, 0.25, 1.0)
    # Squares: 2 * 0.3125^2 + 0.1875^2 + 0.4375^2 = 0.421875, over 3, rooted.
    assert found["sd"] == pytest.approx(0.375)
    assert (found["passed"], found["pass_rate"], found["simulated"]) == (3, 0.75, 0)
    assert found["mean_low"] == pytest.approx(0.6875 - 3.182446305284263 * 0.1875)
    assert found["mean_high"] == 1.0
    assert (found["pass_low"], found["pass_high"]) == pytest.approx((0.30064184, 0.95441273), abs=1e-8)


def test_of_nothing_and_of_one() -> None:
    nothing = one(scores.summary(frame()))
    assert nothing == dict.fromkeys(("mean", "min", "max", "sd", "pass_rate")) | {
        "n": 0,
        "passed": 0,
        "simulated": 0,
        "mean_low": 0.0,
        "mean_high": 1.0,
        "pass_low": 0.0,
        "pass_high": 1.0,
    }
    single = one(scores.summary(frame(("a", 0.5))))
    assert (single["n"], single["mean"], single["sd"], single["passed"]) == (1, 0.5, None, 1)
    assert (single["mean_low"], single["mean_high"]) == (0.0, 1.0)
    for found in (scores.by_scorer(frame()), scores.by_day(frame()), scores.distribution(frame())):
        assert found.collect().is_empty()


def test_what_is_no_score_does_not_count() -> None:
    found = one(scores.summary(frame(("a", None), ("a", 1.5), ("a", -0.1), ("a", float("nan")), ("a", 0.0))))
    assert (found["n"], found["mean"], found["passed"]) == (1, 0.0, 0)


def test_by_scorer_and_by_day_in_order() -> None:
    both = pl.concat([frame(("b", 1.0), ("a", 0.0), day=2), frame(("b", 0.5), source="simulated", day=1)])
    named = scores.by_scorer(both).collect()
    assert named.select("scorer_name", "n", "mean", "simulated").rows() == [("a", 1, 0.0, 0), ("b", 2, 0.75, 1)]
    days = scores.by_day(both).collect()
    assert days.select("date", "n", "mean").rows() == [(date(2026, 11, 1), 1, 0.5), (date(2026, 11, 2), 2, 0.5)]


def test_buckets_begin_at_their_bounds() -> None:
    found = scores.distribution(frame(("a", 0.8), ("a", 1.0), ("a", 0.7999), ("a", 0.5), ("a", 0.4999), ("a", 0.0)))
    assert [(row["bucket"], row["count"]) for row in found.collect().to_dicts()] == [
        ("excellent", 2),
        ("acceptable", 2),
        ("poor", 2),
    ]
    assert found.collect()["avg_score"].to_list() == pytest.approx([0.9, 0.64995, 0.24995])


@pytest.mark.parametrize("function", [scores.summary, scores.by_scorer, scores.by_day, scores.distribution])
def test_missing_columns_are_named(function: Any) -> None:
    with pytest.raises(ValueError, match="scores lack"):
        function(pl.DataFrame({"label": ["good"]}))


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])), max_size=40))
def test_alike_rows_counted_say_the_same_and_so_does_the_standard_library(rows: list[tuple[str, float]]) -> None:
    whole = frame(*rows)
    counted: Frame = whole.group_by(pl.all()).agg(pl.len().alias("n"))
    for function in (scores.summary, scores.by_scorer, scores.by_day, scores.distribution):
        left, right = function(whole).collect(), function(counted).collect()
        assert left.columns == right.columns
        for one_row, other in zip(left.rows(), right.rows(), strict=True):
            assert list(one_row) == [pytest.approx(each, abs=1e-9) for each in other]
    values = [score for _, score in rows]
    found = one(scores.summary(whole))
    assert found["n"] == len(values)
    assert found["mean"] == (pytest.approx(mean(values)) if values else None)
    assert found["sd"] == (pytest.approx(stdev(values), abs=1e-9) if len(values) > 1 else None)
    assert found["passed"] == sum(value >= 0.5 for value in values)
    assert found["mean_low"] <= (found["mean"] or 0.0) <= found["mean_high"]
