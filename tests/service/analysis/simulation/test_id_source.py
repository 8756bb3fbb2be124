"""Ids ascend in the order they are made, and look like all the others."""

from __future__ import annotations

import pytest

from assent_service.analysis.simulation.evidence import IdSource
from assent_service.base.clock import minted

NOW = 1_772_442_000_000_123


def test_ids_ascend_even_within_a_millisecond_and_beyond_its_counter() -> None:
    id_source = IdSource()
    ids = [id_source.id("act_", NOW) for _ in range(10_000)]
    assert ids == sorted(set(ids))
    # 4096 fit into a millisecond; the others are dated one and two later.
    assert {minted(each) for each in ids} == {NOW // 1000 * 1000 + 1000 * later for later in range(3)}


def test_ids_of_later_moments_are_greater_and_begin_their_count_anew() -> None:
    id_source = IdSource()
    first, second, third = (id_source.id("apr_", at) for at in (NOW, NOW + 500, NOW + 2000))
    assert first < second < third
    assert [int(each[4:][13:16], 16) for each in (first, second, third)] == [0, 1, 0]


@pytest.mark.parametrize("at", [NOW, NOW + 999_999_999])
def test_an_id_tells_when_it_was_made(at: int) -> None:
    made = IdSource().id("dec_", at)
    assert made.startswith("dec_")
    assert len(made) == 36
    assert minted(made) == at // 1000 * 1000
