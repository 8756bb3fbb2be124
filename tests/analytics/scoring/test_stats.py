"""What scores add up to, against NumPy and SciPy, on random and degenerate frames."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from assent_analytics.scoring import clustered_average, stats

SHARES = {"p10": 0.1, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p90": 0.9}
scores = st.lists(
    st.floats(0, 100) | st.sampled_from([0.0, 100.0, 33.33]) | st.integers(0, 10_000).map(lambda cent: cent / 100),
    max_size=40,
)


def of(values: list[Any], **more: list[Any]) -> dict[str, Any]:
    frame = pl.DataFrame({"composite_score": pl.Series(values, dtype=pl.Float64), **more})
    return stats(frame).collect().row(0, named=True)


@given(scores)
def test_equal_to_numpy(values: list[float]) -> None:
    found = of(values)
    assert (found["n"], found["status"]) == (len(values), "ok" if len(values) > 1 else "insufficient_data")
    if not values:
        assert [found[name] for name in ("avg", "min", "max", "stddev", *SHARES)] == [None] * 9
        return
    known = np.array(values)
    assert (found["min"], found["max"]) == (known.min(), known.max())
    assert found["avg"] == pytest.approx(known.mean(), rel=1e-9, abs=1e-9)
    for name, share in SHARES.items():
        assert found[name] == pytest.approx(np.quantile(known, share), rel=1e-9, abs=1e-12)
    if len(values) == 1:
        assert (found["stddev"], found["avg_low"], found["avg_high"]) == (None, 0, 100)
        return
    assert found["stddev"] == pytest.approx(known.std(ddof=1), rel=1e-9, abs=1e-9)
    half = scipy_stats.t.ppf(0.975, len(values) - 1) * known.std(ddof=1) / math.sqrt(len(values))
    assert found["avg_low"] == pytest.approx(max(0, known.mean() - half), rel=1e-9, abs=1e-9)
    assert found["avg_high"] == pytest.approx(min(100, known.mean() + half), rel=1e-9, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 5)), max_size=15))
def test_alike_rows_may_come_once(rows: list[tuple[int, int]]) -> None:
    counted = of([value for value, _ in rows], n=pl.Series([times for _, times in rows], dtype=pl.Int64))  # type: ignore[arg-type]  # a column
    spread = of([value for value, times in rows for _ in range(times)])
    assert counted.keys() == spread.keys()
    for name, value in spread.items():
        assert counted[name] == (pytest.approx(value, rel=1e-9, abs=1e-9) if isinstance(value, float) else value)


def test_what_is_no_score_does_not_count() -> None:
    found = of([50.0, None, math.nan, math.inf, -math.inf, -0.01, 100.01, 1e300, 70.0])
    assert (found["n"], found["avg"], found["min"], found["max"]) == (2, 60, 50, 70)


def test_scores_that_are_all_alike_leave_no_width() -> None:
    found = of([40.0] * 5)
    assert (found["stddev"], found["avg_low"], found["avg_high"]) == (0, 40, 40)
    assert [found[name] for name in SHARES] == [40] * 5


def test_simulated_rows_are_counted_as_such() -> None:
    assert of([1, 2, 3, None], source=["live", "simulated", None, "simulated"])["simulated"] == 1


def test_a_frame_without_scores_is_told() -> None:
    with pytest.raises(ValueError, match="scores lack composite_score; they have x"):
        stats(pl.DataFrame({"x": [1]}))
    renamed = stats(pl.DataFrame({"d0_score": [1.0, 3.0]}), "d0_score").collect()
    assert renamed["avg"].to_list() == [2]


def test_scores_of_a_session_count_once() -> None:
    """Ten sessions of ten alike scores are worth ten: Student's interval of their means, 9 degrees of freedom."""
    means = [50.0, 55, 60, 65, 70, 75, 80, 85, 90, 95]
    frame = pl.DataFrame(
        {
            "composite_score": [mean for mean in means for _ in range(10)],
            "session_id": [f"s{at}" for at in range(10) for _ in range(10)],
        }
    )
    found, basis = clustered_average(frame)
    half = scipy_stats.t.ppf(0.975, 9) * np.std(means, ddof=1) / math.sqrt(10)
    assert (found.n, found.clusters, basis) == (100, 10, "session")
    assert (found.estimate, found.low, found.high) == pytest.approx((72.5, 72.5 - half, 72.5 + half))
    assert found.n_effective == pytest.approx(10, rel=0.1)
    high, _ = clustered_average(frame.with_columns(composite_score=pl.col("composite_score").clip(90, 100)))
    assert high.high is not None
    assert high.high <= 100


def test_one_cluster_and_scores_that_are_none_tell_nothing() -> None:
    one = pl.DataFrame({"composite_score": [10.0, 20.0, math.nan, 101.0, None], "session_id": ["s"] * 5})
    found, _ = clustered_average(one)
    assert (found.n, found.clusters, found.low, found.status) == (2, 1, None, "insufficient_data")
    assert clustered_average(one.clear())[0].n == 0
