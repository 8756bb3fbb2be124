"""One event stream for all waits of a client, in one process and, awaiting, on one event loop.

However many wait, they hold two connections: one over which the stream is read, and one over which they look at their
states, one after the other (`turn`). So it is where a stream is refused and they poll, too.

The stream is read by a thread of its own (by a task), which is there as long as somebody waits and reads on when
somebody has gone through what there was. A message goes to who waits for what it is about; `connected` and `reset`,
after which anybody may have missed something, to all. Whoever comes while the stream is open looks once more and has
missed nothing. How the stream ended is told to everybody who had it; who comes first opens the next one.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from queue import Empty, SimpleQueue
from typing import Generic, Protocol, TypeVar

from msgspec.structs import replace

from assent.client.connections import Pool
from assent.client.event_listener import OPENING, AsyncEventListener, Clock, EventListener, Today, no_answer, unreached
from assent.client.events import SILENCE, contents
from assent.client.flow import Ending, Heard, Listening, Outgoing, Refused
from assent.client.on_demand import asyncio, httpx
from assent.client.request import Line
from assent.contract.events import CONNECTED, RESET, EventName, StreamQuery

WAITS = StreamQuery(
    types=",".join(
        (
            EventName.ACTION_UPDATED,
            EventName.APPROVAL_DECIDED,
            EventName.APPROVAL_EXPIRED,
            EventName.APPROVAL_WITHDRAWN,
            EventName.QUESTION_CREATED,
            EventName.PAIRING_UPDATED,
        )
    )
)
"""What any wait may be told of."""
SUBJECTS = ("action_id", "pairing_id")
"""Members that say what an event is about."""
REFUSED_FOR = 1.0
"""Seconds for which a refusal counts for whoever else wants the stream."""
ENDING = 2.0
"""Seconds within which a stream that nobody wants any more is closed."""
_BESIDE = "waits"


class Listener(Protocol):
    """One that waits. `hungry`: it has gone through what it was handed."""

    about: str
    hungry: bool

    def hand(self, heard: Heard) -> None: ...


L = TypeVar("L", bound=Listener)


class Audience(Generic[L]):
    """Who listens to one stream, and for what. `answer` is there once the stream was opened or refused."""

    def __init__(self) -> None:
        self._about: defaultdict[str, set[L]] = defaultdict(set)
        self.answer: Listening | Refused | None = None
        self.hungry = 0

    def __bool__(self) -> bool:
        return bool(self._about)

    def add(self, listener: L) -> None:
        self._about[listener.about].add(listener)

    def remove(self, listener: L) -> None:
        self.feed(listener)
        those = self._about.get(listener.about, set())
        those.discard(listener)
        if not those:
            self._about.pop(listener.about, None)

    def starve(self, listener: L) -> None:
        self.hungry += not listener.hungry
        listener.hungry = True

    def feed(self, listener: L) -> None:
        self.hungry -= listener.hungry
        listener.hungry = False

    def hand_out(self, heard: Heard) -> None:
        for listener in self._concerned(heard):
            self.feed(listener)
            listener.hand(heard)

    def _concerned(self, heard: Heard) -> list[L]:
        if isinstance(heard, Ending) or heard.event in (CONNECTED, RESET):
            return [each for those in self._about.values() for each in those]
        said = contents(heard) or {}
        subjects = {said[name] for name in SUBJECTS if isinstance(said.get(name), str)}
        return [each for subject in subjects for each in self._about.get(subject, ())]


def lasting(outgoing: Outgoing, line: Line) -> Outgoing:
    """The request for a stream that outlasts who asked for it."""
    return replace(outgoing, silence=SILENCE, timeout=min(line.timeout, SILENCE))


class SharedStream:
    """For those that block."""

    def __init__(self, pool: Pool[httpx.Client], line: Line, clock: Clock, today: Today) -> None:
        self._pool, self._line, self._clock, self._today = pool, line, clock, today
        self.turn = threading.Lock()
        self._lock = threading.Lock()
        self._reading: _Reading | None = None
        self._refused: tuple[float, Refused] | None = None

    @classmethod
    def of(cls, pool: Pool[httpx.Client], line: Line, clock: Clock, today: Today) -> SharedStream:
        """The one of these connections."""
        found = pool.beside.get(_BESIDE) or pool.beside.setdefault(_BESIDE, cls(pool, line, clock, today))
        assert isinstance(found, SharedStream)
        return found

    def listener(self, about: str) -> SharedEventListener:
        return SharedEventListener(self, self._pool, about, self._clock)

    def join(self, listener: SharedEventListener, outgoing: Outgoing) -> Listening | Refused:
        with self._lock:
            if self._refused is not None and 0 <= self._clock() - self._refused[0] < REFUSED_FOR:
                return self._refused[1]
            reading = self._reading
            if reading is None:
                ear = EventListener(self._pool, self._line, self._today)
                reading = _Reading(ear, self._lock)
                run = threading.Thread(target=self._read, args=(reading, outgoing), name="assent-waits", daemon=True)
                try:
                    run.start()
                except RuntimeError as error:  # no more threads
                    return unreached(outgoing, error, self._line.max_connections)
                reading.thread = run
                self._reading = reading
            reading.audience.add(listener)
            listener.reading = reading
        reading.opened.wait(min(OPENING, outgoing.timeout))
        answer = reading.audience.answer
        if answer is not Listening.LISTENING:
            self.leave(listener)
        return answer or no_answer(outgoing)

    def leave(self, listener: SharedEventListener) -> None:
        """The last one closes the stream."""
        with self._lock:
            reading, listener.reading = listener.reading, None
            if reading is None:
                return
            reading.audience.remove(listener)
            if reading.audience:
                return
            if self._reading is reading:
                self._reading = None
            reading.demand.notify()
        reading.ear.interrupt()
        if reading.opened.is_set() and reading.thread is not None:
            reading.thread.join(ENDING)

    def wants(self, listener: SharedEventListener) -> None:
        """It waits for the next message now."""
        with self._lock:
            reading = listener.reading
            if reading is not None and listener.queue.empty():
                reading.audience.starve(listener)
                reading.demand.notify()

    def _read(self, reading: _Reading, outgoing: Outgoing) -> None:
        answer: Listening | Refused = no_answer(outgoing)
        try:
            answer = reading.ear.open(lasting(outgoing, self._line))
        except Exception as error:  # noqa: BLE001 - whoever waits is told, whatever it is
            answer = unreached(outgoing, error, self._line.max_connections)
        finally:
            with self._lock:
                reading.audience.answer = answer
                if isinstance(answer, Refused):
                    self._refused = (self._clock(), answer)
                    self._over(reading)
            reading.opened.set()
        heard: Heard = Ending.CLOSED
        try:
            while answer is Listening.LISTENING and reading.wanted():
                heard = reading.ear.hear()
                if isinstance(heard, Ending):
                    break
                with self._lock:
                    reading.audience.hand_out(heard)
        finally:
            reading.ear.close()
            with self._lock:
                self._over(reading)
                reading.audience.hand_out(heard if isinstance(heard, Ending) else Ending.CLOSED)

    def _over(self, reading: _Reading) -> None:
        if self._reading is reading:
            self._reading = None


class _Reading:
    """One stream, from its opening to its end."""

    def __init__(self, ear: EventListener, lock: threading.Lock) -> None:
        self.ear = ear
        self.audience: Audience[SharedEventListener] = Audience()
        self.demand = threading.Condition(lock)
        self.opened = threading.Event()
        self.thread: threading.Thread | None = None

    def wanted(self) -> bool:
        """Waits until somebody wants the next message; False when nobody is left."""
        with self.demand:
            while self.audience and not self.audience.hungry:
                self.demand.wait()
            return bool(self.audience)


class SharedEventListener:
    """One wait's part in the shared stream."""

    def __init__(self, stream: SharedStream, pool: Pool[httpx.Client], about: str, clock: Clock) -> None:
        self._stream, self._pool, self.about, self._clock = stream, pool, about, clock
        self.hungry = False
        self.queue: SimpleQueue[Heard] = SimpleQueue()
        self.reading: _Reading | None = None

    def hand(self, heard: Heard) -> None:
        self.queue.put(heard)

    def open(self, outgoing: Outgoing) -> Listening | Refused:
        return self._stream.join(self, outgoing)

    def hear(self, deadline: float | None) -> Heard:
        if self._pool.inherited or (self.reading is None and self.queue.empty()):
            return Ending.CLOSED
        self._stream.wants(self)
        left = None if deadline is None else min(max(0.0, deadline - self._clock()), threading.TIMEOUT_MAX)
        try:
            return self.queue.get(timeout=left)
        except Empty:
            self.close()
            return Ending.DUE

    def close(self) -> None:
        if not self._pool.inherited:
            self._stream.leave(self)


class AsyncSharedStream:
    """For those that await."""

    def __init__(self, pool: Pool[httpx.AsyncClient], line: Line, clock: Clock, today: Today) -> None:
        self._pool, self._line, self._clock, self._today = pool, line, clock, today
        self.turn = asyncio.Lock()
        self._reading: _AsyncReading | None = None
        self._refused: tuple[float, Refused] | None = None

    @classmethod
    def of(cls, pool: Pool[httpx.AsyncClient], line: Line, clock: Clock, today: Today) -> AsyncSharedStream:
        """The one of these connections."""
        found = pool.beside.get(_BESIDE) or pool.beside.setdefault(_BESIDE, cls(pool, line, clock, today))
        assert isinstance(found, AsyncSharedStream)
        return found

    def listener(self, about: str) -> AsyncSharedEventListener:
        return AsyncSharedEventListener(self, about, self._clock)

    async def join(self, listener: AsyncSharedEventListener, outgoing: Outgoing) -> Listening | Refused:
        if self._refused is not None and 0 <= self._clock() - self._refused[0] < REFUSED_FOR:
            return self._refused[1]
        reading = self._reading
        if reading is None:
            reading = self._reading = _AsyncReading()
            reading.task = asyncio.create_task(self._read(reading, outgoing))
        reading.audience.add(listener)
        listener.reading = reading
        try:
            async with asyncio.timeout(min(OPENING, outgoing.timeout)):
                await reading.opened.wait()
        except TimeoutError:
            pass
        answer = reading.audience.answer
        if answer is not Listening.LISTENING:
            await self.leave(listener)
        return answer or no_answer(outgoing)

    async def leave(self, listener: AsyncSharedEventListener) -> None:
        """The last one closes the stream."""
        reading, listener.reading = listener.reading, None
        if reading is None:
            return
        reading.audience.remove(listener)
        if reading.audience:
            return
        if self._reading is reading:
            self._reading = None
        if reading.task is not None:
            reading.task.cancel()
            await asyncio.wait([reading.task], timeout=ENDING)

    async def _read(self, reading: _AsyncReading, outgoing: Outgoing) -> None:
        ear = AsyncEventListener(self._pool, self._line, self._today)
        answer: Listening | Refused = no_answer(outgoing)
        try:
            answer = await ear.open(lasting(outgoing, self._line))
        except Exception as error:  # noqa: BLE001 - whoever waits is told, whatever it is
            answer = unreached(outgoing, error, self._line.max_connections)
        finally:
            reading.audience.answer = answer
            if isinstance(answer, Refused):
                self._refused = (self._clock(), answer)
                self._over(reading)
            reading.opened.set()
        heard: Heard = Ending.CLOSED
        try:
            while answer is Listening.LISTENING:
                await reading.wanted()
                heard = await ear.hear()
                if isinstance(heard, Ending):
                    break
                reading.audience.hand_out(heard)
        finally:
            self._over(reading)
            reading.audience.hand_out(heard if isinstance(heard, Ending) else Ending.CLOSED)
            await ear.close()

    def _over(self, reading: _AsyncReading) -> None:
        if self._reading is reading:
            self._reading = None


class _AsyncReading:
    """One stream, from its opening to its end."""

    def __init__(self) -> None:
        self.audience: Audience[AsyncSharedEventListener] = Audience()
        self.demand, self.opened = asyncio.Event(), asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    async def wanted(self) -> None:
        """Waits until somebody wants the next message."""
        while not self.audience.hungry:
            self.demand.clear()
            await self.demand.wait()


class AsyncSharedEventListener:
    """One wait's part in the shared stream."""

    def __init__(self, stream: AsyncSharedStream, about: str, clock: Clock) -> None:
        self._stream, self.about, self._clock = stream, about, clock
        self.hungry = False
        self.queue: asyncio.Queue[Heard] = asyncio.Queue()
        self.reading: _AsyncReading | None = None

    def hand(self, heard: Heard) -> None:
        self.queue.put_nowait(heard)

    async def open(self, outgoing: Outgoing) -> Listening | Refused:
        return await self._stream.join(self, outgoing)

    async def hear(self, deadline: float | None) -> Heard:
        if not self.queue.empty():
            return self.queue.get_nowait()
        if self.reading is None:
            return Ending.CLOSED
        self.reading.audience.starve(self)
        self.reading.demand.set()
        try:
            async with asyncio.timeout(None if deadline is None else max(0.0, deadline - self._clock())):
                return await self.queue.get()
        except TimeoutError:
            await self.close()
            return Ending.DUE

    async def close(self) -> None:
        await self._stream.leave(self)
