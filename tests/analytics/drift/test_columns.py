"""Any columns of two frames: kinds by type, one family, and what cannot be compared."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from assent_analytics.drift import SCHEMA, compare_columns


def frames(shift: float = 0.5, m: int = 300, n: int = 200) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(1)

    def one(size: int, moved: float) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "same": rng.normal(size=size),
                "moved": rng.normal(moved, 1, size),
                "whole": rng.integers(0, 10, size),
                "yes": rng.random(size) < 0.3 + moved / 2,
                "word": rng.choice(["a", "b", "c"], size, p=[0.5 - moved / 3, 0.3, 0.2 + moved / 3]),
                "when": [None] * size,
            },
            schema_overrides={"when": pl.Date},
        ).with_columns(pl.col("word").cast(pl.Categorical).alias("coded"))

    return one(m, 0.0), one(n, shift)


def test_each_column_by_its_type() -> None:
    before, after = frames()
    found = compare_columns(before, after)
    assert found.columns == list(SCHEMA)
    assert found.select("metric", "kind").rows() == [
        ("same", "number"),
        ("moved", "number"),
        ("whole", "number"),
        ("yes", "proportion"),
        ("word", "category"),
        ("coded", "category"),
    ]
    assert found.filter("drifted")["metric"].to_list() == ["moved", "yes", "word", "coded"]
    rows = {row["metric"]: row for row in found.iter_rows(named=True)}
    theirs = stats.ks_2samp(before["moved"].to_numpy(), after["moved"].to_numpy())
    assert rows["moved"]["statistic"] == pytest.approx(theirs.statistic, rel=1e-9)
    assert rows["moved"]["p_value"] == pytest.approx(theirs.pvalue, rel=0.05)
    normed = stats.wasserstein_distance(before["moved"], after["moved"]) / np.std(before["moved"].to_numpy())
    assert rows["moved"]["wasserstein_normed"] == pytest.approx(normed, rel=1e-9)
    shares = [float(each["yes"].to_numpy().mean()) for each in (before, after)]
    assert rows["yes"]["effect"] == pytest.approx(shares[1] - shares[0], rel=1e-9)
    assert {**rows["word"], "metric": ""} == {**rows["coded"], "metric": ""}
    adjusted = stats.false_discovery_control(found["p_value"].to_numpy())
    assert found["p_adjusted"].to_list() == pytest.approx(adjusted.tolist(), rel=1e-9)


def test_a_choice_keeps_its_order_and_lazy_is_alike() -> None:
    before, after = frames()
    found = compare_columns(before.lazy(), after.lazy(), ["yes", "moved"])
    assert found["metric"].to_list() == ["yes", "moved"]
    assert_frame_equal(found, compare_columns(before, after, ["yes", "moved"]))


def test_nulls_and_what_is_not_finite() -> None:
    before, after = frames()
    awkward = pl.DataFrame({"moved": [None, nan, inf]}, schema={"moved": pl.Float64})
    found = compare_columns(pl.concat([before.select("moved"), awkward]), after, ["moved"])
    clean = compare_columns(before, after, ["moved"])
    assert found["excluded"].to_list() == [2]
    assert_frame_equal(found.drop("excluded"), clean.drop("excluded"))


@pytest.mark.parametrize("size", [0, 1, 9])
def test_few_rows_are_insufficient(size: int) -> None:
    before, after = frames()
    found = compare_columns(before, after.head(size))
    assert set(found["status"]) == {"insufficient_data"}
    assert set(found["n_recent"]) == {size}
    assert found["p_value"].null_count() == 6


def test_a_column_that_is_asked_for_twice_is_compared_once() -> None:
    before, after = frames()
    assert compare_columns(before, after, ["moved", "same", "moved"])["metric"].to_list() == ["moved", "same"]


def test_what_cannot_be_compared_is_named() -> None:
    before, after = frames()
    with pytest.raises(ValueError, match="no column mood in both frames; they share same, moved"):
        compare_columns(before, after, ["mood"])
    with pytest.raises(ValueError, match="column when is something else"):
        compare_columns(before, after, ["when"])
    with pytest.raises(ValueError, match="column word is category in one frame and number in the other"):
        compare_columns(before, after.with_columns(word=1), ["word"])
    assert "word" not in compare_columns(before, after.with_columns(word=1))["metric"].to_list()
