"""Waiting until something comes to be, whatever it is.

1. The stream is opened before the state is read, and the state is read again at the stream's `connected`, so that a
   change in between is never missed.
2. A message of the stream may end the wait by itself; otherwise it is only a reason to read the state.
3. While there is no stream, the state is read every `interval` seconds. A stream that was cut is opened again, at
   once if it had lasted, else after `interval`, five seconds at most; one that was merely silent (something in
   between holds it back) is not tried again.
4. All waits of a client share one stream, and read their states one after the other: `shared_stream`.
5. A service that does not answer ends the wait only when it never answered at all; otherwise the wait goes on, and
   ends with the timeout. So it is with an answer that is not the service's own: something in between gave it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from assent.client.ambient import Ambient
from assent.client.answer import is_of_service
from assent.client.events import SILENCE
from assent.client.flow import Ending, Flow, Listening, Refused, Sleep, hear, listen
from assent.client.shared_stream import WAITS
from assent.client.sse import ServerSentEvent
from assent.errors import ApiError, AssentError, ConnectionFailed, NoFreeConnection, ServerError, Unavailable

T = TypeVar("T")

REOPEN = 5.0
"""Seconds before a stream that was cut at once is opened again, however seldom the state would be read."""


class Awaited(ABC, Generic[T]):
    """What is waited for. `about` is the id that messages carry which may tell of it."""

    about: str

    @abstractmethod
    def look(self, within: float | None, until: float) -> Flow[T | None]:
        """Read the state, within so many seconds: what was waited for, None while it is not there. It is done when no
        other wait of the client reads its own, unless the clock shows `until` before. Raises what the wait ends with
        otherwise."""

    @abstractmethod
    def concerns(self, message: ServerSentEvent) -> bool:
        """Whether the state may have changed with this message."""

    @abstractmethod
    def of_message(self, message: ServerSentEvent) -> Flow[T | None]:
        """What was waited for, if the message says so itself; None when the state has to be read. Raises as `look`
        does."""

    @abstractmethod
    def timed_out(self, timeout: float) -> AssentError:
        """The error of a wait that took too long."""


def check_times(timeout: float, interval: float) -> None:
    """Raises ValueError."""
    if timeout < 0 or not interval > 0:
        raise ValueError(f"timeout is {timeout!r} and interval {interval!r}; give seconds, the interval above 0")


def watching(
    awaited: Awaited[T], timeout: float, interval: float, ambient: Ambient, *, answered: bool = False
) -> Flow[T]:
    """What is waited for, once it is there. Raises what the wait ended with. `answered` is whether the service has just
    answered about it, so that it is there."""
    watch = _Watch(awaited, timeout, interval, ambient, answered=answered)
    while True:
        listening = yield from watch.listen()
        opened = ambient.clock()
        heard: Ending | ServerSentEvent | None = None
        while not isinstance(heard, Ending):
            found = yield from watch.find(heard)
            if found is not None:
                return found
            if watch.left() <= 0:
                raise awaited.timed_out(timeout)
            heard = (yield from watch.hear()) if listening else Ending.CLOSED
        if heard is Ending.SILENT:
            watch.streaming = False
        pause = min(interval, REOPEN) if listening else interval
        if heard is not Ending.DUE and ambient.clock() - opened < pause:
            yield Sleep(max(0.0, min(pause, watch.left())))


class _Watch(Generic[T]):
    """One wait: what is watched, and how long still."""

    def __init__(
        self, awaited: Awaited[T], timeout: float, interval: float, ambient: Ambient, *, answered: bool
    ) -> None:
        self.streaming = True
        self._awaited = awaited
        self._interval = interval
        self._clock = ambient.clock
        self._deadline = ambient.clock() + timeout
        self._answered = answered

    def left(self) -> float:
        return self._deadline - self._clock()

    def listen(self) -> Flow[bool]:
        """Open the stream, if one is to be had and there is time for it."""
        if not self.streaming or self.left() <= 0:
            return False
        answer = yield from listen(WAITS, silence=min(SILENCE, self.left()), about=self._awaited.about)
        if isinstance(answer, Refused):
            self.streaming = not answer.silent
        return answer is Listening.LISTENING

    def find(self, message: ServerSentEvent | None) -> Flow[T | None]:
        """What a message says, else the state. Trouble on the way is passed over once the service has answered."""
        found = None if message is None else (yield from self._awaited.of_message(message))
        if found is not None:
            return found
        longest = max(self._interval, self.left())
        try:
            found = yield from self._awaited.look(longest if self._answered else None, self._clock() + longest)
        except (ConnectionFailed, ApiError) as error:
            refused = isinstance(error, ApiError) and is_of_service(error)
            if refused and not isinstance(error, (Unavailable, ServerError)):
                raise
            late = isinstance(error, NoFreeConnection) and self.left() <= 0
            if not (self._answered or late):
                raise
            return None
        self._answered = True
        return found

    def hear(self) -> Flow[Ending | ServerSentEvent]:
        """The next message that is about it, or the stream's end."""
        heard = yield from hear(self._deadline)
        while isinstance(heard, ServerSentEvent) and not self._awaited.concerns(heard):
            heard = yield from hear(self._deadline)
        return heard
