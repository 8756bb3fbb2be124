"""For whom an event is that says so itself. Pure.

- A message to one agent is for that agent and its sender; one to all is for everybody, or for the audience that it
  keeps (it was sent into a thread of some).
- A message thread with participants is for them and whoever opened it; one without is for everybody.
- Every other event is told by its `agent_id` (`choice`).
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from assent.contract.events import EventName
from assent.contract.prepared import prepared

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
