"""Counts within a window, compared with counting everything anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.control.signals.windows import KEPT, NamedTimes, Times

SPAN, NEEDED = 100, 3
moments = st.integers(0, 1000)
acts = st.lists(st.tuples(st.sampled_from("abc"), moments), max_size=60)


@given(acts, st.integers(0, 200))
def test_times_count_what_lies_within_the_span(acts: list[tuple[str, int]], later: int) -> None:
    times = Times(SPAN, NEEDED)
    ordered = sorted(acts, key=lambda act: act[1])
    for number, (agent, at) in enumerate(ordered, 1):
        within = [t for a, t in ordered[:number] if a == agent and t > at - SPAN]
        assert times.add(agent, at) is (len(within) == NEEDED)
    now = (ordered[-1][1] if ordered else 0) + later
    expected = {a: sum(b == a and t > now - SPAN for b, t in acts) for a in "abc"}
    assert {a: times.count(a, now).number for a in "abc"} == expected
    over = {a: n for a, n in expected.items() if n >= NEEDED}
    assert {count.agent_id: count.number for count in times.counts(now)} == over


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 5), moments, st.booleans()), max_size=60))
def test_marks_count_what_was_not_taken_back(steps: list[tuple[str, int, int, bool]]) -> None:
    marks, known = NamedTimes(SPAN, NEEDED), dict[tuple[str, str], int]()
    for agent, number, at, stays in steps:
        name = f"m{number}"
        if stays:
            known[agent, name] = at
            marks.add(agent, name, at)
        else:
            known.pop((agent, name), None)
            marks.discard(agent, name)
    for now in (50, 500, 1000):
        expected = {a: sum(b == a and at > now - SPAN for (b, _), at in known.items()) for a in "ab"}
        assert {a: marks.count(a, now).number for a in "ab"} == expected
        assert {c.agent_id for c in marks.counts(now)} == {a for a, n in expected.items() if n >= NEEDED}


def test_a_mark_that_is_there_already_brings_nothing_about() -> None:
    marks = NamedTimes(SPAN, 2)
    assert [marks.add("a", name, 7) for name in ("x", "x", "y", "y", "z")] == [False, False, True, False, False]


@pytest.mark.parametrize("most", [1, 5])
def test_of_too_many_agents_those_heard_of_last_are_known(most: int) -> None:
    times, marks = Times(SPAN, 1, most), NamedTimes(SPAN, 1, most)
    for number in range(20):
        times.add(f"a{number}", number)
        marks.add(f"a{number}", "x", number)
    newest = {f"a{number}" for number in range(20 - most, 20)}
    assert {count.agent_id for count in times.counts(19)} == newest
    assert {count.agent_id for count in marks.counts(19)} == newest


def test_more_than_is_kept_of_an_agent_counts_as_at_least_that() -> None:
    times, marks = Times(10**9, NEEDED), NamedTimes(10**9, NEEDED)
    for number in range(10 * KEPT):
        times.add("a", number)
        marks.add("a", f"m{number}", number)
    for counted in (times, marks):
        count = counted.count("a", 10 * KEPT)
        assert (count.number, count.most, count.latest) == (KEPT, KEPT, 10 * KEPT - 1)
