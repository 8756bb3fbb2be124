"""Time and ids, passed in so that tests own them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
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


def elapsed() -> int:
    """Microseconds that only grow, also while the machine sleeps; from when they count means nothing."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
    return time.monotonic_ns() // 1000


@dataclass(frozen=True)
class Jump:
    """The machine's clock said something else than the time that had passed: `seconds` more (or less, negative), for
    `lasted` seconds until it was taken back or believed, at `at` (microseconds, as the service counted until then)."""

    seconds: float
    lasted: float
    at: int
    believed: bool


class Correction:
    """By how many microseconds a clock is put right; nothing until somebody says so."""

    def __init__(self) -> None:
        self.microseconds = 0

    def __call__(self, microseconds: int) -> None:
        self.microseconds = microseconds

    def of(self, clock: Clock) -> Clock:
        """The clock, put right."""
        return lambda: clock() + self.microseconds


class SteadyClock:
    """The machine's clock without its jumps.

    1. Up to a millisecond off the time that has passed is noise: it is not followed.
    2. Up to JUMP it is followed: forward at once, backward by going at half speed, so that time never runs back.
    3. Beyond that it has jumped. Time goes on as it passes; when the jump is taken back within PATIENCE, nobody has
       ever seen it. When it stays for so long, it is believed, and time jumps after all, backward too: what is recorded
       from then on carries the time that the machine says.

    So no window, limit or expiry moves by a jump that is taken back. `take_jumps` has those that have ended, for
    whoever records them. Safe from any thread.
    """

    NOISE = SECOND // 1000
    JUMP = MINUTE
    PATIENCE = MINUTE

    def __init__(self, wall: Clock = system_clock, passed: Clock = elapsed) -> None:
        self._wall, self._passed = wall, passed
        self._offset = wall() - passed()
        self._followed = passed()
        """When time was last seen to agree, or was followed (of `passed`)."""
        self._suspected: tuple[int, int] | None = None
        """How far off the machine's clock is, and since when (of `passed`)."""
        self._lock = threading.Lock()
        self._jumps: list[Jump] = []

    def __call__(self) -> int:
        passed = self._passed()
        off = self._wall() - passed - self._offset
        if -self.NOISE <= off <= self.NOISE and self._suspected is None:
            self._followed = passed
            return passed + self._offset
        with self._lock:
            passed = self._passed()
            self._follow(passed, self._wall() - passed - self._offset)
            return passed + self._offset

    @property
    def suspected(self) -> float | None:
        """Seconds that the machine's clock is off, while it is not known yet whether that stays."""
        return None if self._suspected is None else self._suspected[0] / SECOND

    def take_jumps(self) -> list[Jump]:
        """The jumps that have ended since this was last asked."""
        with self._lock:
            taken, self._jumps = self._jumps, []
            return taken

    def _follow(self, passed: int, off: int) -> None:
        if -self.JUMP <= off <= self.JUMP:
            if self._suspected is not None:
                self._end(passed, believed=False)
            slower = -min(-off, max(0, passed - self._followed) // 2)
            self._offset += off if off > 0 else slower
        elif self._suspected is None or abs(off - self._suspected[0]) > self.JUMP:
            # The first sight of it, or another jump while one is suspected.
            if self._suspected is not None:
                self._end(passed, believed=False)
            self._suspected = (off, passed)
        elif passed - self._suspected[1] >= self.PATIENCE:
            self._end(passed, believed=True)
            self._offset += off
        self._followed = passed

    def _end(self, passed: int, *, believed: bool) -> None:
        assert self._suspected is not None
        off, since = self._suspected
        self._suspected = None
        self._jumps.append(Jump(off / SECOND, (passed - since) / SECOND, passed + self._offset, believed))


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
    since = instant - EPOCH
    return (since.days * 86_400 + since.seconds) * SECOND + since.microseconds


RANDOM_BITS = 74
AT_ONCE = 256
"""Random numbers that are fetched from the system together: each fetch costs as much as a tenth of a guard."""
_spare: list[int] = []
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_spare.clear)  # both processes would give out the same ones


def _random() -> int:
    """RANDOM_BITS from the system's generator, each number given out once, whichever thread asks."""
    try:
        return _spare.pop()
    except IndexError:
        size = (RANDOM_BITS + 7) // 8
        fetched, mask = os.urandom(size * AT_ONCE), (1 << RANDOM_BITS) - 1
        numbers = [int.from_bytes(fetched[at : at + size]) & mask for at in range(0, len(fetched), size)]
        _spare.extend(numbers[1:])
        return numbers[0]


def new_id(prefix: str, now: int) -> str:
    """`prefix` and a UUIDv7 (RFC 9562) in hex: sorts by the millisecond it was made in."""
    random = _random()
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
