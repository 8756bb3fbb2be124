"""Who is signed in, what the process of the dashboard has one of, and whose page is being drawn.

The browser holds a random token and nothing else; the key stays here, in memory. A token is kept as its SHA-256, so
that a dump of this process's sessions opens none of them. A session ends twelve hours after it was last used, a day
after it was opened, when it is closed, or with the process. There are at most a hundred; one more ends the one that was
not used for the longest time.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

import streamlit as st

from assent import Client, Key, Role
from assent.deciding import UNDO_SECONDS
from assent_dashboard.feed import Feed
from assent_dashboard.inbox.desk import Desk
from assent_dashboard.inbox.evidence import Backgrounds

ASK_AGAIN_SECONDS = 300.0
"""Two clocks drift apart by far less than a second in that time."""


class ServiceClock:
    """The service's clock, as this process knows it: asked once in a while, counted on in between. What a page calls
    "last checked" is the service's time, since the times of everything it shows are.

    `ask` gives the service's time now; `ticks` counts seconds that only grow.
    """

    def __init__(self, ask: Callable[[], datetime], ticks: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._ticks = ask, ticks
        self._told: datetime | None = None
        self._told_at = 0.0

    def now(self) -> datetime:
        return self.at(self._ticks())

    def at(self, tick: float) -> datetime:
        """The service's time at a moment of `ticks`. Raises what asking raises, when it has to be asked."""
        if self._told is None or self._ticks() - self._told_at > ASK_AGAIN_SECONDS:
            before = self._ticks()
            told = self._ask()
            # The service looked at its clock somewhere between the question and the answer.
            self._told, self._told_at = told, (before + self._ticks()) / 2
        return self._told + timedelta(seconds=tick - self._told_at)


IDLE_SECONDS = 12 * 3600.0
LONGEST_SECONDS = 24 * 3600.0
MOST = 100
"""Each has a client and a thread that reads the service's events."""
LEAVE_SECONDS = 8.0
"""How long a session that ends may take to send what its operator has decided."""
ADMITTED = (Role.OPERATOR, Role.ADMIN)


class Connect(Protocol):
    """Makes the client of a key; `sleep` is what it does between two attempts."""

    def __call__(self, api_key: str, sleep: Callable[[float], object] = time.sleep) -> Client: ...


@dataclass
class Session:
    """A signed-in person. `client` speaks with the person's own key, so that what they decide carries their name;
    `hold` is for how many seconds a decision of theirs can be taken back."""

    key: Key
    client: Client
    feed: Feed
    used: float = field(repr=False)
    hold: float = UNDO_SECONDS
    opened: float = field(init=False, repr=False)
    clock: ServiceClock = field(init=False, repr=False)
    desk: Desk = field(init=False, repr=False)
    backgrounds: Backgrounds = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.opened = self.used
        self.clock = ServiceClock(lambda: self.client.health().time)
        self.desk = Desk(self.client, self.feed, self.key, hold=self.hold)
        self.backgrounds = Backgrounds()

    @property
    def name(self) -> str:
        return self.key.name


class NotAdmitted(Exception):
    """The key is valid and its role has no business here; the message says which roles have."""


class Sessions:
    """Every session of the process. `connect` makes the client of a key, `clock` gives seconds that only grow."""

    def __init__(
        self,
        connect: Connect,
        clock: Callable[[], float] = time.monotonic,
        idle: float = IDLE_SECONDS,
        hold: float = UNDO_SECONDS,
    ) -> None:
        self._connect, self._clock, self._idle, self._hold = connect, clock, idle, hold
        self._ending: list[threading.Thread] = []
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
            key=key,
            client=client,
            feed=Feed(lambda sleep: self._connect(api_key, sleep)),
            used=self._clock(),
            hold=self._hold,
        )
        session.feed.start()
        with self._lock:
            over = self._stale(self._clock())
            while len(self._by_token) >= MOST:
                idlest = min(self._by_token, key=lambda name: self._by_token[name].used)
                over.append(self._by_token.pop(idlest))
            self._by_token[_digest(token)] = session
        self._end(over)
        return token

    def find(self, token: str | None) -> Session | None:
        """The session of a token, None for one that is unknown, has been idle for too long or is too old."""
        if not token:
            return None
        with self._lock:
            now = self._clock()
            gone = self._stale(now)
            session = self._by_token.get(_digest(token))
            if session is not None:
                session.used = now
        self._end(gone)
        return session

    def holds(self, token: str | None) -> bool:
        """Whether the token opens a session; asking does not count as using it."""
        with self._lock:
            gone = self._stale(self._clock())
            found = _digest(token or "") in self._by_token
        self._end(gone)
        return found

    def _stale(self, now: float) -> list[Session]:
        """Those whose time is over, taken out; the lock is held."""
        over = [
            name
            for name, session in self._by_token.items()
            if now - session.used > self._idle or now - session.opened > LONGEST_SECONDS
        ]
        return [self._by_token.pop(name) for name in over]

    def close(self, token: str | None) -> None:
        """Sign out; an unknown token is signed out already."""
        with self._lock:
            session = self._by_token.pop(_digest(token or ""), None)
        if session is not None:
            self._end([session])

    def close_all(self) -> None:
        """End every session, and wait until what was decided in them is sent, for some seconds at most."""
        with self._lock:
            sessions, self._by_token = list(self._by_token.values()), {}
        self._end(sessions)
        until = time.monotonic() + LEAVE_SECONDS
        for each in self._ending:
            each.join(max(0.0, until - time.monotonic()))

    def _end(self, sessions: Sequence[Session]) -> None:
        """Nobody waits for what is sent at the end: the thread that found a session over has others to serve."""
        self._ending = [each for each in self._ending if each.is_alive()]
        for session in sessions:
            session.feed.stop()
            if session.desk.close():
                thread = threading.Thread(target=_finish, args=(session,), name="assent-end", daemon=True)
                self._ending.append(thread)
                thread.start()
            else:
                session.client.close()


def _finish(session: Session) -> None:
    session.desk.finish(LEAVE_SECONDS)
    session.client.close()


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True)
class SignIns:
    """Who has signed in to this process. `base_url` is the service; `cookie` the name of the cookie that holds a
    session's token."""

    base_url: str
    cookie: str
    sessions: Sessions

    def find(self, token: str | None) -> Session | None:
        return self.sessions.find(token)


_open: list[SignIns] = []


def open_sign_ins(base_url: str, port: int, hold: float = UNDO_SECONDS) -> SignIns:
    """The sign-ins of this process. Cookies know no ports, so the cookie's name does. `hold` is for how many seconds a
    decision can be taken back."""

    def connect(api_key: str, sleep: Callable[[float], object] = time.sleep) -> Client:
        return Client(
            base_url=base_url,
            api_key=api_key,
            timeout=TIMEOUT_SECONDS,
            retries=1,
            say=lambda _: None,
            sleep=sleep,
        )

    sign_ins = SignIns(base_url=base_url, cookie=f"assent_session_{port}", sessions=Sessions(connect, hold=hold))
    _open[:] = [sign_ins]
    return sign_ins


def sign_ins_here() -> SignIns:
    """Raises RuntimeError before `open_sign_ins`."""
    if not _open:
        raise RuntimeError("the dashboard is not running: start it with `assent dashboard`")
    return _open[0]


STATE, OWNER = "assent_session", "assent_owner"


def current() -> Session | None:
    """Who looks at this page; None once they have signed out elsewhere or their session has ended.

    A test puts a session into the page's state under `STATE`.
    """
    given = st.session_state.get(STATE)
    if not isinstance(given, Session):
        sign_ins = sign_ins_here()
        given = sign_ins.find(st.context.cookies.get(sign_ins.cookie))
    _leave_nothing_to(given)
    return given


def _leave_nothing_to(session: Session | None) -> None:
    """Forget what the page has kept when somebody else looks at it now: a tab that lost its connection takes its state
    up again, with the cookie of whoever has signed in since."""
    if st.session_state.get(OWNER, session) is not session:
        for name in list(st.session_state):
            if name != STATE:
                del st.session_state[name]
    st.session_state[OWNER] = session
