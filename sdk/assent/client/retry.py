"""Trying again: which calls, how often, and how long to wait in between.

Only what did not get through is tried again: no connection, no answer in time, or a 503. Only calls that may
happen twice without harm are: GET, HEAD, PUT and DELETE, and those that carry an idempotency key. The pause doubles
from a quarter of a second up to eight and is drawn from its upper half, so that many agents do not come back at
once (the "equal jitter" of exponential backoff); a longer Retry-After is honoured, up to a minute. A service that
asks for more than that is not waited for.
"""

from __future__ import annotations

from typing import TypeVar

from assent.client.ambient import Ambient
from assent.client.answer import read
from assent.client.flow import Answer, Consumed, Failure, Flow, Send, Sleep, Transmit
from assent.client.request import Line, build
from assent.errors import ConnectionFailed, Unavailable

T = TypeVar("T")

REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
PATIENCE = 60.0


def pause(attempt: int, retry_after: float | None, chance: float) -> float | None:
    """Seconds to wait after attempt number `attempt` (from 0); None when the service asks for too long a wait."""
    if retry_after is not None and retry_after > PATIENCE:
        return None
    backoff = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt, 30)) * (0.5 + chance / 2)
    return max(backoff, retry_after or 0.0)


def exchange(call: Send[T], line: Line, ambient: Ambient) -> Flow[T]:
    """Send, and send again as the rules above allow; the endpoint's record, or the last error."""
    outgoing = build(call, line)
    end = None if call.within is None else ambient.clock() + call.within
    repeatable = call.idempotent or call.endpoint.method in REPEATABLE
    attempt = 0
    while True:
        answer: Answer | Consumed | Failure = yield Transmit(outgoing, call.consume)
        try:
            return read(call.endpoint, answer, outgoing.url, ambient.today())
        except (ConnectionFailed, Unavailable) as error:
            retry_after = error.retry_after if isinstance(error, Unavailable) else None
            seconds = pause(attempt, retry_after, ambient.chance())
            late = end is not None and seconds is not None and ambient.clock() + seconds >= end
            if not repeatable or attempt >= line.retries or seconds is None or late:
                raise
        yield Sleep(seconds)
        attempt += 1
