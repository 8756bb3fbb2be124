"""What callers of a round saw: each list is appended to by many threads, and read when they have ended."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from assent.proof.note import Checkpoint
from tests.engine.linearizable import Call


class Created(NamedTuple):
    """A creation that was answered; `id` is empty for one that was blocked. `goal` is nobody else's."""

    goal: str
    id: str
    at: float


class Decided(NamedTuple):
    """A guard that was answered, and between which moments of the clock on the wall."""

    goal: str
    id: str
    after: float
    before: float


class Read(NamedTuple):
    """What was acknowledged `acknowledged` was asked for at `invoked`, and `found` or not."""

    id: str
    acknowledged: float
    invoked: float
    replica: int
    found: bool


class Given(NamedTuple):
    """A signed head that was given out."""

    head: Checkpoint
    note: str
    replica: int


class Stream(NamedTuple):
    """The ids that a reader got, hopping from one replica to the next, beginning after `start`."""

    reader: str
    start: int
    ids: list[int]


@dataclass
class History:
    """`registers` are calls by what they are about, whose name says with which model: `halt`, `policies`, `key ...`,
    `erased ...`, `approval ...`."""

    registers: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))
    created: list[Created] = field(default_factory=list[Created])
    tried: list[str] = field(default_factory=list[str])
    """Goals of guards and creations that were sent, answered or not."""
    decided: list[Decided] = field(default_factory=list[Decided])
    winners: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])
    """What was answered with success once: `decided` or `claimed`, the action, and the key."""
    reads: list[Read] = field(default_factory=list[Read])
    heads: list[Given] = field(default_factory=list[Given])
    streams: list[Stream] = field(default_factory=list[Stream])
    erased: list[str] = field(default_factory=list[str])
    strange: list[str] = field(default_factory=list[str])
    """Answers that nobody should get, and calls that were never answered."""
    calls: int = 0
    unknown: int = 0
    stream_due: int | None = None
    """What every reader gets at the end."""
    first_version: int = 0
    """Of the policies, before the first call."""
