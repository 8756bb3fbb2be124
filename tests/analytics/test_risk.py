"""Risk by agent and action type, against values worked out by hand."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import polars as pl
import pytest
from scipy import stats

from assent_analytics import risk
from assent_analytics.rates import wilson
from tests.analytics import tables


def of(*rows: dict[str, Any]) -> dict[str, Any]:
    found = risk.by_agent_and_type(tables.actions(*rows)).collect()
    assert found.height == 1
    return found.row(0, named=True)


def test_a_cell_by_hand() -> None:
    # Risks 10, 20, 60: mean 30, sd sqrt((400 + 100 + 900) / 2), t of 2 degrees 4.302652729911275.
    row = of(
        {"risk_score": 10.0, "status": "completed"},
        {"risk_score": 20.0, "status": "failed", "source": "simulated"},
        {"risk_score": 60.0, "status": "cancelled"},
    )
    half = 4.302652729911275 * 700**0.5 / 3**0.5
    assert row["mean"] == pytest.approx(30)
    assert row["mean_low"] == 0.0
    assert row["mean_high"] == pytest.approx(30 + half)
    assert (row["n"], row["ended"], row["failed"], row["simulated"]) == (3, 2, 1, 1)
    assert row["failure_rate"] == 0.5
    assert (row["failure_low"], row["failure_high"]) == wilson(1, 2)


def test_the_interval_is_that_of_scipy() -> None:
    risks = [12.0, 15.5, 40.0, 41.0, 41.0, 38.0]
    row = of(*({"risk_score": each} for each in risks))
    mean, sem = sum(risks) / 6, stats.sem(risks)
    assert (row["mean_low"], row["mean_high"]) == pytest.approx(stats.t.interval(0.95, 5, mean, sem), rel=1e-9)


def test_of_one_action_nothing_is_known_but_its_risk() -> None:
    row = of({"risk_score": 40.0, "status": "running"})
    assert (row["mean"], row["mean_low"], row["mean_high"]) == (40.0, 0.0, 100.0)
    assert (row["ended"], row["failure_rate"], row["failure_low"], row["failure_high"]) == (0, None, 0.0, 1.0)


@pytest.mark.parametrize("strange", [None, nan, inf, -inf, 1e300, -0.5, 100.5])
def test_a_risk_that_is_none_does_not_count(strange: float | None) -> None:
    assert risk.by_agent_and_type(tables.actions({"risk_score": strange})).collect().is_empty()
    assert of({"risk_score": 50.0}, {"risk_score": strange, "status": "failed"})["n"] == 1


def test_each_agent_and_type_has_a_row_in_the_order_of_names() -> None:
    frame = tables.actions(
        {"agent_id": "b"}, {"agent_id": "a", "action_type": "z"}, {"agent_id": "a", "action_type": "c"}
    )
    found = risk.by_agent_and_type(frame).collect()
    assert found.select("agent_id", "action_type").rows() == [("a", "c"), ("a", "z"), ("b", "refund")]


def test_alike_rows_may_be_given_with_their_number() -> None:
    once = tables.actions({"risk_score": 10.0}, {"risk_score": 70.0, "status": "failed"})
    weighed = risk.by_agent_and_type(once.with_columns(n=pl.Series([3, 5]))).collect()
    repeated = risk.by_agent_and_type(pl.concat([once[:1]] * 3 + [once[1:]] * 5)).collect()
    assert weighed.rows()[0] == pytest.approx(repeated.rows()[0])


def test_nothing_gives_no_rows_and_a_missing_column_is_named() -> None:
    assert risk.by_agent_and_type(tables.actions()).collect().is_empty()
    with pytest.raises(ValueError, match="actions lack risk_score"):
        risk.by_agent_and_type(tables.actions({}).drop("risk_score"))
