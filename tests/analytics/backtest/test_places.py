"""Where ids stand among others, against a search through a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.backtest.limits import NOWHERE, places

IDS = st.lists(st.sampled_from(["a", "b", "ba", "c", "d", "é", ""]) | st.none(), max_size=12)


def expected(wanted: Sequence[str | None], ids: Sequence[str | None]) -> list[int]:
    first: dict[str | None, int] = {}
    for at, each in enumerate(ids):
        first.setdefault(each, at)
    return [NOWHERE if each is None else first.get(each, NOWHERE) for each in wanted]


def found(wanted: Sequence[str | None], ids: Sequence[str | None]) -> list[int]:
    given = places(pl.Series(wanted, dtype=pl.String), pl.Series(ids, dtype=pl.String))
    return [int(each) for each in given]


@given(IDS, IDS)
def test_ids_in_any_order(wanted: Sequence[str | None], ids: Sequence[str | None]) -> None:
    assert found(wanted, ids) == expected(wanted, ids)


@given(st.lists(st.text(max_size=3), max_size=12), st.sets(st.text(max_size=3), max_size=12))
def test_ids_that_ascend(wanted: list[str], ids: set[str]) -> None:
    assert found(sorted(wanted), sorted(ids)) == expected(sorted(wanted), sorted(ids))


@pytest.mark.parametrize("count", [1, 70_000])
def test_ids_that_ascend_are_found_whether_all_or_every_third_is_wanted(count: int) -> None:
    ids = [f"dec_{at:08}" for at in range(count)]
    assert found(ids, ids) == list(range(count))
    assert found(ids[::3], ids) == list(range(0, count, 3))
    assert found(ids, ids[::3]) == [at // 3 if at % 3 == 0 else NOWHERE for at in range(count)]
