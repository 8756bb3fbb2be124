"""When a delivery that failed is tried again. Pure.

1. At once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h: ten attempts within a little more than
   three days, as Standard Webhooks advises. Then it is given up.
2. Each wait is up to a tenth shorter or longer, so that what failed together does not come back together.
3. A receiver that asks for more time (`Retry-After`, in seconds or as a date) gets it, up to 24 hours.
"""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime

from assent_service.base.clock import DAY, HOUR, MINUTE, SECOND, microseconds

WAITS = (5 * SECOND, 5 * MINUTE, 30 * MINUTE, *(hours * HOUR for hours in (2, 5, 10, 14, 20, 24)))
"""Before each attempt but the first, in microseconds."""
ATTEMPTS = len(WAITS) + 1
JITTER = 0.1


def next_attempt(attempts: int, now: int, *, chance: float, asked: int | None = None) -> int | None:
    """When to try again after `attempts` that failed, None for never. `chance` is from 0 to 1; `asked` the wait that
    the receiver asked for. Times are in microseconds."""
    if attempts >= ATTEMPTS:
        return None
    wait = WAITS[attempts - 1] * (1 - JITTER + 2 * JITTER * chance)
    return now + max(round(wait), min(asked or 0, DAY))


def asked_wait(header: str | None, now: int) -> int | None:
    """What `Retry-After` asks for, in microseconds, None when it says nothing that can be read."""
    said = (header or "").strip()
    if said.isascii() and said.isdecimal():
        return min(int(said[:9]) * SECOND, DAY)
    try:
        at = parsedate_to_datetime(said)
    except (ValueError, OverflowError):  # OverflowError: digits without end in an hour or a zone
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return min(max(0, microseconds(at) - now), DAY)
