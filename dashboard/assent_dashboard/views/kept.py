"""Answers that a page keeps for a while, so that drawing it again asks nothing, each with when it was given.

An answer belongs to one browser tab (Streamlit's session state) and to the question it answers: another window or
agent is another question. Only the newest question of a name is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views.side_by_side import later

T = TypeVar("T")

FRESH_SECONDS = 60.0
"""How old an open page's answers become before they are asked for again."""
PREFIX = "assent_kept_"


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
    if known is not None and known.question == question and known.age < FRESH_SECONDS:
        return lambda: known
    coming = later(ask)

    def wait() -> Kept[T]:
        answer = Kept(coming(), time.monotonic(), question)
        st.session_state[PREFIX + name] = answer
        return answer

    return wait


def forget(name: str) -> None:
    """Ask again at the next look."""
    st.session_state.pop(PREFIX + name, None)


def checked_at(session: Session, kept: Kept[Any]) -> datetime:
    """When the answer was given, by the service's clock."""
    return session.clock.at(kept.read_at)
