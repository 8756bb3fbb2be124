"""Counting an agent's actions in bounded memory."""

import random

from hypothesis import given
from hypothesis import strategies as st

from assent_service.guard.rates import RateWindow


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
