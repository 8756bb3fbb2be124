"""Benjamini and Hochberg's correction against SciPy and their own example."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.drift import benjamini_hochberg


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_adjusted_values_are_scipys(p_values: list[float]) -> None:
    theirs = stats.false_discovery_control(p_values)
    assert benjamini_hochberg(p_values) == pytest.approx(theirs.tolist(), rel=1e-9, abs=1e-300)


def test_the_paper() -> None:
    # Benjamini and Hochberg (1995), section 3.2: 15 tests, four discoveries at 5%.
    given_values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    given_values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert sum(p <= 0.05 for p in benjamini_hochberg(given_values)) == 4


def test_none_and_what_is_no_p_value() -> None:
    assert benjamini_hochberg([]) == []
    for wrong in (-0.1, 1.1, nan):
        with pytest.raises(ValueError, match="is no p-value"):
            benjamini_hochberg([0.5, wrong])
