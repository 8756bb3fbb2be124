"""Who is signed in. The browser holds a random token and nothing else; the key stays here, in memory.

A token is kept as its SHA-256, so that a dump of this process's sessions opens none of them. A session ends twelve
hours after it was last used, when it is closed, or with the process.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from assent import Client, Key, Role
from assent_dashboard.clock import ServiceClock
from assent_dashboard.feed import Feed

IDLE_SECONDS = 12 * 3600.0
ADMITTED = (Role.OPERATOR, Role.ADMIN)


class Connect(Protocol):
    """Makes the client of a key; `sleep` is what it does between two attempts."""

    def __call__(self, api_key: str, sleep: Callable[[float], object] = time.sleep) -> Client: ...


@dataclass
class Session:
    """A signed-in person. `client` speaks with the person's own key, so that what they decide carries their name."""

    key: Key
    client: Client
    feed: Feed
    used: float = field(repr=False)
    clock: ServiceClock = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.clock = ServiceClock(lambda: self.client.health().time)

    @property
    def name(self) -> str:
        return self.key.name


class NotAdmitted(Exception):
    """The key is valid and its role has no business here; the message says which roles have."""


class Sessions:
    """Every session of the process. `connect` makes the client of a key, `clock` gives seconds that only grow."""

    def __init__(
        self, connect: Connect, clock: Callable[[], float] = time.monotonic, idle: float = IDLE_SECONDS
    ) -> None:
        self._connect, self._clock, self._idle = connect, clock, idle
        self._lock = threading.Lock()
        self._by_token: dict[str, Session] = {}

    def open(self, api_key: str) -> str:
        """The token of a new session. Raises `Unauthorized`, `NotAdmitted`, and what the client raises for a service
        that does not answer."""
        client = self._connect(api_key)
        try:
            key = client.get_own_key()
            if key.role not in ADMITTED:
                raise NotAdmitted(
                    f"This is a key of role {key.role}. The dashboard is for {' and '.join(ADMITTED)} keys; "
                    "an admin makes one with `assent keys create NAME --role operator`."
                )
        except BaseException:
            client.close()
            raise
        token = secrets.token_urlsafe(32)
        session = Session(
            key=key, client=client, feed=Feed(lambda sleep: self._connect(api_key, sleep)), used=self._clock()
        )
        session.feed.start()
        with self._lock:
            self._by_token[_digest(token)] = session
        return token

    def find(self, token: str | None) -> Session | None:
        """The session of a token, None for one that is unknown or has been idle for too long."""
        if not token:
            return None
        with self._lock:
            now = self._clock()
            stale = [name for name, session in self._by_token.items() if now - session.used > self._idle]
            gone = [self._by_token.pop(name) for name in stale]
            session = self._by_token.get(_digest(token))
            if session is not None:
                session.used = now
        for each in gone:
            _end(each)
        return session

    def close(self, token: str | None) -> None:
        """Sign out; an unknown token is signed out already."""
        with self._lock:
            session = self._by_token.pop(_digest(token or ""), None)
        if session is not None:
            _end(session)

    def close_all(self) -> None:
        with self._lock:
            sessions, self._by_token = list(self._by_token.values()), {}
        for session in sessions:
            _end(session)


def _end(session: Session) -> None:
    session.feed.stop()
    session.client.close()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
