"""95% intervals cover 93% to 97%: here in a tenth of the simulations of `tests.benchmarks.learning`, which 200 can
only refute."""

from __future__ import annotations

import pytest

from assent_analytics.rates import wilson
from tests.analytics.covering import INTERVALS, covered

SIMULATIONS = 200


@pytest.mark.parametrize("name", INTERVALS)
def test_intervals_cover_what_they_say(name: str) -> None:
    hits = covered(name, SIMULATIONS)
    low, high = wilson(hits, SIMULATIONS)
    assert low < 0.97, f"{hits} of {SIMULATIONS}"
    assert high > 0.93, f"{hits} of {SIMULATIONS}"
