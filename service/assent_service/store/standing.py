"""How a service stands to the log in a database that it shares with others: whether the database answers, how far the
service is behind what others have recorded, and what becomes of what it submits itself.

    standing.follow(lambda: ledger.head)     # what is folded here
    standing.heard(120)                      # with each answer of the database: its last event
    standing.missed()                        # or that there was none
    standing.away, standing.behind()         # True, Behind(events=20, seconds=0.3)

The threads that ask the database write it; it is read from any thread. An answer is due every second at the latest.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from assent.contract.health import Check
from assent_service.base.clock import SECOND, Clock, elapsed
from assent_service.base.trail import Behind

LATE: Final = 2.0
"""Seconds that a service may be behind, or be without an answer, and count as ready."""
APART: Final = SECOND // 10
"""Microseconds between two heads whose times are kept."""
CHECK: Final = "database"


class AppendObserver(Protocol):
    def appended(self, seconds: float, recorded: int, overtaken: int) -> None:
        """The database has answered a batch of submissions after so long."""
        ...

    def refused(self, submissions: int) -> None:
        """It has not, or takes none."""
        ...


class Standing:
    """`passed` tells the time that passes, in microseconds."""

    def __init__(self, passed: Clock = elapsed) -> None:
        self._passed = passed
        self._lock = threading.Lock()
        self._folded: Callable[[], int] = _nothing
        self._head, self._heard, self._missed = 0, passed(), False
        self._ahead: deque[tuple[int, int]] = deque()
        """Heads that may not be folded yet, each with the time when it was heard of."""
        self.observer: AppendObserver | None = None

    def follow(self, folded: Callable[[], int]) -> None:
        """`folded` says the last event that the service has folded into memory."""
        self._folded = folded

    def heard(self, head: int) -> None:
        """The database has answered, and its last event is `head`."""
        with self._lock:
            self._heard, self._missed = self._passed(), False
            if head <= self._head:
                return
            self._head = head
            if self._ahead and self._heard - self._ahead[-1][1] < APART:
                self._ahead[-1] = (head, self._ahead[-1][1])
            else:
                self._ahead.append((head, self._heard))
            self._drop()

    def missed(self) -> None:
        """The database has not answered."""
        with self._lock:
            self._missed = True

    @property
    def away(self) -> bool:
        with self._lock:
            return self._missed or self._silent() > LATE

    @property
    def silent(self) -> bool:
        """Whether it has not answered for so long, not even that it does not."""
        with self._lock:
            return self._silent() > LATE

    def behind(self) -> Behind:
        """Seconds are those since the service has heard of the oldest event that it has not folded."""
        with self._lock:
            self._drop()
            if not self._ahead:
                return Behind(0, 0.0)
            return Behind(self._head - self._folded(), (self._passed() - self._ahead[0][1]) / SECOND)

    def inspect(self) -> Check:
        """A service that cannot record, or that knows what others recorded too late, is not ready."""
        if self.away:
            with self._lock:
                silent = self._silent()
            return _fail(
                f"The evidence log's database has not answered for {silent:.0f} s; nothing is recorded or read "
                "meanwhile. The service's log says why."
            )
        behind = self.behind()
        if behind.seconds > LATE:
            return _fail(f"This service is {behind} what others have recorded, and {LATE:.0f} s is the most.")
        return Check(name=CHECK, status="pass", detail=f"It answers, and this service follows it ({behind}).")

    def _silent(self) -> float:
        return (self._passed() - self._heard) / SECOND

    def _drop(self) -> None:
        folded = self._folded()
        while self._ahead and self._ahead[0][0] <= folded:
            self._ahead.popleft()


def _fail(detail: str) -> Check:
    return Check(name=CHECK, status="fail", detail=detail)


def _nothing() -> int:
    return 0
