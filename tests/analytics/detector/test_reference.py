"""Ranks against counting by hand, and that they are uniform where nothing changes."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assent_analytics.detector.bets import Reference, rank_among, seed_of, theta

SEED = seed_of("org agent deploy score", 0)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=60))
def test_a_rank_counts_what_is_lower_and_shares_out_what_is_equal(cells: list[int]) -> None:
    reference = Reference()
    for n, cell in enumerate(cells, 1):
        past = cells[:n]
        less, equal = sum(one < cell for one in past), sum(one == cell for one in past)
        tie = theta(SEED, n)
        among = rank_among([reference], cell, tie)
        assert reference.rank(cell, tie) == among == pytest.approx((less + tie * equal) / n, rel=1e-12)
        assert reference.n == n
        ordered = sorted(past)
        assert [reference.quantile(share) for share in (0.0, 0.3, 0.5)] == [
            ordered[int(n * share)] for share in (0.0, 0.3, 0.5)
        ]


@given(st.lists(st.integers(-5, 5), max_size=30), st.lists(st.integers(-5, 5), max_size=30), st.integers(-5, 5))
def test_a_rank_among_several_is_that_among_all_of_them(first: list[int], second: list[int], then: int) -> None:
    one, other, both = Reference(), Reference(), Reference()
    for cell in first:
        one.add(cell)
    for cell in second:
        other.add(cell)
    for cell in [*second, *first]:
        both.add(cell)
    assert rank_among([one, other], then, 0.25) == rank_among([both], then, 0.25)


@given(st.lists(st.integers(-(1 << 30), 1 << 30), max_size=40), st.integers(-(1 << 30), 1 << 30))
def test_a_reference_goes_on_from_its_own_arrays(cells: list[int], then: int) -> None:
    whole = Reference()
    for cell in cells:
        whole.add(cell)
    again = Reference(whole.cells.tobytes(), whole.counts.tobytes())
    assert again.rank(then, 0.5) == whole.rank(then, 0.5)


def test_numbers_of_a_seed_are_uniform_and_those_of_another_epoch_are_others() -> None:
    drawn = [theta(SEED, n) for n in range(20_000)]
    assert all(0 < each < 1 for each in drawn)
    assert stats.kstest(drawn, "uniform").pvalue > 0.001
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.03
    assert seed_of("a", 0) != seed_of("a", 1)


def test_numbers_are_those_of_splitmix64() -> None:
    """The published ones of seed 1234567 (S. Vigna, splitmix64.c): a detector that goes on later breaks ties alike."""
    published = (
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    )
    assert [theta(1234567, n) for n in range(1, 6)] == [((each >> 11) + 0.5) / 2**53 for each in published]


STABLE: dict[str, Callable[[np.random.Generator], int]] = {
    "numbers": lambda random: int(random.normal(0, 1000)),
    "ties": lambda random: int(random.integers(0, 4)),
    "rare": lambda random: int(random.random() < 0.02),
    "constant": lambda random: 7,
}


@pytest.mark.parametrize("kind", STABLE)
def test_ranks_of_a_stable_stream_are_independent_and_uniform_whatever_its_values(kind: str) -> None:
    random = np.random.default_rng(3)
    ranks = np.array([_ranks(kind, f"{kind} {number}", random) for number in range(100)])
    assert stats.kstest(ranks.ravel(), "uniform").pvalue > 0.001
    # At each place of the stream, the first included, and not only over all of them.
    assert min(stats.kstest(ranks[:, place], "uniform").pvalue for place in range(50)) > 0.001 / 50
    assert abs(np.corrcoef(ranks[:, 1:].ravel(), ranks[:, :-1].ravel())[0, 1]) < 0.05


def _ranks(kind: str, key: str, random: np.random.Generator) -> list[float]:
    reference, seed = Reference(), seed_of(key, 0)
    return [reference.rank(STABLE[kind](random), theta(seed, n + 1)) for n in range(50)]
