"""The Wilson interval against published values, and what holds of it always."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.rates import wilson, wilson_band


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3 (score, no correction)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_intervals(successes: int, n: int, low: float, high: float) -> None:
    assert list(wilson(successes, n)) == pytest.approx([low, high], abs=5e-5)


def test_nothing_is_known_of_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_holds_the_rate_and_mirrors(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = wilson(successes, n)
    assert 0.0 <= low <= successes / n + 1e-12
    assert successes / n - 1e-12 <= high <= 1.0
    other_low, other_high = wilson(n - successes, n)
    assert [1 - other_high, 1 - other_low] == pytest.approx([low, high], abs=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_a_frames_rows_have_the_same_intervals(confidence: float) -> None:
    counts = [(k, n) for n in (0, 1, 2, 3, 7, 40, 1000) for k in sorted({0, 1, n // 3, n - 1, n}) if 0 <= k <= n]
    frame = pl.DataFrame(counts, schema=["k", "n"], orient="row")
    low, high = wilson_band(pl.col("k"), pl.col("n"), confidence)
    found = frame.select(low=low, high=high).rows()
    assert found == [pytest.approx(wilson(k, n, confidence), abs=1e-12) for k, n in counts]
    assert found[0] == (0.0, 1.0)


@pytest.mark.parametrize(("successes", "n", "confidence"), [(2, 1, 0.95), (-1, 5, 0.95), (1, 5, 1.0), (1, 5, 0.0)])
def test_what_cannot_be_is_refused(successes: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match="give"):
        wilson(successes, n, confidence)
