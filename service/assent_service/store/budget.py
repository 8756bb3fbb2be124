"""What one analysis may take: a query whose rows are all taken into memory, at the cost of everybody else.

    budget = Budget(at_once=2, seconds=60.0, bytes=2 << 30)
    with TimeLimit(budget, cursor) as limit:      # interrupts the cursor's query when the time is over
        ...
        limit.check()                             # raises BudgetExceeded once it did

A list or a look-up has no budget: it has a page, and threads of its own.
"""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import NamedTuple, Protocol, Self

WAITING = 16
"""Analyses that may wait for each that is at work; whoever comes then is told to come again."""


class Budget(NamedTuple):
    """`at_once` analyses are at work, each of which may take so many `seconds`, and rows of so many `bytes`."""

    at_once: int = 2
    seconds: float = 60.0
    bytes: int = 2 << 30

    @property
    def most(self) -> int:
        """How many there may be, at work and waiting."""
        return self.at_once * (1 + WAITING)


UNLIMITED = Budget(seconds=threading.TIMEOUT_MAX, bytes=sys.maxsize)
"""For what the service reads for itself."""


class BudgetExceeded(Exception):
    """An analysis took more than it may. The message says what of, and how much that is."""


class TooManyAnalyses(Exception):
    """As many are at work and waiting as may be."""


class Interruptible(Protocol):
    def interrupt(self) -> None: ...


class TimeLimit:
    """Interrupts a query once its seconds have passed; never the next one on the same cursor."""

    def __init__(self, budget: Budget, query: Interruptible) -> None:
        self._budget, self._query = budget, query
        self._gate, self._over, self._ended = threading.Lock(), False, False
        self._timer = threading.Timer(budget.seconds, self._interrupt)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._gate:
            self._ended = True
        self._timer.cancel()

    def check(self, size: int = 0) -> None:
        """Raise BudgetExceeded when the time is over, or rows of so many bytes are more than may be taken."""
        if self._over:
            raise BudgetExceeded(f"it took longer than {self._budget.seconds:g} seconds (`analytics_seconds`)")
        if size > self._budget.bytes:
            raise BudgetExceeded(
                f"its rows are more than {self._budget.bytes / (1 << 20):g} MB (`analytics_megabytes`)"
            )

    def _interrupt(self) -> None:
        with self._gate:
            if not self._ended:
                self._over = True
                self._query.interrupt()
