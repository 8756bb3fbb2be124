"""The service's clock, as this process knows it: asked once in a while, counted on in between.

What a page calls "last checked" is the service's time, since the times of everything it shows are.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

ASK_AGAIN_SECONDS = 300.0
"""Two clocks drift apart by far less than a second in that time."""


class ServiceClock:
    """`ask` gives the service's time now; `ticks` counts seconds that only grow."""

    def __init__(self, ask: Callable[[], datetime], ticks: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._ticks = ask, ticks
        self._told: datetime | None = None
        self._told_at = 0.0

    def now(self) -> datetime:
        return self.at(self._ticks())

    def at(self, tick: float) -> datetime:
        """The service's time at a moment of `ticks`. Raises what asking raises, when it has to be asked."""
        if self._told is None or self._ticks() - self._told_at > ASK_AGAIN_SECONDS:
            before = self._ticks()
            told = self._ask()
            # The service looked at its clock somewhere between the question and the answer.
            self._told, self._told_at = told, (before + self._ticks()) / 2
        return self._told + timedelta(seconds=tick - self._told_at)
