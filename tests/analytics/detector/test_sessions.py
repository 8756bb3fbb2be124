"""Sessions in the detector: one value each, whatever is in them, and in whatever order they come."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from assent_analytics.detector import Alarm, Detector, Grid
from tests.benchmarks.false_alarms import BEGAN, HOUR, STABLE, false_alarms, found
from tests.tiers import deep


def fed(detector: Detector, values: list[float], sessions: list[str | None], step: int = HOUR) -> list[Alarm]:
    found = [
        detector.step(value, BEGAN + n * step, session)
        for n, (value, session) in enumerate(zip(values, sessions, strict=True))
    ]
    return [each for each in found if each is not None]


def test_a_session_counts_as_its_mean() -> None:
    """The evidence is that of the means by themselves, a session late: it is closed when the next one begins."""
    random = np.random.default_rng(1)
    values = np.round(random.normal(50, 10, 150 * 5)) + np.repeat(np.arange(150) >= 100, 5) * 30
    means = values.reshape(-1, 5).mean(axis=1)
    by_session, by_mean = Detector("k", Grid.NUMBER), Detector("k", Grid.NUMBER)
    (alarm,) = fed(by_session, values.tolist(), [str(n // 5) for n in range(750)], HOUR // 60)
    (other,) = fed(by_mean, means.tolist(), [None] * 150, HOUR // 12)
    assert (alarm.e_value, alarm.change_at) == (other.e_value, other.change_at)
    assert (alarm.clusters, alarm.n) == (other.n, 5 * other.n)
    assert (alarm.basis, other.basis) == ("session", "value")
    before = values[: alarm.baseline_n]
    assert alarm.baseline_mean == pytest.approx(before.mean())
    assert alarm.baseline_sd == pytest.approx(before.std(ddof=1))
    assert alarm.recent_mean == pytest.approx(values[alarm.baseline_n : alarm.n].mean())


def test_a_hundred_values_of_one_session_are_no_evidence() -> None:
    detector = Detector("k", Grid.NUMBER)
    assert fed(detector, [20.0] * 90 + [90.0] * 90, ["only"] * 180) == []
    assert (detector.n, detector.clusters, detector.e_value) == (0, 0, 1.0)


@pytest.mark.parametrize("grid", list(Grid))
def test_nine_sessions_never_alarm(grid: Grid) -> None:
    detector = Detector("k", grid, alpha=0.5)
    assert fed(detector, [float(n >= 90) for n in range(180)], [str(n // 20) for n in range(180)]) == []
    assert detector.e_value == 1


def test_sessions_side_by_side_become_whole_units() -> None:
    """Twenty that go on at a time: after a few that were torn, units have all their five values."""
    detector = Detector("k", Grid.NUMBER)
    random = np.random.default_rng(3)
    order = [f"{block}/{n % 20}" for block in range(40) for n in range(100)]
    fed(detector, random.normal(50, 10, len(order)).tolist(), [str(each) for each in order])
    assert detector.n / detector.clusters == pytest.approx(5, rel=0.15)


def test_values_that_are_none_and_times_that_come_late_do_no_harm() -> None:
    detector = Detector("k", Grid.LOGARITHM)
    values = [math.nan, math.inf, -1.0, *np.random.default_rng(5).lognormal(size=200)]
    for n, value in enumerate(values):
        assert detector.step(value, 2**62 if n % 7 else -n, None if n % 3 else str(n // 10)) is None


def test_an_alarm_of_single_shares_in_sessions_is_that_of_shares() -> None:
    detector = Detector("k", Grid.SHARE)
    (alarm, *_) = fed(detector, [0.0] * 80 + [1.0] * 30, [str(n) for n in range(110)])
    assert alarm.change_at == BEGAN + 80 * HOUR
    assert (alarm.baseline_mean, alarm.recent_mean, alarm.basis) == (0.0, 1.0, "session")


def test_the_interval_holds_the_change_and_is_no_wider_than_it_has_to_be() -> None:
    result = found("independent", 1.0, 200, 40)
    assert result["found"] >= 0.9
    assert result["held"] >= 0.9


@deep("streams of each kind")
@pytest.mark.parametrize("name", STABLE)
def test_stable_streams_hardly_alarm(name: str) -> None:
    """A small one of the benchmark: of 60, as many as 1.5% have a chance of 1% to exceed."""
    assert false_alarms(name, 60, length=600) <= stats.binom.ppf(0.99, 60, 0.015)
