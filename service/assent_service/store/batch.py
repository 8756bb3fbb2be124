"""Numbering: what several submissions become when they are written together. Nothing here touches a file.

`seq` goes on from the log's head, `n` from each organization's count; the batch of them all is the first seq,
and how many drafts there are.
The caller takes over the new head and counts once the bytes are durable; if they never are, it drops them,
and the next batch gets the same numbers.
"""

import os
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from assent_service.store.event import SALT_BYTES, Draft, Event, encode
from assent_service.store.segments import LogPlace

_AT_ONCE: Final = 256


class HasDrafts(Protocol):
    @property
    def drafts(self) -> tuple[Draft, ...]: ...


class Batch(NamedTuple):
    """One write: its bytes, the events of each submission, the last seq, and the next `n` of every
    organization in it."""

    data: bytes
    events: list[list[Event]]
    head: int
    counts: dict[str, int]


class Salts:
    """Random salts. One system call fetches many, since a salt is needed for every event."""

    def __init__(self) -> None:
        self._pool, self._at = b"", 0

    def take(self) -> bytes:
        """16 bytes that were never given out before."""
        at = self._at
        if at == len(self._pool):
            self._pool, at = os.urandom(SALT_BYTES * _AT_ONCE), 0
        self._at = at + SALT_BYTES
        return self._pool[at : self._at]


def number(submissions: Sequence[HasDrafts], head: int, end: LogPlace, counts: dict[str, int], salts: Salts) -> Batch:
    """The batch that follows event `head` at `end`; `counts` holds each organization's next `n` and is not
    changed."""
    segment, offset = end
    first, seq, size = head + 1, head, 0
    for submission in submissions:
        size += len(submission.drafts)
    fresh: dict[str, int] = {}
    lines: list[bytes] = []
    events: list[list[Event]] = []
    for submission in submissions:
        written: list[Event] = []
        for draft in submission.drafts:
            seq += 1
            org = draft.org
            n = fresh[org] if org in fresh else counts.get(org, 0)
            fresh[org] = n + 1
            event, line = encode(draft, seq, first, n, salts.take(), segment, offset, size)
            offset += event.length
            lines.append(line)
            written.append(event)
        events.append(written)
    return Batch(b"".join(lines), events, seq, fresh)
