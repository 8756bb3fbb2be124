"""Shrinkage against SciPy's beta, against moments worked out anew, and on groups whose rates are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special as scipy_special
from scipy import stats as scipy_stats

from assent_analytics.shrinkage import Prior, among, population, prior, shrunk
from tests.benchmarks.spreads import SPREADS, covered
from tests.tiers import deep

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


def test_a_population_is_summed_over_what_the_counts_leave_possible() -> None:
    """Against an integral over both hyperparameters on a finer grid, with SciPy's log beta and beta distributions."""
    counts = [(3, 4), (9, 20), (1, 1), (60, 80), (2, 9)]
    mean, log_strength = np.meshgrid((np.arange(120) + 0.5) / 120, np.linspace(np.log(0.3), np.log(3000), 120))
    strength = np.exp(log_strength)
    a, b = mean * strength, (1 - mean) * strength
    log_weight = np.log(strength) - 2 * np.log1p(strength) - 0.5 * np.log(mean * (1 - mean))
    for k, n in counts:
        log_weight += scipy_special.betaln(a + k, b + n - k) - scipy_special.betaln(a, b)
    weight = np.exp(log_weight - log_weight.max()).ravel()
    weight /= weight.sum()
    members = population(counts)
    for k, n in counts:
        after = scipy_stats.beta(a.ravel() + k, b.ravel() + n - k)
        found = among(k, n, members)
        assert found.rate == pytest.approx(float(weight @ after.mean()), abs=0.003)
        assert float(weight @ after.cdf(found.low)) == pytest.approx(0.025, abs=0.002)
        assert float(weight @ after.sf(found.high)) == pytest.approx(0.025, abs=0.002)


def test_few_members_leave_more_open_than_a_known_prior() -> None:
    counts = [(8, 10)] * 3
    known, open_ = shrunk(8, 10, prior(counts)), among(8, 10, population(counts))
    assert open_.high - open_.low > known.high - known.low
    assert open_.low < known.low


def test_alone_it_is_jeffreyss() -> None:
    for counts in ([], [(0, 0)], [(2, 3), (0, 0)]):
        assert among(2, 3, population(counts)).rate == pytest.approx(2.5 / 4)
    alone, there = among(2, 3, population([(2, 3)])), scipy_stats.beta(2.5, 1.5)
    assert (alone.low, alone.high) == pytest.approx(there.ppf([0.025, 0.975]))


@given(members)
def test_whatever_the_counts_are_the_interval_holds_the_rate(counts: list[tuple[int, int]]) -> None:
    group = population(counts)
    assert group.weights.sum() == pytest.approx(1)
    for k, n in counts[:3]:
        found = among(k, n, group)
        assert 0 <= found.low < found.rate < found.high <= 1


def test_members_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="cannot be"):
        population([(3, 2)])
    with pytest.raises(ValueError, match="cannot be"):
        among(3, 2, population([]))
    with pytest.raises(ValueError, match="confidence is"):
        among(1, 2, population([]), 1.5)


@deep("a simulation")
@pytest.mark.parametrize("members_of", [2, 10])
def test_intervals_cover_in_groups_of_few(members_of: int) -> None:
    hits = sum(covered(spread, members_of, 60)[0] for spread in SPREADS)
    tried = sum(covered(spread, members_of, 60)[1] for spread in SPREADS)
    assert 0.93 < hits / tried < 0.975
