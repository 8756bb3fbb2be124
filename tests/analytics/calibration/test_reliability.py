"""Reliability and its parts, beside scikit-learn and beside sums over single rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

from assent_analytics.bootstrap import band
from assent_analytics.calibration import bounds, clustered_base, quality, reliability
from assent_analytics.rates import wilson
from tests.tiers import deep


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-9, abs=1e-12)


stated = st.one_of(
    st.integers(0, 100).map(float),
    st.floats(0, 100),
    st.sampled_from([30.0, 60.0, 70.0, 1e-300, 0.1 * 3 * 100, 99.99999999999999]),
)
worthless = st.sampled_from([None, float("nan"), float("inf"), -float("inf"), -1.0, 100.5, 1e300])
status = st.sampled_from(["completed", "failed"])
unfinished = st.sampled_from(["running", "cancelled", "pending_approval", "blocked", "pending", None])


def frame(rows: Sequence[tuple[float | None, str | None]], of: str = "confidence", **columns: Any) -> pl.DataFrame:
    data = {of: [each for each, _ in rows], "status": [each for _, each in rows], **columns}
    return pl.DataFrame(data, schema_overrides={of: pl.Float64, "status": pl.String})


def outcome(rows: list[tuple[float, str]], of: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    predicted = np.array([value / 100 for value, _ in rows])
    happened = np.array([(said == "completed") is (of == "confidence") for _, said in rows], dtype=float)
    return predicted, happened


def alike(one: pl.DataFrame, other: pl.DataFrame) -> None:
    """Sums may be added up in another order."""
    assert_frame_equal(one, other, check_exact=False, rel_tol=1e-9, abs_tol=1e-12)


rows_of = st.lists(st.tuples(stated, status), min_size=1, max_size=80)


@given(rows_of, st.sampled_from(["confidence", "risk_score"]), st.sampled_from([1, 2, 5, 7, 10, 15, 33, 100]))
def test_the_diagram_is_scikit_learns(rows: list[tuple[float, str]], of: str, bins: int) -> None:
    found = reliability(frame(rows, of), of, bins=bins)
    predicted, happened = outcome(rows, of)
    # scikit-learn takes outcomes of one class only when it is told which one is which.
    observed, mean = calibration_curve(happened, predicted, n_bins=bins, pos_label=1.0)
    assert found["mean_predicted"].to_list() == close(mean.tolist())
    assert found["observed"].to_list() == close(observed.tolist())
    assert found["n"].sum() == len(rows)
    for each in found.iter_rows(named=True):
        assert each["high"] - each["low"] == pytest.approx(1 / bins)
        assert each["low"] - 1e-12 <= each["mean_predicted"] <= each["high"] + 1e-12
        interval = wilson(round(each["observed"] * each["n"]), each["n"])
        assert (each["observed_low"], each["observed_high"]) == interval


@given(st.lists(st.tuples(stated, status), min_size=10, max_size=80), st.sampled_from(["confidence", "risk_score"]))
def test_the_score_and_its_parts(rows: list[tuple[float, str]], of: str) -> None:
    found = quality(frame(rows, of), of).row(0, named=True)
    predicted, happened = outcome(rows, of)
    assert found["brier"] == close(brier_score_loss(happened, predicted, pos_label=1.0))
    # Murphy's parts, once more: each row is given the numbers of its bin.
    edges = np.linspace(0, 1, 11)
    at = np.searchsorted(edges[1:-1], predicted)
    mean = np.array([predicted[at == each].mean() for each in at])
    observed = np.array([happened[at == each].mean() for each in at])
    base = happened.mean()
    assert found["reliability"] == close(((mean - observed) ** 2).mean())
    assert found["resolution"] == close(((observed - base) ** 2).mean())
    assert found["uncertainty"] == close(happened.var())
    assert found["ece"] == close(np.abs(mean - observed).mean())
    within = ((predicted - mean) ** 2 - 2 * (predicted - mean) * (happened - observed)).mean()
    assert found["within_bin"] == pytest.approx(within, rel=1e-9, abs=1e-9)
    whole = found["reliability"] - found["resolution"] + found["uncertainty"] + found["within_bin"]
    assert whole == pytest.approx(found["brier"], rel=1e-9, abs=1e-9)
    assert found["base_rate"] == pytest.approx(base)
    assert found["brier_low"] <= found["brier_high"]
    assert 0 <= found["ece_low"] <= found["ece_high"] <= 1


@given(rows_of, st.lists(st.tuples(worthless, status), max_size=9), st.lists(st.tuples(stated, unfinished), max_size=9))
def test_what_states_nothing_does_not_count(
    rows: list[tuple[float, str]], silent: list[Any], unended: list[Any]
) -> None:
    mixed = frame([*silent, *rows, *unended])
    alike(quality(mixed), quality(frame(rows)))
    alike(reliability(mixed), reliability(frame(rows)))


def test_by_hand() -> None:
    rows = [(80.0, "completed")] * 8 + [(80.0, "failed")] * 2 + [(20.0, "completed")] * 4 + [(20.0, "failed")] * 6
    found = quality(frame(rows)).row(0, named=True)
    assert found["base_rate"] == 0.6
    assert found["brier"] == pytest.approx((8 * 0.04 + 2 * 0.64 + 4 * 0.64 + 6 * 0.04) / 20)
    assert found["reliability"] == pytest.approx((0 + 10 * 0.04) / 20)  # the bin of 20% came true 4 times of 10
    assert found["resolution"] == pytest.approx(0.04)
    assert found["uncertainty"] == pytest.approx(0.24)
    assert found["ece"] == pytest.approx(0.1)
    assert found["within_bin"] == pytest.approx(0)
    assert reliability(frame(rows)).select("bin", "n", "mean_predicted", "observed").rows() == [
        (1, 10, pytest.approx(0.2), 0.4),
        (7, 10, pytest.approx(0.8), 0.8),
    ]


def test_risk_states_failure() -> None:
    rows = [(90.0, "failed")] * 9 + [(90.0, "completed")]
    found = quality(frame(rows, "risk_score"), "risk_score").row(0, named=True)
    assert (found["base_rate"], found["ece"]) == (0.9, pytest.approx(0))


@pytest.mark.parametrize("n", [0, 1, 9])
def test_too_few_say_so(n: int) -> None:
    found = quality(frame([(50.0, "completed")] * n)).row(0, named=True)
    assert (found["status"], found["n"]) == ("insufficient_data", n)
    assert found["brier"] is None
    assert found["ece_low"] is None
    assert found["base_rate"] == (1.0 if n else None)
    assert (found["base_low"], found["base_high"]) == wilson(n, n)
    assert reliability(frame([(50.0, "completed")] * n)).height == (1 if n else 0)


@pytest.mark.parametrize("said", ["completed", "failed"])
@pytest.mark.parametrize("value", [0.0, 50.0, 100.0])
def test_all_alike(said: str, value: float) -> None:
    found = quality(frame([(value, said)] * 12)).row(0, named=True)
    expected = (value / 100 - (said == "completed")) ** 2
    assert found["brier"] == found["brier_low"] == found["brier_high"] == pytest.approx(expected)
    assert (found["resolution"], found["uncertainty"]) == (0, 0)


def test_simulated_rows_are_counted() -> None:
    sources = ["live"] * 6 + ["simulated"] * 6
    both = frame([(55.0, "completed")] * 12, source=sources)
    assert quality(both)["simulated"].item() == 6
    assert reliability(both)["simulated"].to_list() == [6]


@given(st.lists(st.tuples(stated, status, st.sampled_from(["live", "simulated"])), min_size=1, max_size=60))
def test_alike_rows_may_be_given_once(rows: list[tuple[float, str, str]]) -> None:
    whole = frame([(value, said) for value, said, _ in rows], source=[source for *_, source in rows])
    grouped = whole.group_by("confidence", "status", "source").agg(pl.len().alias("n"))
    for one, other in ((quality(whole), quality(grouped)), (reliability(whole), reliability(grouped))):
        alike(one, other)


def test_the_intervals_are_those_of_drawing_rows() -> None:
    """Whole percents: 4,000 resamples of the rows themselves, against 2,000 multinomial ones of the kinds. The ends
    then differ by the chance of both, of which ten percent of the width is several times as much as ever seen."""
    random = np.random.default_rng(5)
    n = 400
    predicted = random.integers(0, 101, n)
    happened = random.random(n) < (predicted / 100) ** 1.5
    rows = [(float(value), "completed" if true else "failed") for value, true in zip(predicted, happened, strict=True)]
    found = quality(frame(rows), seed=1).row(0, named=True)
    p, y = predicted / 100, happened.astype(float)
    at = np.searchsorted(np.linspace(0, 1, 11)[1:-1], p)
    drawn = random.integers(0, n, (4000, n))
    gaps = np.zeros((4000, 10))
    for each in range(10):
        gaps[:, each] = np.abs(((p - y) * (at == each))[drawn].sum(axis=1)) / n
    both = np.column_stack([((p - y) ** 2)[drawn].mean(axis=1), gaps.sum(axis=1)])
    (brier_low, ece_low), (brier_high, ece_high) = band(both)
    for name, low, high in (("brier", brier_low, brier_high), ("ece", ece_low, ece_high)):
        assert found[f"{name}_low"] == pytest.approx(low, abs=0.1 * (high - low))
        assert found[f"{name}_high"] == pytest.approx(high, abs=0.1 * (high - low))


@deep("300 samples")
def test_the_interval_of_the_brier_score_covers() -> None:
    """300 samples of 300 rows whose true score is known: covered 95% of the time, known to 1.3 points (one sd)."""
    random = np.random.default_rng(11)
    truth = float(np.mean([(p / 100) * (1 - p / 100) for p in range(101)]))
    held = 0
    for seed in range(300):
        p = random.integers(0, 101, 300)
        said = np.where(random.random(300) < p / 100, "completed", "failed")
        found = quality(pl.DataFrame({"confidence": p, "status": said}), seed=seed).row(0, named=True)
        held += found["brier_low"] <= truth <= found["brier_high"]
    assert 0.91 <= held / 300 <= 0.99


@pytest.mark.parametrize(
    ("of", "bins", "says"), [("duration_ms", 10, "predicts nothing"), ("confidence", 0, "bins is 0")]
)
def test_what_cannot_be_asked(of: str, bins: int, says: str) -> None:
    for ask in (reliability, quality):
        with pytest.raises(ValueError, match=says):
            ask(frame([(1.0, "completed")]), of, bins=bins)


def test_missing_columns_are_named() -> None:
    with pytest.raises(ValueError, match="lack confidence"):
        reliability(pl.DataFrame({"status": ["completed"]}))


def test_what_was_stopped_bounds_what_came_true() -> None:
    """By hand: in the bin of 80%, 8 of 10 came true and 5 were stopped; in that of 20% nothing ran."""
    rows = [(80.0, "completed")] * 8 + [(80.0, "failed")] * 2 + [(80.0, "blocked")] * 5 + [(20.0, "blocked")] * 3
    found = bounds(frame(rows)).select("bin", "n", "stopped", "least", "most").rows()
    assert found == [(1, 0, 3, 0.0, 1.0), (7, 10, 5, pytest.approx(8 / 15), pytest.approx(13 / 15))]
    (whole,) = bounds(frame(rows), bins=1).select("n", "stopped", "least", "most").rows()
    assert whole == (10, 8, pytest.approx(8 / 18), pytest.approx(16 / 18))
    alike(quality(frame(rows)), quality(frame(rows[:10])))
    assert bounds(frame(rows).clear()).height == 0


def test_a_base_rate_over_clusters() -> None:
    """Ten sessions that end alike count as ten, and not as a hundred."""
    rows = frame([(80.0, "completed" if at // 10 % 5 else "failed") for at in range(100)])
    found, basis = clustered_base(rows.with_columns(session_id=pl.Series([f"s{at // 10}" for at in range(100)])))
    assert (found.n, found.clusters, basis) == (100, 10, "session")
    assert found.n_effective == pytest.approx(10, rel=0.15)
    assert found.low is not None
    assert found.low < 0.5
    with pytest.raises(ValueError, match="lack session_id"):
        clustered_base(rows)
