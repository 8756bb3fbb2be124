"""Time and ids, passed in so that tests own them."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], int]
"""Microseconds since 1970, UTC."""

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = 253_402_300_799 * SECOND
"""The last second that a datetime can hold."""


def system_clock() -> int:
    return time.time_ns() // 1000


def moment(microseconds: int) -> datetime:
    """The same instant as an aware datetime, exact to the microsecond."""
    return EPOCH + timedelta(microseconds=microseconds)


def naive(microseconds: int) -> datetime:
    """The same instant without its zone, as the tables keep it."""
    return moment(microseconds).replace(tzinfo=None)


def microseconds(instant: datetime) -> int:
    """The same instant in microseconds, exact; a datetime without a zone is taken as UTC (as the tables give it)."""
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return (instant - EPOCH) // timedelta(microseconds=1)


def new_id(prefix: str, now: int) -> str:
    """`prefix` and a UUIDv7 (RFC 9562) in hex: sorts by the millisecond it was made in."""
    random = secrets.randbits(74)
    value = (now // 1000 & (1 << 48) - 1) << 80 | 0x7 << 76 | (random >> 62) << 64 | 0x2 << 62 | random & (1 << 62) - 1
    return f"{prefix}{value:032x}"


def minted(id_: str) -> int | None:
    """The microsecond that begins the millisecond in which `new_id` made `id_`; None for an id in another form.

    A hint only: a client may choose an id that looks like ours.
    """
    _, _, digits = id_.rpartition("_")
    if len(digits) != 32 or digits[12] != "7" or digits[16] not in "89ab":
        return None
    try:
        at = int(digits[:12], 16) * 1000
    except ValueError:
        return None
    return at if at < LATEST else None
