"""Answers that a page keeps for a while, so that drawing it again asks nothing, each with when it was given.

An answer belongs to one browser tab (Streamlit's session state) and to the question it answers: another window or
agent is another question. Only the newest question of a name is kept. A click while a question is on its way draws the
page anew; that drawing waits for the answer that is coming and does not ask again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views.side_by_side import begin

T = TypeVar("T")

FRESH_SECONDS = 60.0
"""How old an open page's answers become before they are asked for again."""
PREFIX, COMING = "assent_kept_", "assent_coming_"


@dataclass(frozen=True)
class Kept(Generic[T]):
    """An answer, when it came by this process's clock, and which question it answers."""

    answer: T
    read_at: float
    question: Hashable

    @property
    def age(self) -> float:
        """Seconds."""
        return time.monotonic() - self.read_at


def asked(name: str, ask: Callable[[], T], question: Hashable = None) -> Callable[[], Kept[T]]:
    """What was answered within the last minute, or is being asked for now; calling it waits for the answer."""
    known: Kept[Any] | None = st.session_state.get(PREFIX + name)
    if known is not None and _answers(known, question):
        fresh: Kept[T] = known
        return lambda: fresh
    coming = _on_its_way(name, question) or begin(lambda: Kept(ask(), time.monotonic(), question))
    st.session_state[COMING + name] = (question, coming)

    def wait() -> Kept[T]:
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
    known: Kept[Any] | None = st.session_state.get(PREFIX + name)
    return known is not None and _answers(known, question)


def forget(name: str) -> None:
    """Ask again at the next look."""
    st.session_state.pop(PREFIX + name, None)
    st.session_state.pop(COMING + name, None)


def _answers(known: Kept[Any], question: Hashable) -> bool:
    return known.question == question and known.age < FRESH_SECONDS


def _on_its_way(name: str, question: Hashable) -> Future[Kept[Any]] | None:
    """The answer that an earlier drawing has asked for and did not wait for; None when it is of no use any more."""
    of, coming = st.session_state.get(COMING + name, (None, None))
    if not isinstance(coming, Future) or of != question:
        return None
    if not coming.done():
        return coming
    return coming if coming.exception() is None and _answers(coming.result(), question) else None


def checked_at(session: Session, kept: Kept[Any]) -> datetime:
    """When the answer was given, by the service's clock."""
    return session.clock.at(kept.read_at)
