"""Counting an agent's actions in bounded memory."""

import random

from hypothesis import given
from hypothesis import strategies as st

from assent_service.control.guard.rates import RateWindow


def test_only_newer_actions_of_the_same_agent_count() -> None:
    rates = RateWindow(10)
    for ts in (300, 100, 200, 200):
        rates.reserve("a", ts)
    rates.reserve("b", 250)
    assert [rates.count("a", since) for since in (0, 99, 100, 199, 200, 299, 300)] == [4, 4, 3, 3, 1, 1, 0]
    assert rates.count("b", 0) == 1
    assert rates.count("nobody", 0) == 0


def test_a_release_takes_back_one_reservation() -> None:
    rates = RateWindow(10)
    rates.reserve("a", 100)
    rates.reserve("a", 100)
    rates.release("a", 100)
    assert rates.count("a", 0) == 1
    rates.release("a", 99)
    rates.release("nobody", 100)
    assert rates.count("a", 0) == 1
    rates.release("a", 100)
    assert rates.count("a", 0) == 0


def test_counts_are_exact_up_to_the_largest_limit_and_memory_is_bounded() -> None:
    rates = RateWindow(50)
    for ts in range(100_000):
        rates.reserve("a", ts)
        assert rates.count("a", -1) >= min(ts + 1, 50)
    assert rates.count("a", 99_999 - 50) == 50
    assert rates.count("a", -1) < 50 + 3000


def test_a_release_never_uncovers_what_was_dropped() -> None:
    rates = RateWindow(3)
    for ts in range(5000):
        rates.reserve("a", ts)
        if ts >= 3:
            rates.release("a", ts)
            assert rates.count("a", -1) >= 3
            rates.reserve("a", ts)


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(0, 55), st.randoms())
def test_any_order_of_arrival_counts_the_same(times: list[int], since: int, order: random.Random) -> None:
    rates = RateWindow(100)
    order.shuffle(times)
    for ts in times:
        rates.reserve("a", ts)
    assert rates.count("a", since) == sum(ts > since for ts in times)


def test_when_the_clock_is_turned_back_what_was_counted_is_as_old_as_it_was() -> None:
    rates = RateWindow(10)
    for ts in (1000, 1100, 1200):
        rates.reserve("a", ts)
    rates.turn_back(now=250, by=1000)
    assert [rates.count("a", since) for since in (-1, 0, 99, 100, 199, 200)] == [3, 2, 2, 1, 1, 0]
    rates.turn_back(now=250, by=1000)
    assert rates.count("a", 99) == 2, "what is past is left alone"


def test_a_window_keeps_to_its_budget_and_knows_what_it_has_forgotten() -> None:
    rates = RateWindow(10, budget=50_000)
    for number in range(1_000):
        rates.reserve(f"agent {number}", number)
    held = dict(rates.times())
    assert 100 < len(held) < 150
    assert rates.knows("agent 130") is rates.knows("agent 0") is False, "they may be in the tables"
    assert not rates.knows("nobody"), "so may this one"
    rates.reserve("agent 0", 2_000)
    assert not rates.knows("agent 0"), "only its newest time is here"
    rates.recall("agent 0", [0, 500])
    assert rates.knows("agent 0")
    assert [rates.count("agent 0", since) for since in (-1, 0, 500, 2_000)] == [3, 2, 1, 0]


def test_until_something_was_forgotten_an_agent_that_is_not_here_has_no_times() -> None:
    rates = RateWindow(10, budget=50_000)
    assert rates.knows("nobody")
    rates.reserve("a", 1)
    rates.release("a", 1)
    assert rates.knows("a")
    assert rates._bytes == 0


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 50), st.booleans()), max_size=60),
    st.integers(400, 3_000),
)
def test_with_the_tables_behind_it_a_small_window_counts_like_a_large_one(
    steps: list[tuple[str, int, bool]], budget: int
) -> None:
    """Each step reserves, or asks as guard does; the tables hold every time."""
    small, large = RateWindow(5, budget=budget), RateWindow(5)
    tables: dict[str, list[int]] = {}
    for agent, ts, asks in steps:
        if asks:
            if not small.knows(agent):
                small.recall(agent, tables.get(agent, []))
            # One entry may be all that fits; then it is still here, since it is the newest.
            if small.knows(agent):
                assert small.count(agent, ts) == large.count(agent, ts)
        else:
            small.reserve(agent, ts)
            large.reserve(agent, ts)
            tables.setdefault(agent, []).append(ts)
        assert small._bytes == sum(350 + 8 * len(times) for _, times in small.times()) <= budget
