"""Answers of the service: asked for beside each other, and kept for a while, so that drawing a page again asks nothing.

An answer belongs to one browser tab (Streamlit's session state) and to the question it answers: another window or
agent is another question. Only the newest question of a name is kept. A click while a question is on its way draws the
page anew; that drawing waits for the answer that is coming and does not ask again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import streamlit as st

from assent.errors import ConnectionFailed, ServerError, Unavailable

if TYPE_CHECKING:
    from assent_dashboard.sessions import Session

A = TypeVar("A")
B = TypeVar("B")

AT_ONCE = 4
AWAY = (ConnectionFailed, Unavailable, ServerError)
"""What the client raises while the service does not answer; asked again later, it may."""


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


T = TypeVar("T")

FRESH_SECONDS = 60.0
"""How old an open page's answers become before they are asked for again."""
PREFIX, COMING = "assent_kept_", "assent_coming_"


@dataclass(frozen=True)
class CachedAnswer(Generic[T]):
    """An answer, when it came by this process's clock, and which question it answers."""

    answer: T
    read_at: float
    question: Hashable

    @property
    def age(self) -> float:
        """Seconds."""
        return time.monotonic() - self.read_at


def asked(name: str, ask: Callable[[], T], question: Hashable = None) -> Callable[[], CachedAnswer[T]]:
    """What was answered within the last minute, or is being asked for now; calling it waits for the answer."""
    known: CachedAnswer[Any] | None = st.session_state.get(PREFIX + name)
    if known is not None and _answers(known, question):
        fresh: CachedAnswer[T] = known
        return lambda: fresh
    coming = _on_its_way(name, question) or begin(lambda: CachedAnswer(ask(), time.monotonic(), question))
    st.session_state[COMING + name] = (question, coming)

    def wait() -> CachedAnswer[T]:
        try:
            answer = coming.result()
        finally:
            # A drawing that is broken off while it waits leaves the question to the next one.
            if coming.done():
                st.session_state.pop(COMING + name, None)
        st.session_state[PREFIX + name] = answer
        return answer

    return wait


def is_known(name: str, question: Hashable = None) -> bool:
    """Whether asking would give an answer at once."""
    known: CachedAnswer[Any] | None = st.session_state.get(PREFIX + name)
    return known is not None and _answers(known, question)


def forget(name: str) -> None:
    """Ask again at the next look."""
    st.session_state.pop(PREFIX + name, None)
    st.session_state.pop(COMING + name, None)


def _answers(known: CachedAnswer[Any], question: Hashable) -> bool:
    return known.question == question and known.age < FRESH_SECONDS


def _on_its_way(name: str, question: Hashable) -> Future[CachedAnswer[Any]] | None:
    """The answer that an earlier drawing has asked for and did not wait for; None when it is of no use any more."""
    of, coming = st.session_state.get(COMING + name, (None, None))
    if not isinstance(coming, Future) or of != question:
        return None
    if not coming.done():
        return coming
    return coming if coming.exception() is None and _answers(coming.result(), question) else None


def checked_at(session: Session, kept: CachedAnswer[Any]) -> datetime:
    """When the answer was given, by the service's clock."""
    return session.clock.at(kept.read_at)
