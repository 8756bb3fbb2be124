"""Shrinkage against SciPy's beta, against moments worked out anew, and on groups whose rates are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from assent_analytics.shrinkage import Prior, prior, shrunk

members = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda pair: (min(pair), max(pair))))


@given(members)
def test_the_prior_is_kleinmans(counts: list[tuple[int, int]]) -> None:
    found = prior(counts)
    k, n = (np.array([each[at] for each in counts if each[1]], dtype=float) for at in (0, 1))
    if len(n) < 2:
        assert (found.a, found.b, found.members) == (0.5, 0.5, len(n))
        return
    total, pooled = n.sum(), k.sum() / n.sum()
    room = total - (n**2).sum() / total - (len(n) - 1)
    strength = total
    if 0 < pooled < 1 and room > 1e-9:
        g = ((n * (k / n - pooled) ** 2).sum() / (pooled * (1 - pooled)) - (len(n) - 1)) / room
        strength = total if g <= 0 else min(total, max(1, 1 / g - 1))
    assert found.mean == pytest.approx((k.sum() + 0.5) / (total + 1), rel=1e-9)
    assert found.strength == pytest.approx(strength, rel=1e-6)
    assert (found.members, found.actions) == (len(n), total)


@given(members)
def test_a_strength_is_between_one_and_all(counts: list[tuple[int, int]]) -> None:
    found = prior(counts)
    assert 1 - 1e-9 <= found.strength <= max(1, found.actions) + 1e-9
    assert 0 < found.mean < 1


@given(st.integers(0, 50), st.integers(0, 50), st.floats(0.3, 100), st.floats(0.3, 100))
def test_a_posterior_is_scipys(k: int, more: int, a: float, b: float) -> None:
    before = Prior(a=a, b=b, members=3, actions=100)
    after = shrunk(k, k + more, before)
    there = scipy_stats.beta(a + k, b + more)
    assert after.rate == pytest.approx(there.mean(), rel=1e-9)
    assert (after.low, after.high) == pytest.approx(there.ppf([0.025, 0.975]), rel=1e-8, abs=1e-12)
    assert after.low < after.rate < after.high
    raw = k / (k + more) if k + more else before.mean
    assert min(raw, before.mean) - 1e-12 <= after.rate <= max(raw, before.mean) + 1e-12


def test_alike_members_are_taken_together_and_unlike_ones_apart() -> None:
    alike, unlike = prior([(8, 10)] * 10), prior([(0, 10)] * 5 + [(10, 10)] * 5)
    assert alike.strength == 100
    assert unlike.strength == 1
    assert shrunk(0, 10, alike).rate > 0.7
    assert shrunk(0, 10, unlike).rate < 0.06


def test_the_prior_of_a_known_group_is_found() -> None:
    random = np.random.default_rng(5)
    rates = random.beta(8, 2, 3000)
    found = prior([(int(random.binomial(30, rate)), 30) for rate in rates])
    assert found.mean == pytest.approx(0.8, abs=0.01)
    assert found.strength == pytest.approx(10, rel=0.1)


def test_credible_intervals_cover_what_the_group_draws() -> None:
    random = np.random.default_rng(6)
    rates = random.beta(6, 3, 2000)
    counts = [
        (int(random.binomial(n, rate)), int(n)) for rate, n in zip(rates, random.integers(1, 20, 2000), strict=True)
    ]
    before = prior(counts)
    found = [shrunk(k, n, before) for k, n in counts]
    covered = sum(each.low <= rate <= each.high for each, rate in zip(found, rates, strict=True))
    assert 0.93 < covered / 2000 < 0.97
    raw = np.array([k / n for k, n in counts])
    shrink = np.array([each.rate for each in found])
    assert ((shrink - rates) ** 2).mean() < 0.5 * ((raw - rates) ** 2).mean()


@pytest.mark.parametrize("counts", [[(3, 2)], [(-1, 2)]])
def test_counts_that_cannot_be(counts: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        prior(counts)
    with pytest.raises(ValueError, match="cannot be"):
        shrunk(*counts[0], prior([]))


@pytest.mark.parametrize("confidence", [0, 1, 1.5])
def test_a_confidence_that_cannot_be(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence is"):
        shrunk(1, 2, prior([]), confidence)
