"""Between two event streams: whether the service is gone, since when, and that it is back.

A client that follows events sleeps only while it has no stream, so its sleep is this one's `pause`: it asks whether the
service answers, and goes on as soon as it does. A service that is gone is said once, and so is its return.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from assent.cli.session import Connection, make_client

BETWEEN = 1.0
"""Seconds between two questions whether the service answers."""
LONGEST = 5.0
"""A stream that is refused by a service which answers is asked for again after so many seconds at most."""


class OutageWatch:
    """`answers` asks the service once; `gone` is told since when it does not, `back` that it does again."""

    def __init__(
        self,
        answers: Callable[[], bool],
        *,
        gone: Callable[[datetime], object],
        back: Callable[[], object],
        wait: Callable[[float], object] = time.sleep,
        today: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._answers, self._gone, self._back, self._wait, self._today = answers, gone, back, wait, today

    def pause(self, seconds: float) -> None:
        """Come back when it is worth asking for the stream again."""
        if self._answers():
            self._wait(min(seconds, LONGEST))
            return
        self._gone(self._today())
        while not self._answers():
            self._wait(BETWEEN)
        self._back()


def say_gone(since: datetime) -> None:
    print(f"{gone_words(since)}.", file=sys.stderr, flush=True)


def say_back() -> None:
    print(f"The service answers again, {datetime.now(UTC):%H:%M:%S} UTC.", file=sys.stderr, flush=True)


def gone_words(since: datetime) -> str:
    return f"The service does not answer since {since.astimezone(UTC):%H:%M:%S} UTC; trying again"


def watch_outage(
    connection: Connection,
    *,
    gone: Callable[[datetime], object] = say_gone,
    back: Callable[[], object] = say_back,
) -> OutageWatch:
    """Over the service of this connection; by itself it says both on standard error."""

    def answers() -> bool:
        from assent.errors import ApiError, AssentError

        try:
            with make_client(connection, timeout=3.0, retries=0) as client:
                client.health()
        except ApiError:
            return True
        except AssentError:
            return False
        return True

    return OutageWatch(answers, gone=gone, back=back)
