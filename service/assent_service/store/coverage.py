"""Which events an erasure covers, and which blank bodies in the log no erasure covers.

An event `evidence.erased` says which action it erases, and by `also` which other ids. It covers, of what its
organization recorded before it, what `key_of` calls by one of its `keys_of`. The eraser blanks nothing else, and the
event is durable before a body is blanked: a blank body that nothing covers was blanked by somebody else.

The log is read in order, and an erasure comes after all that it covers. So of what is blank only what is named by no
erasure yet has to be held: one digest for each action or other id, MOST of them. More cannot be decided, and fails.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_service.store.event import Event, LineError
from assent_service.store.failures import LogDamaged
from assent_service.store.segments import damaged, list_folder, scan, segment_path

ERASED: Final = EventName.EVIDENCE_ERASED.value
MOST: Final = 500_000
"""Actions and other ids, about 180 bytes each."""


class ErasurePayload(msgspec.Struct, frozen=True):
    """What matters here of an erasure's payload."""

    action_id: str
    also: list[str] = []


def covers(erasure: Event, said: ErasurePayload, event: Event) -> bool:
    """Whether `event` is one that `erasure`, whose payload is `said`, takes the content of."""
    return event.n < erasure.n and key_of(event) in keys_of(erasure, said)


def key_of(event: Event) -> bytes:
    """By what an erasure would name this event: its action; without one, what it is about. Erasures have names that no
    erasure uses."""
    if event.type == ERASED:
        return _key(event.org, "erasure", str(event.n))
    if event.action is not None:
        return _key(event.org, "action", event.action)
    return _key(event.org, "subject", event.subject)


def keys_of(erasure: Event, said: ErasurePayload) -> list[bytes]:
    """What `erasure`, whose payload is `said`, covers of the events before it."""
    return [_key(erasure.org, "action", said.action_id), *(_key(erasure.org, "subject", each) for each in said.also)]


def _key(org_id: str, kind: str, name: str) -> bytes:
    return blake2b(f"{org_id}\0{kind}\0{name}".encode(), digest_size=16).digest()


class Coverage:
    """Takes the events of a log, or with `part` of a part of it, in order. `bare` are the first blank events that no
    erasure covers so far, by key; `covered`, of a part only, the keys that its erasures name, for what came before."""

    def __init__(self, *, part: bool = False) -> None:
        self._part = part
        self.bare: dict[bytes, int] = {}
        self.covered: set[bytes] = set()
        self.overflowed = False

    def take(self, event: Event) -> None:
        if event.erased:
            self._hold(key_of(event), event.seq)
        else:
            self.uncover(event)

    def uncover(self, event: Event) -> None:
        """Only what `event` covers, when it is an erasure; that its own body is blank is passed over."""
        if event.type != ERASED or event.data is None:
            return
        try:
            said = msgspec.json.decode(event.data, type=prepared(ErasurePayload))
        except (msgspec.MsgspecError, ValueError):
            return  # No service wrote it: it covers nothing.
        self._drop(keys_of(event, said))

    def join(self, later: Coverage) -> None:
        """Go on with what was found in the part of the log that follows."""
        self._drop(later.covered)
        for key, seq in later.bare.items():
            self._hold(key, seq)
        self.overflowed |= later.overflowed

    def check(self, folder: Path) -> None:
        """Raise LogDamaged for the first blank event in the log `folder` that no erasure covers."""
        if self.bare:
            raise _uncovered(folder, min(self.bare.values()))
        if self.overflowed:
            raise LogDamaged(
                folder,
                0,
                0,
                f"at most {MOST} actions and ids at a time whose bodies are blank before their erasure",
                "more: whether each was erased by the service cannot be decided",
            )

    def _hold(self, key: bytes, seq: int) -> None:
        if key in self.bare:
            return
        if len(self.bare) < MOST:
            self.bare[key] = seq
        else:
            self.overflowed = True

    def _drop(self, keys: Iterable[bytes]) -> None:
        for key in keys:
            self.bare.pop(key, None)
            if self._part:
                self.covered.add(key)


def _uncovered(folder: Path, seq: int) -> LogDamaged:
    segment = max(each for each in list_folder(folder).segments if each <= seq)
    event = next(each for each in scan(folder, segment) if each.seq == seq)
    bad = LineError(
        f"body of event {event.seq} (event {event.n} of {event.org}, {event.type})",
        f"its content, or a later {ERASED} that covers it",
        "a blank body that no erasure covers",
    )
    return damaged(segment_path(folder, segment), event.offset, bad)
