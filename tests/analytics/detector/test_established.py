"""The detector of clusters: against the plain one, sessions and hours as one, rhythms, and what it promises."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.detector import ClusterDetector, ClusterState, EstablishedAlarm, Grid
from assent_analytics.detector.established import BLOCK, LARGEST
from tests.analytics.detector.plain import cell_of
from tests.analytics.detector.plain_clusters import PlainClusterDetector
from tests.benchmarks.detector import KINDS, planted
from tests.benchmarks.false_alarms import BEGAN, HOUR, STABLE, autoregressive, established, false_alarms, found
from tests.tiers import deep

ALPHAS = st.sampled_from([0.01, 0.5, 0.9999999])
VALUES = st.lists(
    st.floats(0, 1e300)
    | st.floats(0, 100)
    | st.sampled_from([float("nan"), float("inf"), -1.0, -0.0, 0.0, 1.0, 5e-324]),
    max_size=80,
)


def again(detector: ClusterDetector, key: str, grid: Grid, alpha: float = 0.01) -> ClusterDetector:
    """The same after a restart."""
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(detector.state()), type=ClusterState)
    return ClusterDetector.of(key, grid, saved, alpha)


def compare(key: str, grid: Grid, alpha: float, values: list[float], restart: int, hours: int = 1) -> int:
    """How many alarms both raised, of values that come every so many hours. A value is taken in when that of another
    hour comes; shares are at once, from the eleventh on."""
    quick, plain, alarms = ClusterDetector(key, grid, alpha), PlainClusterDetector(key, grid, alpha), 0
    waiting: tuple[float, int] | None = None
    for place, value in enumerate(values):
        if place == restart:
            quick = again(quick, key, grid, alpha)
        at, expected = place * hours * HOUR, 0
        if cell_of(value, grid) is not None:
            at_once = grid is Grid.SHARE and plain.n >= 10
            if waiting is not None:
                expected += plain.step(*waiting)
            waiting = (value, at)
            if at_once:
                expected += plain.step(*waiting)
                waiting = None
        assert (quick.step(value, at) is not None) == bool(expected)
        assert (quick.n, quick.epoch) == (plain.n, plain.epoch)
        assert quick.e_value == pytest.approx(plain.value, rel=1e-9)
        if plain.n:
            assert quick.n_effective == pytest.approx(plain.n / plain.tau, rel=1e-9)
        alarms += expected
    return alarms


@given(st.text(max_size=3), st.sampled_from(list(Grid)), ALPHAS, VALUES, st.integers(0, 80))
def test_on_any_values(key: str, grid: Grid, alpha: float, values: list[float], restart: int) -> None:
    compare(key, grid, alpha, values, restart)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hours", [1, 4])
def test_over_weeks(kind: str, hours: int) -> None:
    values = planted(kind, 3, 2.0, stable_for=400, then=200).tolist()
    assert compare(kind, KINDS[kind].grid, 0.01, values, 300, hours)


@pytest.mark.parametrize(("hours", "alarms"), [(1, 0), (6, 1)])
def test_where_days_of_the_week_differ(hours: int, alarms: int) -> None:
    days = np.arange(600) * hours // 24
    values = 50 + 10 * np.random.default_rng(6).standard_normal(600) + 30 * (days % 7 == 3)
    values[500:] += 60
    assert compare("k", Grid.NUMBER, 0.01, values.tolist(), 400, hours) == alarms


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_on_streams_that_depend_on_their_past(rho: float) -> None:
    values = 50 + 10 * autoregressive(rho)(np.random.default_rng(4), 300, 1)
    assert compare("k", Grid.NUMBER, 0.01, values.tolist(), 120) == 0


def fed(
    detector: ClusterDetector, values: list[float], sessions: list[str | None], step: int = HOUR
) -> list[EstablishedAlarm]:
    alarms = [
        detector.step(value, BEGAN + n * step, session)
        for n, (value, session) in enumerate(zip(values, sessions, strict=True))
    ]
    return [each for each in alarms if each is not None]


def test_a_session_counts_as_its_mean() -> None:
    """The evidence is that of the means by themselves, a session late: it is closed when the next one begins."""
    random = np.random.default_rng(1)
    values = np.round(random.normal(50, 10, 150 * 5)) + np.repeat(np.arange(150) >= 100, 5) * 30
    means = values.reshape(-1, 5).mean(axis=1)
    by_session, by_mean = ClusterDetector("k", Grid.NUMBER), ClusterDetector("k", Grid.NUMBER)
    (alarm,) = fed(by_session, values.tolist(), [str(n // 5) for n in range(750)], HOUR // 300)
    (other,) = fed(by_mean, means.tolist(), [str(n) for n in range(150)], HOUR // 60)
    assert (alarm.e_value, alarm.change_at) == (other.e_value, other.change_at)
    assert (alarm.clusters, alarm.n) == (other.n, 5 * other.n)
    assert (alarm.basis, other.basis) == ("session", "session")
    assert alarm.n_effective == alarm.clusters < 128, "of fewer sessions, a change looks like dependence"
    before = values[: alarm.baseline_n]
    assert alarm.baseline_mean == pytest.approx(before.mean())
    assert alarm.baseline_sd == pytest.approx(before.std(ddof=1))
    assert alarm.recent_mean == pytest.approx(values[alarm.baseline_n : alarm.n].mean())


@pytest.mark.parametrize("an_hour", [5, 6])
def test_an_hour_without_sessions_counts_as_its_mean(an_hour: int) -> None:
    random = np.random.default_rng(an_hour)
    values = np.round(random.normal(50, 10, (300, an_hour))) + (np.arange(300) >= 250)[:, None] * 30
    dense, sparse = ClusterDetector("k", Grid.NUMBER), ClusterDetector("k", Grid.NUMBER)
    (alarm,) = fed(dense, values.ravel().tolist(), [None] * values.size, HOUR // an_hour)
    (other,) = fed(sparse, values.mean(axis=1).tolist(), [None] * 300)
    assert (alarm.e_value, alarm.change_at, alarm.basis) == (other.e_value, other.change_at, "hour")
    assert (alarm.clusters, alarm.n) == (other.n, an_hour * other.n)


def test_an_hour_has_at_most_so_many_values() -> None:
    detector = ClusterDetector("k", Grid.NUMBER)
    fed(detector, [50.0] * (4 * BLOCK - 1), [None] * (4 * BLOCK - 1), 1)
    assert (detector.n, detector.clusters) == (3 * BLOCK, 3)


def test_a_restart_in_the_middle_of_sessions_and_hours_changes_nothing() -> None:
    random = np.random.default_rng(9)
    values = random.normal(50, 10, 300).tolist()
    sessions = [None if n % 3 else str(n // 12) for n in range(300)]
    whole, torn = ClusterDetector("k", Grid.NUMBER), ClusterDetector("k", Grid.NUMBER)
    for n, (value, session) in enumerate(zip(values, sessions, strict=True)):
        torn = again(torn, "k", Grid.NUMBER)
        assert whole.step(value, n * HOUR // 7, session) == torn.step(value, n * HOUR // 7, session)
        assert whole.state() == torn.state()


def test_a_hundred_values_of_one_session_are_no_evidence() -> None:
    detector = ClusterDetector("k", Grid.NUMBER)
    assert fed(detector, [20.0] * 90 + [90.0] * 90, ["only"] * 180) == []
    assert (detector.n, detector.clusters, detector.e_value) == (0, 0, 1.0)


def test_a_session_counts_once_however_long_it_is() -> None:
    """One that changes in its middle, and twelve of a thousand values, each with a mean of its own."""
    random = np.random.default_rng(4)
    one, many = ClusterDetector("k", Grid.NUMBER), ClusterDetector("k", Grid.NUMBER)
    values = np.where(np.arange(20_000) < 5_000, 50.0, 250.0)
    assert fed(one, values.tolist(), ["one"] * len(values), HOUR // 3600) == []
    assert (one.n, one.clusters) == (LARGEST, 1)
    values = random.normal(50, 1, 12_000) + np.repeat(random.normal(0, 30, 12), 1_000)
    assert fed(many, values.tolist(), [str(n // 1_000) for n in range(12_000)], HOUR // 60) == []
    assert (many.n, many.clusters, many.n_effective) == (12 * LARGEST, 12, 12)


LOPSIDED: dict[str, tuple[Grid, list[float], list[float]]] = {
    "mostly low": (Grid.NUMBER, [40.0, 80.0, 100.0], [0.80, 0.15, 0.05]),
    "mostly high": (Grid.NUMBER, [100.0, 80.0, 40.0], [0.80, 0.15, 0.05]),
    "mostly free": (Grid.LOGARITHM, [0.0, 0.01, 0.5], [0.80, 0.15, 0.05]),
    "mostly done": (Grid.SHARE, [1.0, 0.0], [0.95, 0.05]),
}


@pytest.mark.parametrize("kind", LOPSIDED)
@pytest.mark.parametrize("size", [1, 3])
def test_values_of_which_most_are_alike_raise_nothing(kind: str, size: int) -> None:
    """Four sessions an hour for nine days: what is no rhythm may not win on average either."""
    grid, levels, chances = LOPSIDED[kind]
    for seed in range(12):
        values = np.random.default_rng([seed, 3]).choice(levels, 900 * size, p=chances)
        detector = ClusterDetector(f"{kind} {seed}", grid)
        assert fed(detector, values.tolist(), [str(n // size) for n in range(len(values))], HOUR // 4 // size) == []


@pytest.mark.parametrize("grid", list(Grid))
def test_nine_sessions_never_alarm(grid: Grid) -> None:
    detector = ClusterDetector("k", grid, alpha=0.5)
    assert fed(detector, [float(n >= 90) for n in range(180)], [str(n // 20) for n in range(180)]) == []
    assert detector.e_value == 1


def test_sessions_side_by_side_become_whole_clusters() -> None:
    """Twenty that go on at a time: after a few that were torn, clusters have all their five values."""
    detector = ClusterDetector("k", Grid.NUMBER)
    random = np.random.default_rng(3)
    order = [f"{block}/{n % 20}" for block in range(40) for n in range(100)]
    fed(detector, random.normal(50, 10, len(order)).tolist(), [str(each) for each in order])
    assert detector.n / detector.clusters == pytest.approx(5, rel=0.15)


def test_values_that_are_none_and_times_that_come_late_do_no_harm() -> None:
    detector = ClusterDetector("k", Grid.LOGARITHM)
    values = [math.nan, math.inf, -1.0, *np.random.default_rng(5).lognormal(size=200)]
    for n, value in enumerate(values):
        assert detector.step(value, 2**62 if n % 7 else -n, None if n % 3 else str(n // 10)) is None


def test_an_alarm_of_single_shares_in_sessions_is_that_of_shares() -> None:
    detector = ClusterDetector("k", Grid.SHARE)
    (alarm, *_) = fed(detector, [0.0] * 80 + [1.0] * 30, [str(n) for n in range(110)], HOUR // 60)
    assert alarm.change_at == BEGAN + 80 * HOUR // 60
    assert (alarm.baseline_mean, alarm.recent_mean, alarm.basis) == (0.0, 1.0, "session")


def test_the_interval_holds_the_change_and_is_no_wider_than_it_has_to_be() -> None:
    share, _, early, held = found(established, "independent", 1.0, 200, 40)
    assert share >= 0.9
    assert early <= 0.1
    assert held >= 0.9


@deep("streams of each kind")
@pytest.mark.parametrize("name", STABLE)
def test_stable_streams_hardly_alarm(name: str) -> None:
    """A small one of the benchmark: of 60, as many as 1.5% have a chance of 1% to exceed."""
    assert false_alarms(established, name, 60, length=600) <= stats.binom.ppf(0.99, 60, 0.015)


def test_the_first_week_of_a_stream_bets_only_on_what_no_rhythm_does() -> None:
    """Two and a half days, then another level for two: one day may be higher by two standard deviations, not by ten."""
    many, began, told, held = 20, 60, {2: 0, 10: 0}, list[bool]()
    for size in told:
        for seed in range(many):
            values = np.random.default_rng([seed, 7]).normal(50, 10, began + 48)
            values[began:] += 10 * size
            alarms = fed(ClusterDetector(str(seed), Grid.NUMBER), values.tolist(), [None] * len(values))
            told[size] += bool(alarms)
            held += [each.change_low <= BEGAN + began * HOUR <= each.change_high for each in alarms]
    assert told[2] == 0
    assert told[10] >= 0.7 * many
    assert sum(held) >= 0.8 * len(held)


@pytest.mark.parametrize("hours", [1, 6])
def test_a_day_of_the_week_that_is_always_another_is_no_change(hours: int) -> None:
    random = np.random.default_rng(8)
    days = np.arange(1000) * hours // 24 % 7
    values = random.normal(50, 10, 1000) + 20 * (days == 2) - 20 * (days > 4)
    assert fed(ClusterDetector("k", Grid.NUMBER), values.tolist(), [None] * 1000, hours * HOUR) == []
