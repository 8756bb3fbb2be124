"""Slopes beside fixed effects, against a regression with a column for each kind, block by block."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest
from numpy.typing import NDArray

from assent_analytics.fixed_effects import Slopes, slopes, slopes_within

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def found(columns: Floats, kinds: Codes, blocks: Codes, problems: Codes) -> Slopes:
    """Of rows with weight 1; the columns are x, others and y."""
    every = np.column_stack([np.ones(len(columns)), columns])
    products = [first * second for first, second in combinations_with_replacement(every.T, 2)]
    return slopes(products, kinds, blocks, problems)


def fitted(columns: Floats, kinds: Codes) -> float:
    levels = (kinds[:, None] == np.unique(kinds)).astype(float)
    return float(np.linalg.lstsq(np.column_stack([columns[:, :-1], levels]), columns[:, -1], rcond=None)[0][0])


@pytest.mark.parametrize("others", [0, 1, 3])
def test_slope_and_error_are_those_of_the_regression_without_each_block(others: int) -> None:
    random = np.random.default_rng(others)
    columns = random.normal(size=(150, others + 2))
    kinds, blocks = random.integers(0, 5, 150), np.sort(random.integers(0, 9, 150))
    answer = found(columns, kinds, blocks, np.zeros(9, np.int64))
    whole = fitted(columns, kinds)
    without = np.array([fitted(columns[blocks != at], kinds[blocks != at]) for at in range(9)])
    assert answer.slope[0] == pytest.approx(whole)
    assert answer.error[0] == pytest.approx(np.sqrt(8 / 9 * ((without - whole) ** 2).sum()))
    assert answer.blocks[0] == 9
    assert 1 < answer.effective[0] <= 9


def test_problems_do_not_know_of_each_other() -> None:
    random = np.random.default_rng(5)
    columns, kinds, blocks = random.normal(size=(90, 3)), np.repeat([0, 1, 2], 30), np.repeat(np.arange(9), 10)
    together = found(columns, kinds, blocks, np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]))
    for at in range(3):
        own = slice(30 * at, 30 * at + 30)
        alone = found(columns[own], np.zeros(30, np.int64), blocks[own] - 3 * at, np.zeros(3, np.int64))
        assert [each[at] for each in together] == pytest.approx([each[0] for each in alone])


def test_blocks_weigh_what_is_lost_without_them() -> None:
    """Points at 0 to 3: without an end 3 of 5 squares are lost, without a middle one a third of one."""
    columns = np.column_stack([np.arange(4.0) - 1.5, [0.0, 2.0, 1.0, 5.0]])
    answer = found(columns, np.zeros(4, np.int64), np.arange(4), np.zeros(4, np.int64))
    assert answer.effective[0] == pytest.approx((2 * 3 + 2 / 3) ** 2 / (2 * 9 + 2 / 9))


def test_what_kinds_or_other_columns_say_already_has_no_slope() -> None:
    x = np.repeat([0.0, 1.0, 2.0], 4)
    y = np.arange(12.0)
    blocks, one = np.tile(np.arange(4), 3), np.zeros(4, np.int64)
    assert np.isnan(found(np.column_stack([x, y]), x.astype(np.int64), blocks, one).slope[0])
    same = found(np.column_stack([x, 3 * x, y]), np.zeros(12, np.int64), blocks, one)
    assert (np.isnan(same.slope[0]), same.blocks[0], same.effective[0]) == (True, 0, 0)


def test_a_block_that_carries_the_slope_alone_leaves_no_error() -> None:
    x = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    answer = found(
        np.column_stack([x, [1.0, 2.0, 1.5, 1.0, 4.0]]), np.zeros(5, np.int64), np.arange(5), np.zeros(5, int)
    )
    assert answer.slope[0] == pytest.approx(4 - 1.375)
    assert np.isnan(answer.error[0])


@pytest.mark.parametrize(("n", "columns", "size"), [(120, 5, 8), (200, 40, 8), (300, 12, 40), (60, 0, 6), (90, 20, 7)])
def test_of_rows_with_many_columns_it_is_least_squares_without_each_block(n: int, columns: int, size: int) -> None:
    """Some columns are alike, one stands in a block only, and the last block is smaller. Two of three columns are asked
    about at once; what the other columns say of the third leaves nothing."""
    random = np.random.default_rng(n)
    x, y = (random.random((n, 3)) < 0.5).astype(float), random.normal(5, 3, n)
    others = (random.random((n, columns)) < 0.2).astype(float)
    others[:, :1] = np.arange(n)[:, None] < 3
    others = np.column_stack([others, others[:, -1:], np.full(n, 7.0)])
    x[:, 1] = others[:, 0]
    block, begins = np.arange(n) // size, np.arange(0, n, size)
    levels = (block[:, None] == np.unique(block)).astype(float)
    beside = np.column_stack([others, levels])
    found = slopes_within(x, others, y, begins)
    assert np.isnan(found[1].slope)
    assert (found[1].blocks, found[1].effective) == (0, 0.0)
    for own, answer in zip(x.T[::2], found[::2], strict=True):

        def told(kept: NDArray[np.bool_], own: Floats = own) -> tuple[float, float]:
            left = own[kept] - beside[kept] @ np.linalg.lstsq(beside[kept], own[kept], rcond=None)[0]
            return float(left @ y[kept] / (left @ left)), float(left @ left)

        slope, square = told(block >= 0)
        without = np.array([told(block != each) for each in range(len(begins))])
        lost = square - without[:, 1]
        assert answer.slope == pytest.approx(slope, rel=1e-7)
        tells = lost > 1e-9 * square
        spread = ((without[:, 0] - slope) ** 2)[tells]
        assert answer.blocks == tells.sum()
        assert answer.error == pytest.approx(np.sqrt((tells.sum() - 1) / tells.sum() * spread.sum()), rel=1e-7)
        assert answer.effective == pytest.approx(lost.sum() ** 2 / (lost**2).sum(), rel=1e-7)


def test_a_column_that_says_nothing_beside_others_has_no_slope() -> None:
    x, y, begins = np.tile([0.0, 1.0], 20)[:, None], np.arange(40.0), np.arange(0, 40, 8)
    none = np.empty((40, 0))
    assert np.isnan(slopes_within(x, x, y, begins)[0].slope)
    assert np.isnan(slopes_within(np.repeat(np.arange(5.0), 8)[:, None], none, y, begins)[0].slope)
    # One block alone tells it, and there is no error.
    x[8:] = 0.0
    (alone,) = slopes_within(x, none, y, begins)
    assert alone.slope == pytest.approx(1.0)
    assert alone.blocks == 1
    assert np.isnan(alone.error)


def test_a_column_of_zeros_is_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    random = np.random.default_rng(3)
    x, weight = random.normal(size=400), random.random(400) + 1e-3
    columns = np.column_stack([np.ones(400), x, np.full(400, 1 / 3), random.normal(size=400)])
    products = [weight * columns[:, a] * columns[:, b] for a in range(4) for b in range(a, 4)]
    codes = np.arange(400) % 40
    slopes(products, codes, np.arange(400) % 8, np.zeros(8, np.int64))
    assert not recwarn.list
