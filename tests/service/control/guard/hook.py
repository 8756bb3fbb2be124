"""A webhook to test against: a real HTTPS server on loopback, the checks that lead to it, and how to ask them."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import itertools
import json
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal

import msgspec
import pytest

from assent.contract.control.guard import Decision
from assent_service.control.guard.webhook import (
    Check,
    WebhookAnswer,
    WebhookBody,
    WebhookContext,
    WebhookSettings,
    ask,
    open_client,
)
from assent_service.core import addresses

SNAPSHOT = WebhookBody(
    org_id="org_1",
    timestamp=dt.datetime(2026, 11, 20, 15, 30, 5, 250000, tzinfo=dt.UTC),
    context=WebhookContext(
        action_type="deploy",
        risk_score=85,
        agent_id="agent-7",
        systems_touched=("production",),
        reversible=False,
        declared_goal="ship é",
    ),
    preliminary_decision=Decision.WARN,
    matched_policies=("pol_a",),
    reasons=(),
    warnings=("Night shift: be careful",),
)


class Request:
    def __init__(self, head: bytes, body: bytes, server_name: str | None) -> None:
        line, *headers = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = line.split(" ")
        self.headers = {name.lower(): value for name, _, value in (h.partition(": ") for h in headers)}
        self.body = body
        self.server_name = server_name


Respond = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


class Hook:
    """One HTTPS server that keeps what it was sent; `requests` holds it, `connections` counts handshakes."""

    def __init__(self, respond: Respond) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.port = 0
        self._respond = respond
        self._names: list[str | None] = []

    def named(self, _socket: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> None:
        self._names.append(name)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        name = self._names.pop(0) if self._names else None
        with contextlib.suppress(ConnectionError, ssl.SSLError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n"))[:-4]
                request = Request(head, b"", name)
                request.body = await reader.readexactly(int(request.headers["content-length"]))
                self.requests.append(request)
                await self._respond(request, writer)
                await writer.drain()
        writer.close()


def reply(body: object, status: str = "200 OK", *headers: str) -> Respond:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def respond(_request: Request, writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {status}", f"content-length: {len(raw)}", *headers]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + raw)

    return respond


ALLOW = {"decision": "allow", "reasons": [], "warnings": []}

Listen = Callable[[Respond], Awaitable[Hook]]


def check(
    port: int, *, path: str = "/", name: str = "Ask ops", url: str = "", timeout_ms: int = 5000,
    on_timeout: Literal["allow", "block"] = "block",
) -> Check:  # fmt: skip
    url = url or f"https://127.0.0.1:{port}{path}"
    return Check(policy_id="pol_w", policy_name=name, url=url, timeout_ms=timeout_ms, on_timeout=on_timeout)


async def ask_all(checks: Sequence[Check], settings: WebhookSettings) -> list[WebhookAnswer]:
    ids = map("msg_{}".format, itertools.count(1))
    async with open_client(settings) as client:
        return await ask(checks, SNAPSHOT, client=client, settings=settings, new_id=lambda: next(ids))


async def ask_one(one: Check, settings: WebhookSettings) -> WebhookAnswer:
    (answer,) = await ask_all([one], settings)
    return answer


async def failure(one: Check, settings: WebhookSettings) -> str:
    """The reason of a webhook that must count as its on_timeout, for both values of it."""
    blocked = await ask_one(one, settings)
    allowed = await ask_one(msgspec.structs.replace(one, on_timeout="allow"), settings)
    assert (blocked.decision, allowed.decision) == ("block", "allow")
    assert blocked.warnings == allowed.warnings == ()
    (reason,) = blocked.reasons
    assert allowed.reasons == (reason.removesuffix("on_timeout is block") + "on_timeout is allow",)
    assert reason.startswith("Ask ops: its webhook could not decide: ")
    return reason


def use_resolver(monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[list[str]]]) -> list[str]:
    """Names resolve to the next of their answers; returns the names asked for. Literals never get here."""
    asked: list[str] = []

    async def getaddrinfo(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in answers[host].pop(0)]

    monkeypatch.setattr(addresses, "look_up", getaddrinfo)
    return asked
