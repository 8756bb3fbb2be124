"""The beta distribution against SciPy's."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special
from scipy import stats as scipy_stats

from assent_analytics.beta import beta_quantile, incomplete_beta

PARAMETERS = (0.1, 0.5, 1.0, 2.5, 9.9, 10.0, 30.0, 1e3, 1e6)


@pytest.mark.parametrize("a", PARAMETERS)
@pytest.mark.parametrize("b", PARAMETERS)
def test_it_is_scipys(a: float, b: float) -> None:
    mean = a / (a + b)
    spread = (mean * (1 - mean) / (a + b + 1)) ** 0.5
    for x in (1e-6, 0.01, 0.5, 0.99, mean, mean - 3 * spread, mean + 3 * spread):
        if 0 < x < 1:
            assert incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-290)
    for share in (0.001, 0.025, 0.25, 0.5, 0.975, 0.999):
        found = beta_quantile(share, a, b)
        # SciPy's inverse is right to 3e-9 only for 1000 and a million; its distribution function is the judge then.
        near = found == pytest.approx(scipy_stats.beta.ppf(share, a, b), rel=1e-9, abs=1e-12)
        assert near or special.betainc(a, b, found) == pytest.approx(share, rel=1e-9)


@given(st.floats(0.001, 0.999), st.floats(0.3, 1e4), st.floats(0.3, 1e4))
def test_the_quantile_is_the_inverse(share: float, a: float, b: float) -> None:
    x = beta_quantile(share, a, b)
    assert 0 < x <= 1
    if x < 1 - 1e-9:
        assert incomplete_beta(x, a, b) == pytest.approx(share, abs=1e-9)


@given(st.floats(1e-6, 1.0))
def test_one_parameter_of_one_has_a_closed_form(x: float) -> None:
    assert incomplete_beta(x, 3.0, 1.0) == pytest.approx(x**3, rel=1e-12)
    assert incomplete_beta(x, 1.0, 2.0) == pytest.approx(1 - (1 - x) ** 2, rel=1e-9)


def test_the_ends() -> None:
    assert (incomplete_beta(0, 2, 3), incomplete_beta(1, 2, 3), incomplete_beta(-1, 2, 3)) == (0, 1, 0)
    assert (beta_quantile(0, 2, 3), beta_quantile(1, 2, 3)) == (0, 1)


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, -1), (nan, 1), (1, float("inf"))])
def test_parameters_that_cannot_be(a: float, b: float) -> None:
    with pytest.raises(ValueError, match="both are above zero"):
        incomplete_beta(0.5, a, b)
    with pytest.raises(ValueError, match="both are above zero"):
        beta_quantile(0.5, a, b)


@pytest.mark.parametrize("share", [-0.1, 1.1, nan])
def test_a_share_that_cannot_be(share: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        beta_quantile(share, 1, 1)
