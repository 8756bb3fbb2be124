"""Independent requests at the same time, so that a page waits for the slowest of them and not for their sum."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")

AT_ONCE = 4


def begin(ask: Callable[[], A]) -> Future[A]:
    """Ask in a thread of its own."""
    pool = ThreadPoolExecutor(1)
    answer = pool.submit(ask)
    pool.shutdown(wait=False)
    return answer


def later(ask: Callable[[], A]) -> Callable[[], A]:
    """Begin to ask. What is given back waits for the answer, and raises what asking raised."""
    return begin(ask).result


def both(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """The two results. Raises what the first one raised, else what the second one raised."""
    other = later(second)
    return first(), other()


def each(ask: Callable[[A], B], of: Iterable[A]) -> list[B]:
    """One result for each, in their order. Raises what the first failing one raised."""
    questions = list(of)
    if len(questions) < 2:
        return [ask(question) for question in questions]
    with ThreadPoolExecutor(min(AT_ONCE, len(questions))) as pool:
        return list(pool.map(ask, questions))
