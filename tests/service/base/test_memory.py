"""Mappings that keep to their budget."""

from __future__ import annotations

import tracemalloc
from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.base.memory import ENTRY, MEGABYTE, SHARES, MemoryBudget, Newest
from assent_service.core.settings import Settings, SettingsError, load

KEYS = st.integers(0, 9)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), KEYS, st.integers(0, 900)),
        st.tuples(st.just("touch"), KEYS, st.just(0)),
        st.tuples(st.just("pop"), KEYS, st.just(0)),
        st.tuples(st.just("grow"), KEYS, st.integers(0, 300)),
    ),
    max_size=80,
)


@given(STEPS, st.integers(1, 6))
def test_it_is_the_newest_that_fit(steps: list[tuple[str, int, int]], most: int) -> None:
    """Against a plain list of keys with their sizes, the oldest first."""
    budget = 3 * ENTRY + 1000
    newest: Newest[int, str] = Newest(most=most, budget=budget)
    model: OrderedDict[int, int] = OrderedDict()
    for step, key, size in steps:
        if step == "put":
            newest.put(key, f"{key}:{size}", size)
            model.pop(key, None)
            model[key] = size + ENTRY
        elif step == "touch":
            assert (newest.touch(key) is not None) == (key in model)
            if key in model:
                model.move_to_end(key)
        elif step == "pop":
            assert (newest.pop(key) is not None) == (model.pop(key, None) is not None)
        elif key in model:
            newest.grow(key, size)
            model[key] += size
        while len(model) > most or sum(model.values()) > budget:
            model.popitem(last=False)
        assert [key for key, _ in newest.items()] == list(model)
        assert newest.bytes == sum(model.values()) <= budget
        assert len(newest) == len(model)
        assert newest.oldest() == (None if not model else (next(iter(model)), newest.get(next(iter(model)))))
        assert all((key in newest) == (key in model) for key in range(10))


def test_it_counts_what_it_forgot_and_not_what_was_taken_out() -> None:
    newest: Newest[int, bytes] = Newest(budget=10 * ENTRY)
    for key in range(10):
        newest.put(key, b"", 0)
    newest.pop(0)
    assert newest.forgotten == 0
    newest.put(10, b"", 0)
    newest.put(11, b"", 0)
    assert (newest.forgotten, 1 in newest, 2 in newest) == (1, False, True)


def test_what_is_larger_than_the_budget_is_not_kept() -> None:
    newest: Newest[str, bytes] = Newest(budget=1000)
    newest.put("large", b"", 1001)
    assert len(newest) == newest.bytes == 0


def test_an_entry_costs_what_is_said() -> None:
    """Keys as the folds have them: two texts of ours."""
    tracemalloc.start()
    try:
        newest: Newest[tuple[str, str], bytes] = Newest(budget=1 << 40)
        before = tracemalloc.get_traced_memory()[0]
        for number in range(20_000):
            payload = b"x" * 300
            newest.put(("org_a", f"act_{number:032x}"), payload + b"%d" % number, 300)
        cost = (tracemalloc.get_traced_memory()[0] - before) / 20_000 - 300
    finally:
        tracemalloc.stop()
    assert 0.7 * ENTRY < cost <= 1.1 * ENTRY, f"{cost:.0f} bytes beside the payload"


def test_shares_leave_room_for_everything_else() -> None:
    assert 0.3 < sum(SHARES.values()) <= 0.75
    assert MemoryBudget(1000).of("actions") == int(1000 * MEGABYTE * SHARES["actions"])


@pytest.mark.parametrize("megabytes", ["0", "63", "1000001", "much"])
def test_sizes_that_cannot_be_are_refused(megabytes: str) -> None:
    with pytest.raises(SettingsError, match="memory_megabytes"):
        load({"ASSENT_MEMORY_MEGABYTES": megabytes})
    assert Settings().memory_megabytes == 1024
