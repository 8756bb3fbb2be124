"""The quick detector against the plain one, bit for bit: its alarms, and everything that it knows after each value."""

from __future__ import annotations

import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.detector import Detector, Grid, State
from tests.analytics.detector.plain import PlainDetector
from tests.benchmarks.detector import KINDS, planted

ALPHAS = st.sampled_from([0.01, 0.5, 0.9999999])
VALUES = st.lists(
    st.floats(0, 1e300)
    | st.floats(0, 100)
    | st.sampled_from([float("nan"), float("inf"), -1.0, -0.0, 0.0, 1.0, 5e-324]),
    max_size=80,
)

pytestmark = pytest.mark.skipif(sys.byteorder == "big", reason="the plain one writes its tables little end first")


def compare(key: str, grid: Grid, alpha: float, values: list[float], restart: int) -> int:
    """How many alarms both raised."""
    quick, plain, alarms = Detector(key, grid, alpha), PlainDetector(key, grid, alpha), 0
    for at, value in enumerate(values):
        if at == restart:
            saved = msgspec.msgpack.decode(msgspec.msgpack.encode(quick.state()), type=State)
            quick = Detector.of(key, grid, saved, alpha)
        found, expected = quick.step(value, at), plain.step(value, at)
        assert msgspec.msgpack.encode(found) == msgspec.msgpack.encode(expected)
        assert msgspec.msgpack.encode(quick.state()) == msgspec.msgpack.encode(plain.state())
        alarms += found is not None
    return alarms


@given(st.text(max_size=3), st.sampled_from(list(Grid)), ALPHAS, VALUES, st.integers(0, 80))
def test_on_any_values(key: str, grid: Grid, alpha: float, values: list[float], restart: int) -> None:
    compare(key, grid, alpha, values, restart)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_on_streams_that_change(kind: str, seed: int) -> None:
    values = planted(kind, seed, 1.5, stable_for=150, then=150).tolist()
    assert compare(f"{kind} {seed}", KINDS[kind].grid, 0.01, values, 100 * seed) > 0
