"""The evidence over time is the detector's own, and thinning loses no alarm."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf, nan

import numpy as np
import polars as pl
import pytest

from assent_analytics.detector import Detector, Grid
from assent_analytics.evidence import evidence

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def stream(values: list[float | None], source: str = "live") -> pl.DataFrame:
    moments = [BEGIN + timedelta(minutes=at) for at in range(len(values))]
    return pl.DataFrame(
        {"ended_at": moments, "score": values, "source": source},
        schema={"ended_at": pl.Datetime("us", "UTC"), "score": pl.Float64, "source": pl.String},
    )


def shifted() -> list[float]:
    rng = np.random.default_rng(1)
    return [*rng.normal(50, 10, 300).clip(0, 100), *rng.normal(80, 10, 200).clip(0, 100)]


def test_it_is_the_detectors_own_value_after_each_value() -> None:
    values = shifted()
    found = evidence(stream(list(values)), "score", grid=Grid.NUMBER, key="a")
    detector = Detector("a", Grid.NUMBER)
    expected, alarms = [], []
    for number, value in enumerate(values):
        alarm = detector.step(value, number)
        expected.append(alarm.e_value if alarm else detector.e_value)
        alarms += [number] if alarm else []
    assert found.trace["e_value"].to_list() == expected
    assert found.alarms["at"].to_list() == [BEGIN + timedelta(minutes=number) for number in alarms]
    assert len(alarms) == 1
    assert found.alarms["e_value"][0] >= found.threshold == 100


def test_the_change_is_put_near_where_it_was_planted() -> None:
    found = evidence(stream(list(shifted())), "score", grid=Grid.NUMBER)
    assert abs(found.alarms["change_at"][0] - (BEGIN + timedelta(minutes=300))) < timedelta(minutes=10)
    assert found.alarms["direction"].to_list() == ["up"]


@pytest.mark.parametrize("points", [1, 13, 100])
def test_thinning_keeps_the_largest(points: int) -> None:
    whole = evidence(stream(list(shifted())), "score", grid=Grid.NUMBER)
    thin = evidence(stream(list(shifted())), "score", grid=Grid.NUMBER, points=points)
    assert thin.trace.height == points
    assert thin.trace["e_value"].max() == whole.trace["e_value"].max()
    assert thin.alarms.equals(whole.alarms)
    assert thin.n == whole.n == 500


@pytest.mark.parametrize("strange", [None, nan, inf])
def test_what_is_no_number_is_passed_over(strange: float | None) -> None:
    assert evidence(stream([1.0, strange, 2.0]), "score", grid=Grid.NUMBER).n == 2


def test_order_is_that_of_time() -> None:
    frame = stream(list(shifted()))
    assert evidence(frame.reverse(), "score", grid=Grid.NUMBER).trace.equals(
        evidence(frame, "score", grid=Grid.NUMBER).trace
    )


def test_nothing_gives_an_empty_trace() -> None:
    found = evidence(stream([]), "score", grid=Grid.NUMBER)
    assert (found.n, found.trace.height, found.alarms.height) == (0, 0, 0)
    assert found.alarms.schema["change_at"] == pl.Datetime("us", "UTC")


def test_simulated_values_are_counted_and_wrong_questions_named() -> None:
    assert evidence(stream([1.0, 2.0], "simulated"), "score", grid=Grid.NUMBER).simulated == 2
    with pytest.raises(ValueError, match="values lack cost"):
        evidence(stream([1.0]), "cost", grid=Grid.NUMBER)
    with pytest.raises(ValueError, match="points is 0"):
        evidence(stream([1.0]), "score", grid=Grid.NUMBER, points=0)
