"""Ids that ascend in the order they are made, in the form of all the others.

UUIDv7 with the bits after the time as a counter (RFC 9562, section 6.2, method 1), since many are made within one
millisecond and pages are ordered by them.
"""

from __future__ import annotations

import secrets
from struct import iter_unpack

COUNTER = 1 << 12
AT_ONCE = 512
"""Random parts fetched by one system call, of 8 bytes each."""


class Mint:
    """Makes ids; one for each sequence that has to ascend."""

    def __init__(self) -> None:
        self._millisecond, self._counter = -1, 0
        self._random: list[int] = []

    def id(self, prefix: str, now: int) -> str:
        """`prefix` and 32 hex digits; `now`, in microseconds, must not fall. The counter begins anew with each
        millisecond, and goes on in the next one when it is full."""
        millisecond = max(now // 1000, self._millisecond)
        if millisecond > self._millisecond:
            self._counter = 0
        elif self._counter == COUNTER:
            millisecond, self._counter = millisecond + 1, 0
        self._millisecond = millisecond
        if not self._random:
            self._random = [bits >> 2 for (bits,) in iter_unpack("=Q", secrets.token_bytes(8 * AT_ONCE))]
        value = millisecond << 80 | 0x7 << 76 | self._counter << 64 | 0x2 << 62 | self._random.pop()
        self._counter += 1
        return f"{prefix}{value:032x}"
