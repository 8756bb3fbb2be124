"""Answers that come in pieces: server-sent events, and files that are made while they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class EventStream:
    """`chunks` are complete frames, flushed one by one; `stop` makes `chunks` end soon, and may be called twice."""

    chunks: AsyncGenerator[bytes, None]
    stop: Callable[[], None]


class Interrupted(Exception):
    """A body ends before it is complete; the message says why. It must not look like a whole one."""


@dataclass(frozen=True)
class ByteStream:
    """A body of unknown length. `chunks` raises for a body that cannot be completed: the connection is cut then, so
    that nobody takes half of it for the whole. A reader that takes no chunk for `patience` seconds is cut off too.
    `stop` makes `chunks` raise soon; it is called in any case, also after the end and more than once. `stopped` is set
    when that has happened, whoever stopped it: a reader that stalls is not waited for then."""

    chunks: AsyncGenerator[bytes, None]
    stop: Callable[[], None]
    stopped: asyncio.Event
    headers: tuple[tuple[bytes, bytes], ...]
    patience: float
    status: int = 200
