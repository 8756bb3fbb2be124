"""The nouns of this folder and its neighbours put together, in process or behind a real server on 127.0.0.1."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any, TypeVar

import httpx
import uvicorn
from litestar import Litestar
from litestar.handlers import asgi
from litestar.types import Receive, Scope, Send

from assent.contract.control.actions import GET_ACTION
from assent.contract.people.organizations import CreatedOrganization
from assent.contract.roles import Role
from assent_service import health
from assent_service.base.clock import Clock, system_clock
from assent_service.control import halt
from assent_service.control.halt import routes as halt_routes
from assent_service.core.call import Answer, Call
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.router import Router
from assent_service.evidence import events
from assent_service.evidence.events.events import routes as events_routes
from assent_service.health.health import routes as health_routes
from assent_service.people import keys, organizations
from assent_service.people.keys.keys import routes as keys_routes
from assent_service.people.organizations import routes as organizations_routes
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read

T = TypeVar("T")
WAIT = 20.0
"""Seconds after which something hangs; nothing here is expected to take long."""

TABLES = (keys.KEYS, organizations.ORGANIZATIONS, halt.HALTS)


class LoggedActions:
    """The newest payload of each action on the log, for clients that read an action back."""

    types = frozenset({"action.created", "action.updated"})

    def __init__(self) -> None:
        self.by_id: dict[str, bytes] = {}

    def load(self, read: Read) -> None:
        """Nothing: no table holds actions here."""

    def fold(self, event: Event) -> None:
        self.by_id[event.subject] = event.data or b"{}"

    def routes(self) -> tuple[Route, ...]:
        @serves(GET_ACTION)
        async def get(call: Call[None, None], action_id: str) -> Answer[bytes]:
            return Answer(b'{"action":%b}' % self.by_id[action_id])

        return (get,)


class Parts:
    """A data folder opened with all that these tests need. `options` are those of `Events`."""

    def __init__(self, home: Path, clock: Clock = system_clock, **options: Any) -> None:
        locks = EntityLocks()
        self.home, self.clock = home, clock
        self.ledger = Ledger(home, TABLES)
        self.keys = keys.Keys(self.ledger, clock, locks)
        self.organizations = organizations.Organizations(self.ledger, self.keys, clock, locks, seed)
        self.halts = halt.Halts(self.ledger, clock, locks)
        self.events = events.Events(self.ledger, clock, **options)
        self.vitals = health.Vitals(self.ledger, home, clock)
        self.actions = LoggedActions()
        self.ledger.remember([self.keys.state, self.organizations.state, self.halts.state, self.actions])

    def routes(self) -> list[Route]:
        return [
            *keys_routes(self.keys),
            *organizations_routes(self.organizations),
            *halt_routes(self.halts),
            *events_routes(self.events),
            *health_routes(self.vitals),
            *self.actions.routes(),
        ]

    async def first(self, secret: str | None = None) -> tuple[CreatedOrganization, Principal]:
        """The first organization and its admin."""
        created = await self.organizations.bootstrap(secret)
        assert created is not None
        principal = self.keys.authenticate(created.api_key)
        assert principal is not None
        return created, principal


def seed(org_id: str, by: str, now: int) -> list[Draft]:
    """One event that stands for the first policies."""
    return [Draft(org=org_id, type="policy.updated", ts=now, subject="pol_1", actor=by, data=b'{"name":"first"}')]


@asynccontextmanager
async def opened(home: Path, clock: Clock = system_clock, **options: Any) -> AsyncIterator[Parts]:
    parts = Parts(home, clock, **options)
    parts.ledger.start()
    try:
        async with asyncio.timeout(WAIT):
            yield parts
    finally:
        parts.events.stop_all()
        parts.ledger.close()


def reader(org_id: str = "org_a", role: Role = Role.ADMIN, agent_id: str | None = None) -> Principal:
    return Principal(org_id, "key_r", "reader", role, agent_id)


_numbers = itertools.count(1)


def action(org_id: str = "org_a", name: str = "action.created", ts: int | None = None, **members: Any) -> Draft:
    """An event about an action with these members in its payload; `action_id` is a new one unless given."""
    subject = members.setdefault("action_id", f"act_{next(_numbers)}")
    ts = system_clock() if ts is None else ts
    data = json.dumps(members, separators=(",", ":"), ensure_ascii=False).encode()
    return Draft(org=org_id, type=name, ts=ts, subject=subject, actor="key_1", data=data)


class _Server(uvicorn.Server):
    """uvicorn that ends the streams first, as the service does."""

    parts: Parts

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.parts.events.stop_all()
        await super().shutdown(sockets)
        # A connection that never takes what is written to it would keep the loop, and so the process, from ending.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)


class Live:
    """A server in a thread. `admin` is the secret of the first organization's admin, `org_id` that organization."""

    def __init__(self, home: Path, **options: Any) -> None:
        self.parts = Parts(home, **options)
        self.admin = self.org_id = ""
        self._up = threading.Event()
        app = Litestar(
            [_mount(Router(self.parts.routes(), self.parts.keys.authenticate))],
            on_startup=[self._start],
            on_shutdown=[self.parts.ledger.close],
            openapi_config=None,
        )
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self._listener = listener
        self._server = _Server(
            uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, loop="uvloop", lifespan="on")
        )
        self._server.parts = self.parts
        self._thread = threading.Thread(target=self._serve, name="live-service")

    def start(self) -> None:
        self._thread.start()
        assert self._up.wait(WAIT), "the server did not start"

    def stop(self) -> bool:
        """Ask the server to stop; whether it did."""
        self._server.should_exit = True
        self._thread.join(WAIT)
        return not self._thread.is_alive()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT)

    def append(self, *drafts: Draft) -> list[Event]:
        return self.run(self.parts.ledger.append(*drafts))

    def call(self, method: str, path: str, key: str | None = None, body: Any = None) -> httpx.Response:
        headers = {"x-api-key": key} if key else {}
        with httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=WAIT) as client:
            return client.request(method, path, headers=headers, json=body)

    @contextmanager
    def stream(self, query: str = "", key: str | None = None, **headers: str) -> Iterator[HTTPResponse]:
        """An open stream; header names have `_` for `-`."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        sent = {"x-api-key": key or self.admin} | {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("GET", f"/api/stream{query}", headers=sent)
        try:
            yield connection.getresponse()
        finally:
            connection.close()

    def _serve(self) -> None:
        self._server.run([self._listener])

    async def _start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.parts.ledger.start()
        created = await self.parts.organizations.bootstrap(None)
        if created is not None:
            self.admin, self.org_id = created.api_key, created.organization.org_id
        self._up.set()


def _mount(router: Router) -> asgi:
    @asgi("/", is_mount=True, copy_scope=False)
    async def everything(scope: Scope, receive: Receive, send: Send) -> None:
        await router(scope, receive, send)

    return everything


@contextmanager
def live(home: Path, **options: Any) -> Iterator[Live]:
    service = Live(home, **options)
    service.start()
    try:
        yield service
    finally:
        assert service.stop(), "the server did not stop"
