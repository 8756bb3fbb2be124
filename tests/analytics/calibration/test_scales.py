"""Percentile scales: the published rule, intervals from the bootstrap's own law, and what there is too little of."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.calibration import METRICS, scales, suggested_scale
from assent_analytics.calibration.scales import AT, bootstrap_ranks, order_statistics

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
anything = st.one_of(finite, st.none(), st.just(float("nan")), st.just(float("inf")), st.just(1e300), st.just(7.0))


def row(values: list[Any], metric: str = "duration_ms", **columns: Any) -> dict[str, Any]:
    frame = pl.DataFrame({metric: values, **columns}, schema_overrides={metric: pl.Float64})
    return scales(frame, [metric]).row(0, named=True)


def test_by_hand() -> None:
    found = row([float(value) for value in range(1, 21)])  # 20 values: floor(20 * p) is 2, 5, 10, 15, 18
    assert [found[name] for name in AT] == [3, 6, 11, 16, 19]
    assert (found["min"], found["max"], found["n"], found["status"]) == (1, 20, 20, "ok")
    assert suggested_scale(found) == [
        {"label": "excellent", "operator": "lte", "value": 6, "score": 100},
        {"label": "good", "operator": "lte", "value": 11, "score": 75},
        {"label": "acceptable", "operator": "lte", "value": 16, "score": 50},
        {"label": "poor", "operator": "gt", "value": 16, "score": 20},
    ]
    assert suggested_scale(row([float(value) for value in range(1, 21)], "confidence")) == [
        {"label": "excellent", "operator": "gte", "value": 16, "score": 100},
        {"label": "good", "operator": "gte", "value": 11, "score": 75},
        {"label": "acceptable", "operator": "gte", "value": 6, "score": 50},
        {"label": "poor", "operator": "lt", "value": 6, "score": 20},
    ]


@given(st.lists(anything, min_size=10, max_size=60))
def test_percentiles_are_those_of_the_sorted_values(values: list[float | None]) -> None:
    known = sorted(value for value in values if value is not None and np.isfinite(value))
    found = row(values)
    assert found["n"] == len(known)
    if len(known) < 5:
        assert found["status"] == "insufficient_data"
        assert all(found[name] is None for name in (*AT, "min", "max", "p50_low", "p50_high"))
        assert suggested_scale(found) == []
        return
    for name, share in AT.items():
        assert found[name] == known[floor(len(known) * share)]
        assert found["min"] <= found[f"{name}_low"] <= found[f"{name}_high"] <= found["max"]
    assert (found["min"], found["max"]) == (known[0], known[-1])


@given(st.lists(finite, min_size=1, max_size=50), st.data())
def test_order_statistics_need_no_sort(values: list[float], data: st.DataObject) -> None:
    ranks = data.draw(st.lists(st.integers(1, len(values)), min_size=1, max_size=9))
    assert order_statistics(np.array(values), ranks).tolist() == [sorted(values)[rank - 1] for rank in ranks]


@pytest.mark.parametrize(("k", "n"), [(1, 5), (3, 10), (10, 10), (25, 100), (90, 100), (2500, 10_000)])
def test_ranks_are_those_of_the_bootstrap(k: int, n: int) -> None:
    """Against the exact law: the k-th smallest of n drawn rows has a rank up to r when k or more of the n draws fall
    there, which is binomial."""
    low, high = bootstrap_ranks(k, n, np.random.default_rng(1))
    at_most = stats.binom.sf(k - 1, n, np.arange(1, n + 1) / n)
    for rank, tail in ((low, 0.025), (high, 0.975)):
        # 2,000 draws leave the share below a rank uncertain by 0.0035 (one sd); five of these.
        below = at_most[rank - 2] if rank > 1 else 0.0
        assert below - 0.018 <= tail <= at_most[rank - 1] + 0.018


def test_ranks_are_those_that_drawing_rows_gives() -> None:
    n, k = 40, 11
    random = np.random.default_rng(3)
    drawn = np.sort(random.integers(1, n + 1, (20_000, n)), axis=1)[:, k - 1]
    low, high = bootstrap_ranks(k, n, np.random.default_rng(4))
    assert abs(low - np.quantile(drawn, 0.025)) <= 1
    assert abs(high - np.quantile(drawn, 0.975)) <= 1


def test_intervals_cover() -> None:
    """Of 400 samples of 200 lognormal values, the interval of the median holds the true one 93 to 97 times in 100: the
    share itself is known to about 1.1 points (one sd), so three of these are left beside it."""
    random = np.random.default_rng(7)
    held = 0
    for seed in range(400):
        values = random.lognormal(3, 1, 200)
        found = scales(pl.DataFrame({"duration_ms": values}), ["duration_ms"], seed=seed).row(0, named=True)
        held += found["p50_low"] <= np.exp(3) <= found["p50_high"]
    assert 0.95 - 0.045 <= held / 400 <= 0.95 + 0.045


def test_the_same_rows_give_the_same_intervals() -> None:
    values = [float(value % 37) for value in range(300)]
    assert row(values) == row(values)
    assert row(values[::-1]) == row(values)


def test_tokens_are_read_and_written_together() -> None:
    frame = pl.DataFrame({"tokens_in": [1, 2, None, None] * 3, "tokens_out": [10, None, 30, None] * 3})
    found = scales(frame, ["tokens_total"]).row(0, named=True)
    assert (found["n"], found["min"], found["max"], found["p50"]) == (9, 2, 30, 11)
    alone = scales(frame.select("tokens_in"), ["tokens_total"]).row(0, named=True)
    assert (alone["n"], alone["max"]) == (6, 2)


def test_weights_are_the_published_ones_and_come_in_order() -> None:
    found = scales(pl.DataFrame({"risk_score": [1.0] * 12}))
    assert found["metric"].to_list() == list(METRICS)
    assert found["suggested_weight"].to_list() == [0.2, 0.2, 0.1, 0.3, 0.2]
    assert found["lower_is_better"].to_list() == [True, True, True, True, False]
    assert found["status"].to_list() == ["insufficient_data"] * 3 + ["ok", "insufficient_data"]
    assert scales(pl.DataFrame({"risk_score": [1.0]}), ["confidence", "risk_score"])["metric"].to_list() == [
        "risk_score",
        "confidence",
    ]


@pytest.mark.parametrize(
    ("values", "status"),
    [([], "insufficient_data"), ([1.0], "insufficient_data"), ([1.0] * 9, "insufficient_data"), ([1.0] * 10, "ok")],
)
def test_degenerate(values: list[float], status: str) -> None:
    found = row(values)
    assert (found["status"], found["n"]) == (status, len(values))
    if status == "ok":
        assert {found[name] for name in (*AT, "min", "max", "p10_low", "p90_high")} == {1.0}
        assert [step["value"] for step in suggested_scale(found)] == [1.0] * 4


def test_ten_actions_of_which_four_have_the_metric_are_too_few() -> None:
    assert row([1.0] * 4 + [None] * 6)["status"] == "insufficient_data"
    assert row([1.0] * 5 + [None] * 5)["status"] == "ok"


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 5.0, None]), st.booleans()), min_size=1, max_size=40))
def test_alike_rows_may_be_given_once(rows: list[tuple[float | None, bool]]) -> None:
    schema = {"duration_ms": pl.Float64, "source": pl.String}
    frame = pl.DataFrame([(value, "simulated" if made else "live") for value, made in rows], schema, orient="row")
    grouped = frame.group_by("duration_ms", "source").agg(pl.len().alias("n"))
    assert scales(grouped, ["duration_ms"]).equals(scales(frame, ["duration_ms"]))
    assert scales(frame, ["duration_ms"])["simulated"].item() == sum(made for value, made in rows if value is not None)


def test_an_unknown_metric_is_said() -> None:
    with pytest.raises(ValueError, match="no metric 'speed'"):
        scales(pl.DataFrame({"duration_ms": [1.0]}), ["speed"])
