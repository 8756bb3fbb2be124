"""A receiver to deliver to: a server on loopback, over TLS or not, that keeps what it was sent and answers as told; and
the service's webhooks in process, on a clock that tests own. Nothing is sent but in the rounds that a test asks for."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.exchange.webhooks import CreatedWebhook, CreateWebhook, UpdateWebhook, Webhook, WebhookDelivery
from assent.contract.exchange.webhooks import DeliveriesQuery as Query
from assent_service.base.pace import Pace
from assent_service.core import addresses
from assent_service.exchange.webhooks import OpenWebhooks, open_webhooks
from assent_service.exchange.webhooks.state import WebhookState
from tests.service.control.actions.world import Hands, World, locks_of, opened

DASHBOARD = "https://dashboard.invalid"
Respond = Callable[[asyncio.StreamWriter], Awaitable[None]]


class Sent(msgspec.Struct):
    """One request as it came."""

    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def said(self) -> dict[str, Any]:
        members: dict[str, Any] = json.loads(self.body)
        return members

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def signed_by(self, secret: str) -> bool:
        """Whether one of the signatures is that of `secret`: written from the specification, not from the service."""
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        content = b".".join([self.id.encode(), self.headers["webhook-timestamp"].encode(), self.body])
        expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        return expected in self.headers["webhook-signature"].split(" ")


def answer(status: str = "204 No Content", body: bytes = b"", *headers: str) -> Respond:
    async def respond(writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    return respond


OK = answer()
BROKEN = answer("500 Internal Server Error", b"no\tluck\n")


class Receiver:
    """`respond` answers all that follows; `script`, as long as there is some, one request each."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.script: list[Respond] = []
        self.respond: Respond = OK
        self.port = 0
        self._came = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()

    async def until(self, count: int) -> None:
        """Wait until so many requests have come in all."""
        async with asyncio.timeout(40), self._came:
            await self._came.wait_for(lambda: len(self.sent) >= count)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def types(self) -> list[str]:
        return [each.said["type"] for each in self.sent]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        finally:
            self._tasks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()

    async def end(self) -> None:
        """Nobody is answered any more."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
            line, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in lines)}
            body = await reader.readexactly(int(headers["content-length"]))
            async with self._came:
                self.sent.append(Sent(line.split(" ")[1], headers, body))
                self._came.notify_all()
            await (self.script.pop(0) if self.script else self.respond)(writer)
            await writer.drain()


@asynccontextmanager
async def receiving(tls: Path | None = None) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    context = None
    if tls is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tls)
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=context)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await receiver.end()


class Post:
    """Webhooks on a world: what an admin does, and rounds of deliveries."""

    def __init__(self, world: World, hooks: OpenWebhooks) -> None:
        self.world, self.hooks, self.clock = world, hooks, world.clock
        self.webhooks, self.dispatcher, self.state = hooks.webhooks, hooks.dispatcher, hooks.state

    async def create(self, url: str, events: list[str] | None = None, **members: Any) -> CreatedWebhook:
        return await self.webhooks.create(self.world.admin, CreateWebhook(url=url, events=events, **members))

    async def update(self, webhook_id: str, **members: Any) -> Webhook:
        return await self.webhooks.update(self.world.admin, webhook_id, UpdateWebhook(**members))

    def get(self, webhook_id: str) -> Webhook:
        return next(each for each in self.webhooks.of(self.world.org_id) if each.webhook_id == webhook_id)

    async def round(self, webhook_id: str) -> int:
        """One round, with the tables where the log is."""
        await self.world.service.ledger.caught_up()
        return await self.dispatcher.round((self.world.org_id, webhook_id))

    async def rounds(self, webhook_id: str) -> int:
        """Rounds until there is nothing left to do now; how many were tried."""
        tried = 0
        while some := await self.round(webhook_id):
            tried += some
        return tried

    async def deliveries(self, webhook_id: str, **query: Any) -> list[WebhookDelivery]:
        """Oldest first."""
        page = await self.webhooks.deliveries(self.world.admin, webhook_id, Query(**query))
        return page.deliveries[::-1]


@asynccontextmanager
async def posting(
    home: Path, clock: Hands | None = None, *, private: bool = True, **options: Any
) -> AsyncIterator[Post]:
    async with opened(home, clock) as world:
        service = world.service
        state = next(memory for memory in service.memories if isinstance(memory, WebhookState))
        hooks = open_webhooks(
            service.ledger,
            world.clock,
            locks_of(service.ledger),
            home,
            allow_private=private,
            make_throttle=partial(Pace, lag=lambda: 0.0),
            state=state,
            waiting=service.waiting.awaiting,
            dashboard_url=DASHBOARD,
            **options,
        )
        try:
            yield Post(world, hooks)
        finally:
            await hooks.dispatcher.stop()


def use_resolver(monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[list[str]]]) -> None:
    """Names resolve to the next of their answers, the last of which stays; an empty one is no address at all."""

    async def getaddrinfo(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        given = answers[host]
        found = given.pop(0) if len(given) > 1 else given[0]
        if not found:
            raise socket.gaierror("no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found]

    monkeypatch.setattr(addresses, "look_up", getaddrinfo)
