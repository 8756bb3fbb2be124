"""The live stream, followed by one thread for each session. It touches nothing of Streamlit: it counts, and tells who
listens.

An open page compares the count it has drawn with the count now, about once a second, and asks the service only when
they differ. While the stream is down (`live` is false) nobody is told wrong: pages ask again by themselves every few
seconds (`views/frame.py`).

The client sleeps only between two attempts to open the stream, so its sleep is the feed's: it says that the stream is
down, and keeps the pause short, since a person waits for the page.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable

from assent import Client, Event, EventName
from assent.errors import AssentError, Unauthorized

PAUSE_SECONDS = 2.0
SETTLED_SECONDS = 6.0
"""A stream that was opened has held for this long before it is trusted; opening one is not told apart from holding."""
APPROVALS = frozenset(
    {
        EventName.APPROVAL_REQUESTED,
        EventName.APPROVAL_DECIDED,
        EventName.APPROVAL_EXPIRED,
        EventName.APPROVAL_WITHDRAWN,
    }
)


class Feed:
    """Counts events by name as they arrive. `connect` makes a client that sleeps as it is told."""

    def __init__(
        self, connect: Callable[[Callable[[float], object]], Client], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._counts: Counter[str] = Counter()
        self._listeners: list[Callable[[Event], object]] = []
        self._stopped = threading.Event()
        self._down = False
        self._tried = clock()
        self._client = connect(self._pause)
        self._thread = threading.Thread(target=self._follow, name="assent-feed", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Follow no longer. The thread is in the middle of listening and ends with the next thing that it hears, at
        the latest with the next heartbeat of the service."""
        self._stopped.set()
        self._client.close()

    def version(self, names: frozenset[EventName]) -> int:
        """A number that grows when an event of one of these names has arrived."""
        return sum(self._counts[name] for name in names)

    def listen(self, hear: Callable[[Event], object]) -> None:
        """`hear` is called with every further event, in this feed's thread, and must be quick."""
        self._listeners.append(hear)

    @property
    def live(self) -> bool:
        """Whether what happens arrives here by itself."""
        return self._thread.is_alive() and not self._down and self._clock() - self._tried >= SETTLED_SECONDS

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                for event in self._client.events():
                    self._counts[event.event] += 1
                    for hear in self._listeners:
                        hear(event)
                    if self._stopped.is_set():
                        return
            except Unauthorized:
                return  # A key that was revoked stays revoked; pages ask by themselves, and are told.
            except (AssentError, RuntimeError):
                # The service is gone, or the client was closed under us.
                self._pause(PAUSE_SECONDS)

    def _pause(self, seconds: float) -> None:
        self._down = True
        self._stopped.wait(min(seconds, PAUSE_SECONDS))
        self._tried = self._clock()
        self._down = False
