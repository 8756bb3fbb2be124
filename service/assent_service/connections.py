"""All open connections of the service, and who has to go when there are too many or when they take too long.

What a stranger can hold without a key is a connection, so connections are counted and have times that they must keep,
before the application sees anything of them:

- a header is complete within `header_seconds` of its first byte, the first one of a connection of its opening;
- a body has a byte every `body_seconds`;
- a connection on which nothing goes on is closed after `keep_alive_seconds`, one whose reader takes nothing of its
  answer after STALLED seconds, one that was refused after LINGER seconds, so that the refusal can be read first.

Each of these times is the same for all, so who began first is over first: each has its queue, and one sweep looks at
the heads of the queues a few times a second. There is no timer for a connection, and moving one costs two dictionary
operations.

There are at most `connections` in all and `per_address` from one address, IPv6 by its /64 (`core.caller`). When it is
full, first the oldest connection goes that has not finished a header, then the oldest on which nothing goes on; a
connection whose request is being answered never goes. When there is none of these the newcomer is refused.

RESERVED of all connections are for addresses that are known: from which a valid key has come within the last
KNOWN_SECONDS. A stranger that finds the rest taken can drive out strangers only; somebody known drives out strangers
first. A trusted proxy stands for many callers: it is known, and not counted by its address.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from assent.contract.problems import Code
from assent_service.core.caller import Callers, group_of
from assent_service.core.settings import Settings

KILOBYTE = 1 << 10
STALLED = 60.0
"""Seconds that an answer's reader may take nothing; exports have a shorter time of their own."""
LINGER = 1.0
"""Seconds for a refusal to be read."""
RESERVED = 0.2
KNOWN_SECONDS = 600.0
ADDRESSES = 10_000
"""Addresses that are remembered at most, those with connections aside."""
OTHER_FILES = 256
"""Descriptors that are not for connections: segments, tables, sockets to others."""
AT_ONCE = 50
"""Connections that are ended before others have their turn."""
REPORT_SECONDS = 60.0

log = logging.getLogger("assent.connections")


@dataclass(frozen=True, kw_only=True)
class ConnectionLimits:
    """What the settings of these names say; `header_bytes` counts the request line too."""

    header_bytes: int = 64 * KILOBYTE
    header_fields: int = 100
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    keep_alive_seconds: float = 75.0
    connections: int = 10_000
    per_address: int = 2_000


def limits_of(settings: Settings, files: int) -> ConnectionLimits:
    """The limits of `settings` where the process may have `files` descriptors."""
    most = max(16, min(settings.connections, files - OTHER_FILES))
    if most < settings.connections:
        log.info("at most %d connections at once, since the system allows %d open files", most, files)
    return ConnectionLimits(
        header_bytes=settings.header_kilobytes * KILOBYTE,
        header_fields=settings.header_fields,
        header_seconds=settings.header_seconds,
        body_seconds=settings.body_seconds,
        keep_alive_seconds=settings.keep_alive_seconds,
        connections=most,
        per_address=min(settings.connections_per_address, most),
    )


def raise_files() -> int:
    """Raise what the process may open to what the system lets it; how many that is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (ValueError, OSError) as error:  # a system that says "unlimited" and does not mean it
        log.warning("the limit of open files stays at %d: %s", soft, error)
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Connection(Protocol):
    """What is counted here. `place` is kept for it: where it stands."""

    place: QueuePlace

    def too_late(self, code: Code) -> None:
        """Say that its header or body came too late."""
        ...

    def end(self) -> None:
        """Close it; nothing is on its way."""
        ...

    def drop(self) -> None:
        """Cut it off with all that is on its way."""
        ...

    def takes(self) -> int:
        """Bytes of answers that wait for their reader."""
        ...

    def is_held_up(self) -> bool:
        """Whether it is the service that does not read on."""
        ...


Queue = dict[Connection, float]
"""Connections and since when they are there, the oldest first."""


class PeerAddress:
    """A peer's address: its connections in the order of their opening, and when a valid key last came from it."""

    __slots__ = ("admitted", "connections", "group", "proxy", "valid")

    def __init__(self, group: str, *, proxy: bool) -> None:
        self.group = group
        self.connections: dict[Connection, None] = {}
        self.admitted = 0
        self.valid = -KNOWN_SECONDS
        self.proxy = proxy

    def is_known(self, now: float) -> bool:
        return self.proxy or self.admitted > 0 or now - self.valid < KNOWN_SECONDS


class QueuePlace:
    """Where a connection stands: `queue` is the one it waits in, None while it is answered. A `stranger` came from an
    address that was not known, and has sent no valid key."""

    __slots__ = ("address", "admitted", "queue", "stranger")

    def __init__(self, address: PeerAddress, *, stranger: bool) -> None:
        self.address, self.stranger = address, stranger
        self.admitted = False
        self.queue: Queue | None = None


class Connections:
    """Everybody's connections. `clock` gives seconds that only grow."""

    def __init__(self, limits: ConnectionLimits, callers: Callers, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits, self.clock = limits, clock
        self._callers = callers
        self._addresses: dict[str, PeerAddress] = {}
        # Each twice: those of strangers, those of others.
        self._headers: tuple[Queue, Queue] = ({}, {})
        self._idle: tuple[Queue, Queue] = ({}, {})
        self._bodies: Queue = {}
        self._ending: Queue = {}
        self._stalled: dict[Connection, tuple[float, int]] = {}
        self.open = self.strangers = 0
        self._refused: Counter[str] = Counter()
        self._reported = clock()

    # What a connection says of itself.

    def add(self, connection: Connection, peer: str) -> bool:
        """Whether there is room for this connection; it is counted either way until `remove`."""
        now = self.clock()
        group = group_of(peer)
        address = self._addresses.get(group)
        if address is None:
            address = self._addresses[group] = PeerAddress(group, proxy=self._callers.trusts(peer))
        place = connection.place = QueuePlace(address, stranger=not address.is_known(now))
        room = self._room(place)
        address.connections[connection] = None
        self.open += 1
        self.strangers += place.stranger
        if room:
            place.queue = self._headers[not place.stranger]
            place.queue[connection] = now
        return room

    def remove(self, connection: Connection) -> None:
        """It is closed."""
        place = connection.place
        self._leave(connection)
        self._stalled.pop(connection, None)
        address = place.address
        if connection not in address.connections:
            return
        del address.connections[connection]
        self.open -= 1
        self.strangers -= place.stranger
        now = self.clock()
        if place.admitted:
            address.admitted -= 1
            address.valid = now
        if not (address.connections or address.is_known(now)):
            self._addresses.pop(address.group, None)

    def admit(self, connection: Connection) -> None:
        """A valid key came with a request on it."""
        place = connection.place
        if place.admitted:
            return
        place.admitted = True
        place.address.admitted += 1
        if place.stranger:
            place.stranger = False
            self.strangers -= 1

    def begin_header(self, connection: Connection) -> None:
        """A header has begun, and is not complete yet."""
        place = connection.place
        queue = self._headers[not place.stranger]
        if place.queue is not queue:
            self._enter(connection, queue)

    def begin_body(self, connection: Connection) -> None:
        """Something of a body came, and more is to come."""
        self._enter(connection, self._bodies)

    def begin_rest(self, connection: Connection) -> None:
        """All that was asked is answered."""
        self._enter(connection, self._idle[not connection.place.stranger])

    def begin_end(self, connection: Connection) -> None:
        """It was refused, and is closed once that was read."""
        self._enter(connection, self._ending)

    def begin_answer(self, connection: Connection) -> None:
        """A whole header came; from now on it is the service that is waited for."""
        self._leave(connection)

    def stall(self, connection: Connection) -> None:
        """Its reader is slower than its answer."""
        self._stalled[connection] = (self.clock(), connection.takes())

    def flow(self, connection: Connection) -> None:
        """Its reader has caught up."""
        self._stalled.pop(connection, None)

    def note(self, code: Code) -> None:
        """A connection was refused."""
        self._refused[code] += 1

    # Who has to go.

    def _room(self, place: QueuePlace) -> bool:
        limits, address = self.limits, place.address
        if not address.proxy and len(address.connections) >= limits.per_address and not self._shed_own(address):
            return False
        if place.stranger and self.strangers >= (1 - RESERVED) * limits.connections:
            return self._shed(self._ending, self._headers[0], self._idle[0])
        if self.open >= limits.connections:
            others = () if place.stranger else (self._headers[1], self._idle[1])
            return self._shed(self._ending, self._headers[0], self._idle[0], *others)
        return True

    def _shed_own(self, address: PeerAddress) -> bool:
        """End a connection of `address`, if one can be spared."""
        for queues in (self._headers, self._idle):
            for connection in address.connections:
                if any(connection.place.queue is queue for queue in queues):
                    self._drop(connection)
                    return True
        return False

    def _shed(self, *queues: Queue) -> bool:
        for queue in queues:
            connection = next(iter(queue), None)
            if connection is not None:
                self._drop(connection)
                return True
        return False

    def _drop(self, connection: Connection) -> None:
        self.note(Code.TOO_MANY_CONNECTIONS)
        self.remove(connection)
        connection.drop()

    # The sweep.

    async def sweep_on(self) -> None:
        """Sweep for ever, a few times in the shortest of the times."""
        limits = self.limits
        pause = min(1.0, limits.header_seconds / 4, limits.body_seconds / 4, limits.keep_alive_seconds / 4)
        while True:
            await asyncio.sleep(pause)
            try:
                await self.sweep()
            except Exception:
                log.exception("sweeping the connections failed; it is tried again")

    async def sweep(self) -> None:
        """End every connection whose time is over, a few at a time."""
        for ended, _ in enumerate(self._late(), 1):
            if ended % AT_ONCE == 0:
                await asyncio.sleep(0)
        self._look_at_readers()
        if self.clock() - self._reported >= REPORT_SECONDS:
            self._forget_addresses()
            self._report()

    def _late(self) -> Iterator[Connection]:
        limits = self.limits
        for queue in self._headers:
            for connection in self._over(queue, limits.header_seconds):
                connection.too_late(Code.HEADER_TIMEOUT)
                yield connection
        for connection in self._over(self._bodies, limits.body_seconds):
            if connection.is_held_up():
                self._enter(connection, self._bodies)
            else:
                connection.too_late(Code.BODY_TIMEOUT)
            yield connection
        for queue in self._idle:
            for connection in self._over(queue, limits.keep_alive_seconds):
                connection.end()
                yield connection
        for connection in self._over(self._ending, LINGER):
            connection.drop()
            yield connection

    def _over(self, queue: Queue, seconds: float) -> Iterator[Connection]:
        before = self.clock() - seconds
        while (connection := next(iter(queue), None)) is not None and queue[connection] <= before:
            self._leave(connection)
            yield connection

    def _look_at_readers(self) -> None:
        now = self.clock()
        for connection, (since, waiting) in list(self._stalled.items()):
            left = connection.takes()
            if left < waiting:
                self._stalled[connection] = (now, left)
            elif now - since >= STALLED:
                self._stalled.pop(connection)
                connection.drop()

    def _forget_addresses(self) -> None:
        """Of addresses without connections, those that are known only, and no more than ADDRESSES."""
        now = self.clock()
        gone = [group for group, each in self._addresses.items() if not each.connections and not each.is_known(now)]
        for group in gone:
            del self._addresses[group]
        more = len(self._addresses) - ADDRESSES
        empty = (group for group, each in self._addresses.items() if not each.connections)
        for group in list(islice(empty, max(0, more))):
            del self._addresses[group]

    def _report(self) -> None:
        now = self.clock()
        if self._refused:
            counts = ", ".join(f"{code} {count}" for code, count in self._refused.most_common())
            total, seconds = self._refused.total(), now - self._reported
            log.warning("%d connections were refused or ended early within %.0f s: %s", total, seconds, counts)
            self._refused.clear()
        self._reported = now

    def _enter(self, connection: Connection, queue: Queue) -> None:
        self._leave(connection)
        connection.place.queue = queue
        queue[connection] = self.clock()

    @staticmethod
    def _leave(connection: Connection) -> None:
        place = connection.place
        if place.queue is not None:
            place.queue.pop(connection, None)
            place.queue = None
