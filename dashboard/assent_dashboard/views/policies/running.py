"""Something that takes a while, begun in a thread and waited for without holding up the page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

import streamlit as st

from assent.errors import AssentError
from assent_dashboard.views import words

T = TypeVar("T")

LOOK_SECONDS = 0.5


class Running(Generic[T]):
    """Asks at once. `question` tells what it answers; what asking raised is in `error`."""

    def __init__(self, ask: Callable[[], T], question: Hashable) -> None:
        self.question, self.begun = question, time.monotonic()
        self.ended: float | None = None
        self.answer: T | None = None
        self.error: AssentError | None = None
        self._ask = ask
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def done(self) -> bool:
        return self.ended is not None

    @property
    def seconds(self) -> float:
        return (self.ended or time.monotonic()) - self.begun

    def wait(self, seconds: float) -> bool:
        """Whether it is done, at the latest after so many seconds."""
        self._thread.join(seconds)
        return self.done

    def _run(self) -> None:
        try:
            self.answer = self._ask()
        except AssentError as error:
            self.error = error
        finally:
            self.ended = time.monotonic()


def draw_running(running: Running[T], what: str, *, key: str) -> None:
    """How long it has taken so far; the page is drawn anew once it is done."""

    @st.fragment(run_every=LOOK_SECONDS)
    def look() -> None:
        if running.done:
            st.rerun(scope="app")
        with st.container(key=key):
            st.markdown(f":material/hourglass_top: {what} {words.span(running.seconds)} so far; the page stays usable.")

    look()
