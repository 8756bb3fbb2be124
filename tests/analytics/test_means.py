"""Student's t against published tables, and the interval of a mean."""

from __future__ import annotations

from math import inf, pi, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.means import mean_interval, t_quantile


@pytest.mark.parametrize(
    ("df", "confidence", "expected"),
    [
        # To the digits of the tables in Abramowitz and Stegun (26.10) and the NIST handbook (1.3.6.7.2).
        (1, 0.95, 12.706),
        (2, 0.95, 4.303),
        (3, 0.95, 3.182),
        (5, 0.95, 2.571),
        (10, 0.95, 2.228),
        (30, 0.95, 2.042),
        (100, 0.95, 1.984),
        (1, 0.99, 63.657),
        (5, 0.99, 4.032),
        (10, 0.90, 1.812),
        (60, 0.80, 1.296),
    ],
)
def test_quantiles_are_those_of_the_tables(df: int, confidence: float, expected: float) -> None:
    assert t_quantile(df, confidence) == pytest.approx(expected, abs=5.1e-4)


@given(st.floats(0.01, 0.999))
def test_one_and_two_degrees_of_freedom_have_closed_forms(confidence: float) -> None:
    assert t_quantile(1, confidence) == pytest.approx(tan(pi * confidence / 2), rel=1e-9)
    assert t_quantile(2, confidence) == pytest.approx((2 / (1 - confidence**2)) ** 0.5 * confidence, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99, 0.999])
@pytest.mark.parametrize(("df", "digits"), [(3, 1e-11), (30, 1e-11), (4999, 1e-11), (5000, 2e-15), (20_000, 2e-15)])
def test_quantiles_are_scipys(df: int, digits: float, confidence: float) -> None:
    assert t_quantile(df, confidence) == pytest.approx(stats.t.ppf((1 + confidence) / 2, df), rel=digits)


@given(st.integers(1, 200_000))
def test_more_degrees_of_freedom_make_it_narrower_down_to_the_normal_quantile(df: int) -> None:
    assert t_quantile(df) > t_quantile(df + 1) > 1.959963984540054 if df < 2000 else t_quantile(df) > 1.9599639845
    # Cornish and Fisher's first terms (Abramowitz and Stegun 26.7.5); the next is under 3e-4 from 30 on.
    z = 1.959963984540054
    if df >= 30:
        assert t_quantile(df) == pytest.approx(
            z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2), abs=5e-4
        )


def test_an_interval_by_hand() -> None:
    # Five values with mean 0.5 and sd 0.1: 2.776445105197793 * 0.1 / sqrt(5) = 0.1241664.
    assert mean_interval(0.5, 0.1, 5, 0, 1) == pytest.approx((0.3758336, 0.6241664), abs=1e-6)
    # Cut at the bounds.
    low, high = mean_interval(0.95, 0.1, 5, 0, 1)
    assert (low, high) == pytest.approx((0.8258336, 1), abs=1e-6)
    low, high = mean_interval(0.05, 0.1, 5, 0, 1)
    assert (low, high) == pytest.approx((0, 0.1741664), abs=1e-6)


@pytest.mark.parametrize(("sd", "n"), [(None, 0), (None, 1), (None, 5), (0.1, 1)])
def test_too_few_values_say_nothing(sd: float | None, n: int) -> None:
    assert mean_interval(0.5, sd, n, 0, 1) == (0, 1)


@pytest.mark.parametrize(("df", "confidence"), [(0, 0.95), (-1, 0.95), (5, 0.0), (5, 1.0), (5, inf)])
def test_what_cannot_be_asked(df: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="give"):
        t_quantile(df, confidence)
