"""The intervals of `compare`, against published critical values and a ratio that is known."""

from __future__ import annotations

import math
import random

import pytest

from tests.benchmarks.intervals import interval


@pytest.mark.parametrize(
    ("n", "critical"),
    # Wilcoxon's table for two sides and 1%: the null hypothesis falls where the smaller sum is at most so much.
    [(8, 0), (10, 3), (12, 7), (15, 15), (20, 37)],
)
def test_an_interval_ends_where_the_table_of_the_test_does(n: int, critical: int) -> None:
    # Of exponents 2^k no two means are equal, and the (k + 1)th lowest mean ends an interval with critical value k.
    ratios = [math.exp(2.0**k / 2**n) for k in range(n)]
    means = sorted(math.sqrt(one * other) for at, one in enumerate(ratios) for other in ratios[at:])
    found = interval(ratios, 0.99)
    assert found.low == pytest.approx(means[critical])
    assert found.high == pytest.approx(means[-critical - 1])


def test_few_pairs_say_nothing() -> None:
    found = interval([2.0] * 7, 0.99)
    assert found.middle == pytest.approx(2.0)
    assert (found.low, found.high) == (0.0, math.inf)


def test_an_interval_misses_the_ratio_as_rarely_as_it_says_with_heavy_tails() -> None:
    dice = random.Random(20)

    def ratio() -> float:
        wide = 2.0 if dice.random() < 0.1 else 0.05
        return 1.2 * math.exp(dice.gauss(0, wide))

    missed = sum(
        not found.low <= 1.2 <= found.high
        for found in (interval([ratio() for _ in range(12)], 0.9) for _ in range(500))
    )
    assert 25 <= missed <= 75  # 10% of 500, and three times what chance adds


def test_one_slow_round_does_not_hide_a_change() -> None:
    found = interval([*(1.18 + at / 400 for at in range(19)), 0.3], 0.98)
    assert 1.1 < found.low <= found.middle < found.high < 1.3
