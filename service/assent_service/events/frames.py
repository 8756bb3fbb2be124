"""What stands on the wire (WHATWG HTML, "Server-sent events"). An event becomes bytes once, for all of its readers.

One event of the log is one frame: its `id` is the event's number within the organization, its `data` the payload
exactly as it was recorded. Three sorts of events have no frame, and their ids are simply never seen: those whose type
is private, those whose payload was erased, and the scores that an evaluation run gave: one run has up to 50,000 of
them, which would push everything else out of every reader's queue. That the run has ended is on the stream, and its
scores can be read.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from assent.contract.events import PRIVATE, EventName
from assent.contract.prepared import prepared
from assent_service.events.audience import audience
from assent_service.store.event import Event

HEARTBEAT = b": heartbeat\n\n"

_PRIVATE = frozenset(name.value for name in PRIVATE)


class Frame(Struct, frozen=True, gc=False):
    """`agent` is the payload's agent_id: None when it names nobody, UNSET when the payload is not about an agent.
    `audience` are the agents that it is for, where it is for some alone."""

    n: int
    type: str
    agent: str | UnsetType | None
    wire: bytes
    audience: frozenset[str] | None = None

    @property
    def without_id(self) -> bytes:
        """The same frame for a reader whose resume point it must not move."""
        return self.wire.partition(b"\n")[2]


class _About(Struct, gc=False):
    """`run_id` is a score's: the evaluation run that gave it, None when it was handed in. `batch_id` is a profile
    score's: the batch that it came with, None when it was asked for by itself."""

    agent_id: str | UnsetType | None = UNSET
    run_id: object = None
    batch_id: object = None


_about = msgspec.json.Decoder(prepared(_About)).decode


def frame(event: Event) -> Frame | None:
    """The frame of an event, None when nobody is shown it."""
    data = event.data
    if data is None or event.type in _PRIVATE:
        return None
    about = _about(data)
    if event.type == EventName.SCORE_CREATED and about.run_id is not None:
        return None
    if event.type == EventName.PROFILE_SCORE_CREATED and about.batch_id is not None:
        return None
    wire = b"id: %d\nevent: %b\ndata: %b\n\n" % (event.n, event.type.encode(), data)
    return Frame(event.n, event.type, about.agent_id, wire, audience(event.type, data))


def notice(name: str, data: dict[str, Any]) -> bytes:
    """A frame of the stream's own, which is not in the log and has no id."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(data))
