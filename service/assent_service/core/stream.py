"""Answers that stay open: server-sent events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class EventStream:
    """`chunks` are complete frames, flushed one by one; `stop` makes `chunks` end soon, and may be called twice."""

    chunks: AsyncGenerator[bytes, None]
    stop: Callable[[], None]
