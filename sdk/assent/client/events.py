"""Events: the live stream, followed across drops without gap or repeat.

What was delivered decides where to go on: a new stream asks for what came after the last event handed out, and an
event that was handed out already is skipped. Before the first event, the service's own word counts: `connected`
and `reset` name the event after which to go on. A frame that cannot be read (no number of its own, a lower one than
before, no JSON object) is not passed over: the stream is opened anew after the last event handed out, and ends with an
error where it comes no better. The first stream has to come about within the client's retries; after that, a dropped
one is replaced for as long as it takes, with growing pauses, because somebody who follows events wants them after a
restart too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from assent.client.flow import Emit, Ending, Heard, Refused, Sleep, Stream, hear, listen
from assent.client.operation import Caller, subscription
from assent.client.retry import pause
from assent.client.sse import ServerSentEvent
from assent.contract.events import CONNECTED, RESET, Event, EventName, StreamQuery
from assent.errors import ApiError, AssentError, ConnectionFailed, ServerError, Unavailable

SILENCE = 20.0
"""Seconds without a byte after which a stream is dead; the service beats every 15."""
LONGEST_RECONNECTION = 30.0


def contents(message: ServerSentEvent) -> Mapping[str, Any] | None:
    """The object an event carries, or None when it carries something else."""
    try:
        return msgspec.json.decode(message.data.encode("utf-8", "replace"), type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        return None


def number_of(message: ServerSentEvent) -> int | None:
    """The number of the event that a frame tells of, or None where it has none of its own."""
    number = message.id
    return int(number) if message.numbered and number.isascii() and number.isdigit() and len(number) < 20 else None


def resume_point(message: ServerSentEvent) -> int | None:
    """Where `connected` or `reset` says to go on."""
    data = contents(message) or {}
    number: object = data.get("last_event_id")
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


class EventOperations(Caller):
    @subscription
    def events(
        self,
        types: Iterable[EventName | str] | str | None = None,
        agent_id: str | None = None,
        last_event_id: int | None = None,
    ) -> Stream[Event]:
        """Follow what is recorded, as it is recorded. `types` names the events wanted (a list, or text with commas);
        `last_event_id` starts after that event, 0 at the very beginning, None with what happens from now on.

        The iterator reconnects by itself, without gap or repeat. It ends only with an error: of the first
        connection after the client's retries, when the key is refused, or (ServerError) when an event cannot be read
        twice.
        """
        names = types if isinstance(types, str) or types is None else ",".join(str(name) for name in types)
        follower = _Follower(StreamQuery(types=names or None, agent_id=agent_id), last_event_id)
        while True:
            answer = yield from listen(follower.query, silence=SILENCE, last_event_id=follower.last)
            if isinstance(answer, Refused):
                follower.refused(answer.error, self.retries)
            else:
                follower.begin()
                heard: Heard = yield from hear()
                while not isinstance(heard, Ending):
                    event = follower.take(heard)
                    if event is not None:
                        yield Emit(event)
                    if follower.spoiled:
                        break
                    heard = yield from hear()
            yield Sleep(follower.pause(self.ambient.chance()))


class _Follower:
    """Where a reader of the stream stands, and how long it waits before it comes back."""

    def __init__(self, query: StreamQuery, last_event_id: int | None) -> None:
        self.query = query
        self.last = last_event_id
        self.connected = False
        self.spoiled = False
        """Whether the stream that is open sent a frame that cannot be read."""
        self._newest = -1
        self._stuck: int | None = None
        self._failures = 0
        self._reconnection = 0.0
        self._asked = 0.0

    def begin(self) -> None:
        """A stream is open."""
        self.connected, self.spoiled, self._newest = True, False, -1

    def take(self, message: ServerSentEvent) -> Event | None:
        """The event to hand out, if this message is a new one. Raises ServerError where what follows the last one
        cannot be read again."""
        self._failures = 0
        if message.retry is not None:
            self._reconnection = message.retry / 1000
        if message.event in (CONNECTED, RESET):
            self.last = resume_point(message) if self.last is None else self.last
            return None
        number, after = number_of(message), -1 if self.last is None else self.last
        known = number is not None and self._newest <= number <= after
        self._newest = self._newest if number is None else number
        if known:
            return None
        data = contents(message)
        if data is None or number is None or number <= after:
            self._spoil(message, after)
            return None
        self.last = number
        return Event(id=number, event=message.event, data=dict(data))

    def _spoil(self, message: ServerSentEvent, after: int) -> None:
        if self._stuck == after:
            behind = "" if self.last is None else f" behind {self.last}"
            raise ServerError(
                status=200,
                code="unreadable_answer",
                detail=f"the stream sent an event{behind} that cannot be read, twice: its id is {message.id[:40]!r}, "
                f"it begins {message.data[:80]!r}",
            )
        self.spoiled, self._stuck = True, after

    def refused(self, error: AssentError, retries: int) -> None:
        """Raises the error when trying again would not help."""
        passing = isinstance(error, ConnectionFailed | Unavailable) and (self.connected or self._failures < retries)
        if not passing and not (self.connected and isinstance(error, ServerError)):
            raise error
        if isinstance(error, ApiError):
            self._asked = error.retry_after or 0.0

    def pause(self, chance: float) -> float:
        """Seconds until the next attempt; they grow while nothing is heard."""
        wanted, self._asked = min(max(self._reconnection, self._asked), LONGEST_RECONNECTION), 0.0
        seconds = pause(self._failures, wanted, chance)
        self._failures += 1
        return LONGEST_RECONNECTION if seconds is None else seconds
