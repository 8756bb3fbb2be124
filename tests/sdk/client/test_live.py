"""Both clients over real sockets, against a small ASGI application in a server of its own."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from assent import Action, ApprovalTimeoutError, AsyncClient, Client, ConnectionFailed
from tests.sdk.client import samples
from tests.sdk.client.doubles import Way, connected, frame
from tests.sdk.client.serving import Scope, Send, Server
from tests.tiers import deep


class Application:
    """An action that waits until somebody listens; a stream that tells of it, or drops, or stays silent."""

    def __init__(self) -> None:
        self.decided = asyncio.Event()
        self.looks = 0
        self.streams = 0
        self.listening = False
        self.drops = 0
        self.silent = False
        self.events_to_drop_after: list[int] = []

    async def answer(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["path"] == "/api/stream":
            await self.stream(scope, send)
        else:
            state = samples.detail("running", "approved") if self.decided.is_set() else None
            body = json.dumps(state or samples.detail("pending_approval", "awaiting")).encode()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": body})
            self.looks += 1
            self.decide_when_heard()

    def decide_when_heard(self) -> None:
        """Decide once the client listens and has looked twice for each stream: at its opening and at `connected`."""
        if self.listening and self.looks == 2 * self.streams:
            self.decided.set()

    async def stream(self, scope: Scope, send: Send) -> None:
        self.streams += 1
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

        async def write(chunk: bytes, *, more: bool = True) -> None:
            await send({"type": "http.response.body", "body": chunk, "more_body": more})

        if self.silent:
            await self.decided.wait()
            return
        if b"last-event-id" in dict(scope["headers"]) or self.events_to_drop_after:
            await self.replay(int(dict(scope["headers"]).get(b"last-event-id", b"0")), write)
            return
        await write(connected())
        if self.drops:
            self.drops -= 1
            raise ConnectionResetError("dropped on purpose")
        self.listening = True
        self.decide_when_heard()
        await self.decided.wait()
        for byte in frame("approval.decided", {"action_id": samples.ID}, 6):
            await write(bytes([byte]))
        await asyncio.sleep(30)

    async def replay(self, after: int, write: Callable[[bytes], Awaitable[None]]) -> None:
        upto = self.events_to_drop_after.pop(0) if self.events_to_drop_after else 30
        for number in range(after + 1, upto + 1):
            await write(frame("action.created", {"number": number}, number))
        half = frame("action.created", {"number": upto + 1}, upto + 1)[:25]
        await write(half)
        raise ConnectionResetError("dropped on purpose")


class Service(Server):
    """The application above."""

    def __init__(self) -> None:
        self.app = Application()
        super().__init__(self.app.answer)

    def decide(self) -> None:
        self.loop.call_soon_threadsafe(self.app.decided.set)


@pytest.fixture
def server() -> Iterator[Service]:
    with Service() as server:
        yield server


async def wait(way: Way, server: Service, **options: Any) -> Action:
    def blocking() -> Action:
        with Client(server.url, "k", say=str) as client:
            return client.wait_for_approval(samples.ID, **options)

    async def awaiting() -> Action:
        async with AsyncClient(server.url, "k", say=str) as client:
            return await client.wait_for_approval(samples.ID, **options)

    return await (awaiting() if way == "async" else asyncio.to_thread(blocking))


async def test_a_decision_unblocks_at_once(way: Way, server: Service) -> None:
    # With an interval of ten minutes only the stream can tell in time.
    action = await asyncio.wait_for(wait(way, server, timeout=1200, interval=600), 60)
    assert action.status == "running"
    assert server.app.streams == 1


@deep("events over connections that break are in the quick tier")
async def test_a_stream_that_drops_is_no_obstacle(way: Way, server: Service) -> None:
    server.app.drops = 2
    await asyncio.wait_for(wait(way, server, timeout=60, interval=0.1), 60)
    assert server.app.streams == 3


async def test_a_silent_stream_does_not_hold_the_timeout_up(way: Way, server: Service) -> None:
    server.app.silent = True

    def blocking() -> None:
        with Client(server.url, "k", say=str) as client:
            client.wait_for_approval(samples.ID, timeout=1.0)

    async def awaiting() -> None:
        async with AsyncClient(server.url, "k", say=str) as client:
            await client.wait_for_approval(samples.ID, timeout=1.0)

    waiting = awaiting() if way == "async" else asyncio.to_thread(blocking)
    with pytest.raises(ApprovalTimeoutError):
        await asyncio.wait_for(waiting, 15)
    server.decide()


async def test_events_come_without_gap_or_repeat_over_connections_that_break(way: Way, server: Service) -> None:
    server.app.events_to_drop_after = [3, 3, 10, 11]
    seen: list[int] = []

    def blocking() -> None:
        with Client(server.url, "k") as client:
            events = client.events(last_event_id=0)
            while len(seen) < 20:
                seen.append(next(events).id)

    if way == "async":
        async with AsyncClient(server.url, "k") as client:
            async with asyncio.timeout(30):
                async for event in client.events(last_event_id=0):
                    seen.append(event.id)
                    if len(seen) == 20:
                        break
    else:
        await asyncio.wait_for(asyncio.to_thread(blocking), 30)
    assert seen == list(range(1, 21))
    assert server.app.streams == 5


async def test_nobody_listening_is_said_with_the_address(way: Way) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    async def ask() -> None:
        if way == "async":
            async with AsyncClient(url, "k", retries=0) as client:
                await client.health()
        with Client(url, "k", retries=0) as client:
            client.health()

    with pytest.raises(ConnectionFailed, match=f"no answer from {url}/health"):
        await ask()
