"""Events as the stream sends them: the bytes of a frame, the filling for readers that take blocks, and for whom an
event is.

What stands on the wire (WHATWG HTML, "Server-sent events"). An event becomes bytes once, for all of its readers.

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
from assent_service.store.event import Event

HEARTBEAT = b": heartbeat\n\n"

_PRIVATE = frozenset(name.value for name in PRIVATE)


class StreamFrame(Struct, frozen=True, gc=False):
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


def frame(event: Event) -> StreamFrame | None:
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
    return StreamFrame(event.n, event.type, about.agent_id, wire, audience(event.type, data))


def notice(name: str, data: dict[str, Any]) -> bytes:
    """A frame of the stream's own, which is not in the log and has no id."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(data))


# Filling up what is sent to readers that take it in blocks.
#
# The published Python client reads the stream with `read(4096)`, which returns when 4096 bytes have come and not
# before; an approval of 900 bytes would wait for the next three. So for a reader that calls itself urllib every write
# is filled up with a comment to a whole number of blocks. What counts is the decoded body: the frames of the chunked
# transfer encoding are not in it.


BLOCK = 4096
"""Bytes that the published client asks for at once."""


def reads_in_blocks(user_agent: str) -> bool:
    """Whether the reader may be one of the published Python clients, all of which use the standard library."""
    return user_agent.startswith("Python-urllib")


def pad(chunk: bytes) -> bytes:
    """`chunk`, which must end with a line's end, followed by a comment up to a whole number of blocks.

    One missing byte is an empty line, which means nothing after a complete frame.
    """
    missing = -len(chunk) % BLOCK
    if missing == 0:
        return chunk
    if missing == 1:
        return chunk + b"\n"
    return chunk + b":" + b" " * (missing - 2) + b"\n"


# For whom an event is that says so itself. Pure.
#
# - A message to one agent is for that agent and its sender; one to all is for everybody, or for the audience that it
#   keeps (it was sent into a thread of some).
# - A message thread with participants is for them and whoever opened it; one without is for everybody.
# - Every other event is told by its `agent_id` (`choice`).


_MESSAGES = frozenset({EventName.MESSAGE_CREATED.value})


_THREADS = frozenset({EventName.MESSAGE_THREAD_CREATED.value, EventName.MESSAGE_THREAD_UPDATED.value})


class _Message(Struct, gc=False):
    from_agent_id: str = ""
    to_agent_id: str | None = None
    audience: list[str] = []


class _Thread(Struct, gc=False):
    participants: list[str] = []
    created_by: str | None = None


_message = msgspec.json.Decoder(prepared(_Message)).decode


_thread = msgspec.json.Decoder(prepared(_Thread)).decode


def audience(event_type: str, data: bytes) -> frozenset[str] | None:
    """The agents that an event is for, None where its payload names none of them alone."""
    if event_type in _MESSAGES:
        message = _message(data)
        if message.to_agent_id is not None:
            return frozenset({message.from_agent_id, message.to_agent_id})
        if message.audience:
            return frozenset(message.audience)
    elif event_type in _THREADS:
        thread = _thread(data)
        if thread.participants:
            return frozenset(thread.participants) | ({thread.created_by} if thread.created_by else set())
    return None
