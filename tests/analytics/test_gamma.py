"""The incomplete gamma functions against SciPy and closed forms."""

from __future__ import annotations

from math import exp, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from assent_analytics.gamma import chi_square_tail, lower, upper


@given(st.floats(0.05, 500), st.floats(0, 2000))
def test_both_are_scipys(a: float, x: float) -> None:
    assert upper(a, x) == pytest.approx(float(special.gammaincc(a, x)), rel=1e-9, abs=1e-290)
    assert lower(a, x) == pytest.approx(float(special.gammainc(a, x)), rel=1e-9, abs=1e-290)


@given(st.integers(1, 300), st.floats(0, 3000))
def test_the_tail_is_chi_squares(df: int, x: float) -> None:
    assert chi_square_tail(x, df) == pytest.approx(float(stats.chi2.sf(x, df)), rel=1e-9, abs=1e-290)


@given(st.floats(0, 500))
def test_two_degrees_of_freedom_have_a_closed_form(x: float) -> None:
    assert chi_square_tail(x, 2) == pytest.approx(exp(-x / 2), rel=1e-9)


def test_quantiles_of_the_tables_and_ends() -> None:
    for df, quantile in ((1, 3.841), (4, 9.488), (10, 18.307), (100, 124.342)):
        assert chi_square_tail(quantile, df) == pytest.approx(0.05, abs=2e-5)
    assert (upper(2, 0), lower(2, 0), upper(2, inf), lower(2, inf)) == (1, 0, 0, 1)
    for df in (0, -1):
        with pytest.raises(ValueError, match="above 0"):
            chi_square_tail(1, df)
