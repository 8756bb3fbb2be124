"""The quick detector against the plain one: its alarms and its evidence after each value, and across a restart."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.detector import Detector, Grid, State
from tests.analytics.detector.plain import PlainDetector
from tests.benchmarks.detector import KINDS, planted
from tests.benchmarks.false_alarms import autoregressive

ALPHAS = st.sampled_from([0.01, 0.5, 0.9999999])
VALUES = st.lists(
    st.floats(0, 1e300)
    | st.floats(0, 100)
    | st.sampled_from([float("nan"), float("inf"), -1.0, -0.0, 0.0, 1.0, 5e-324]),
    max_size=80,
)


def compare(key: str, grid: Grid, alpha: float, values: list[float], restart: int, step: int = 1) -> int:
    """How many alarms both raised, of values that come every `step` microseconds."""
    quick, plain, alarms = Detector(key, grid, alpha), PlainDetector(key, grid, alpha), 0
    for place, value in enumerate(values):
        at = place * step
        if place == restart:
            saved = msgspec.msgpack.decode(msgspec.msgpack.encode(quick.state()), type=State)
            quick = Detector.of(key, grid, saved, alpha)
        found, expected = quick.step(value, at), plain.step(value, at)
        assert (found is not None) == expected
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
@pytest.mark.parametrize("seed", [1, 2])
def test_on_streams_that_change(kind: str, seed: int) -> None:
    values = planted(kind, seed, 1.5, stable_for=150, then=150).tolist()
    assert compare(f"{kind} {seed}", KINDS[kind].grid, 0.01, values, 100 * seed) > 0


HOUR = 3_600_000_000


@pytest.mark.parametrize("kind", KINDS)
def test_over_days_and_weekends(kind: str) -> None:
    assert compare(kind, KINDS[kind].grid, 0.01, planted(kind, 3, 1.5, stable_for=150, then=150).tolist(), 70, HOUR)


@pytest.mark.parametrize("rho", [0.5, 0.9])
def test_on_streams_that_depend_on_their_past(rho: float) -> None:
    values = 50 + 10 * autoregressive(rho)(np.random.default_rng(4), 300, 1)
    assert compare("k", Grid.NUMBER, 0.01, values.tolist(), 120, HOUR) == 0
