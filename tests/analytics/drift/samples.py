"""What drift's tests compare: samples of every awkward kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, nan

import polars as pl
from hypothesis import strategies as st

from assent_analytics.drift.numbers import Numbers, compared
from assent_analytics.drift.values import known

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)
TIED = st.integers(-3, 3).map(float)
HUGE = st.sampled_from((-1e300, -1.0, 0.0, 1.0, 1e300))
ANY = st.one_of(FINITE, TIED, HUGE, st.sampled_from((nan, inf, -inf, 1.7e308, -1.7e308, 5e-324)), st.none())


def samples(values: st.SearchStrategy[float], most: int = 60) -> st.SearchStrategy[list[float]]:
    return st.lists(values, min_size=1, max_size=most)


def numbers(baseline: Sequence[float | None], recent: Sequence[float | None]) -> Numbers:
    first, second = (known(pl.Series("value", each, pl.Float64, strict=False)) for each in (baseline, recent))
    return compared(first, second)


def finite(values: Sequence[float | None]) -> list[float]:
    return [each for each in values if each is not None and isfinite(each)]
