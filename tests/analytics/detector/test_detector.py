"""The detector as a whole: honest where nothing changes, quick where something does, and exact after a break."""

import math
from collections.abc import Iterable

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.detector import Alarm, Detector, Direction, Grid, State
from tests.benchmarks.detector import KINDS, alarms, planted, stable
from tests.tiers import deep

NUMBERS = st.lists(st.floats(0, 1e300) | st.sampled_from([math.nan, math.inf, -math.inf, -1.0, 0.0, 1.0]), max_size=80)


def feed(detector: Detector, values: Iterable[float], start: int = 0) -> list[Alarm]:
    found = (detector.step(value, at) for at, value in enumerate(values, start))
    return [alarm for alarm in found if alarm is not None]


def test_a_hundred_stable_streams_of_each_kind_hardly_alarm() -> None:
    """A tenth of the benchmark: at most 1% a stream, so that 9 of 400 have a chance of 2% to be exceeded."""
    found = sum(alarms(kind, stable(kind, seed, 500)) > 0 for kind in KINDS for seed in range(100))
    assert found <= stats.binom.ppf(0.98, 100 * len(KINDS), 0.01)


@pytest.mark.parametrize(
    ("size", "share"), [(1.0, 0.97), pytest.param(0.5, 0.8, marks=deep("the larger change is in the quick tier"))]
)
def test_a_planted_change_is_found(size: float, share: float) -> None:
    found = 0
    for seed in range(100):
        detector = Detector(str(seed), KINDS["normal"].grid)
        values = planted("normal", seed, size, stable_for=500, then=500)
        found += any(alarm.at >= 500 for alarm in feed(detector, values))
    assert found / 100 >= share


def test_an_alarm_says_what_changed_and_when() -> None:
    random = np.random.default_rng(11)
    before, after = random.normal(70, 5, 400), random.normal(60, 5, 60)
    detector = Detector("k", Grid.NUMBER)
    (alarm,) = feed(detector, [*before, *after])
    assert alarm.direction is Direction.DOWN
    assert abs(alarm.change_at - 400) <= 5
    assert alarm.n == alarm.at + 1
    assert alarm.baseline_n + alarm.recent_n == alarm.n
    seen = [*before, *after][: alarm.n]
    mean, recent = np.mean(seen[: alarm.baseline_n]), np.mean(seen[alarm.baseline_n :])
    sd = np.std(seen[: alarm.baseline_n], ddof=1)
    assert alarm.baseline_mean == pytest.approx(mean, rel=1e-9)
    assert alarm.baseline_sd == pytest.approx(sd, rel=1e-9)
    assert alarm.recent_mean == pytest.approx(recent, rel=1e-9)
    assert alarm.z_score == pytest.approx((recent - mean) / sd, rel=1e-9)
    assert alarm.e_value >= alarm.threshold == 100


def test_an_epoch_begins_empty_after_an_alarm() -> None:
    detector = Detector("k", Grid.SHARE)
    values = [0.0] * 300 + [1.0] * 300
    (alarm,) = feed(detector, values)
    assert (alarm.epoch, detector.epoch) == (0, 1)
    assert detector.n == 600 - alarm.n
    assert alarm.direction is Direction.UP
    assert alarm.z_score == 999, "there was no deviation before"


def test_a_constant_stream_never_alarms() -> None:
    detectors = [Detector(str(number), Grid.NUMBER, alpha=0.5) for number in range(40)]
    assert [feed(detector, [50.0] * 300) for detector in detectors] == [[]] * 40
    assert any(detector.epoch for detector in detectors), "ties alone would have raised one"


def test_values_that_only_spread_are_told_as_changed() -> None:
    random = np.random.default_rng(5)
    values = [*random.normal(1000, 20, 600), *random.normal(1000, 100, 300)]
    assert feed(Detector("k", Grid.NUMBER), values)[0].direction is Direction.CHANGED


@given(NUMBERS, st.integers(0, 80), st.sampled_from(list(Grid)))
def test_a_detector_goes_on_from_its_state_as_if_never_stopped(values: list[float], cut: int, grid: Grid) -> None:
    whole, first = Detector("k", grid), Detector("k", grid)
    expected = feed(whole, values)
    found = feed(first, values[:cut])
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(first.state()), type=State)
    again = Detector.of("k", grid, saved)
    found += feed(again, values[cut:], len(values[:cut]))
    assert msgspec.msgpack.encode(again.state()) == msgspec.msgpack.encode(whole.state())
    assert msgspec.json.encode(found) == msgspec.json.encode(expected)


@given(NUMBERS, st.sampled_from(list(Grid)))
def test_no_value_breaks_it(values: list[float], grid: Grid) -> None:
    detector = Detector("k", grid, alpha=0.5)
    for alarm in feed(detector, values):
        numbers = (alarm.baseline_mean, alarm.baseline_sd, alarm.recent_mean, alarm.z_score, alarm.e_value)
        assert all(number is None or math.isfinite(number) for number in numbers)
    assert math.isfinite(detector.e_value)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -1.0, math.nan])
def test_alpha_is_a_probability(alpha: float) -> None:
    with pytest.raises(ValueError, match="give a probability"):
        Detector("k", Grid.NUMBER, alpha)


@pytest.mark.parametrize(("before", "after", "direction"), [(0.0, 1.0, "up"), (1.0, 0.0, "down")])
def test_the_first_value_of_another_kind_is_where_a_share_changed(before: float, after: float, direction: str) -> None:
    for key in range(20):
        (alarm,) = feed(Detector(str(key), Grid.SHARE), [before] * 80 + [after] * 30)
        assert (alarm.direction, alarm.change_at) == (direction, 80)
        assert (alarm.baseline_mean, alarm.recent_mean) == (before, after)
