"""All waits of a client over two connections, one stream and one for looking: real HTTP, counted at the service."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from assent import ApprovalDeniedError, ApprovalTimeoutError, AsyncClient, Client
from tests.sdk.client import samples
from tests.sdk.client.doubles import connected, frame
from tests.sdk.client.serving import Scope, Send, Server
from tests.sdk.client.test_connections import in_child
from tests.tiers import deep

WAIT = 300.0
LONG = 600.0
"""Seconds between two looks: within a test only the stream tells."""


class Waits(Server):
    """Actions that wait until they are `decided`, each told of on every stream; `streaming` off: there is none."""

    def __init__(self) -> None:
        super().__init__(self.answer)
        self.streaming = True
        self.verdicts: dict[str, str] = {}
        self.looks: list[str] = []
        self.opened = 0
        self.streams: set[asyncio.Queue[bytes | None]] = set()

    async def answer(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["path"] == "/api/stream":
            await self.stream(receive, send)
            return
        action_id = scope["path"].rpartition("/")[2]
        self.looks.append(action_id)
        state = self.verdicts.get(action_id, "awaiting")
        status = {"awaiting": "pending_approval", "approved": "running", "denied": "cancelled"}[state]
        detail = samples.detail(status, state, action_id=action_id)
        detail["action"]["action_id"] = action_id
        await self.say(send, 200, json.dumps(detail).encode())

    async def stream(self, receive: Any, send: Send) -> None:
        self.opened += 1
        if not self.streaming:
            await self.say(send, 404, b"{}")
            return
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        told: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.streams.add(told)
        gone = asyncio.create_task(receive())
        try:
            await receive()
            gone = asyncio.create_task(receive())
            gone.add_done_callback(lambda _: told.put_nowait(None))
            chunk: bytes | None = connected()
            while chunk is not None:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                chunk = await told.get()
        finally:
            self.streams.discard(told)
            gone.cancel()

    async def say(self, send: Send, status: int, body: bytes) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    def decide(self, action_id: str, state: str = "approved", *, tell: bool = True) -> None:
        status = "running" if state == "approved" else "cancelled"
        decided = frame("approval.decided", samples.approval(state, action_id=action_id), 9)
        updated = frame("action.updated", samples.action(status, action_id=action_id, approval_id="apr_1"), 10)

        def happen() -> None:
            self.verdicts[action_id] = state
            for each in self.streams if tell else ():
                each.put_nowait(decided + updated)

        self.loop.call_soon_threadsafe(happen)

    def drop(self) -> None:
        def happen() -> None:
            for each in self.streams:
                each.put_nowait(None)

        self.loop.call_soon_threadsafe(happen)


@pytest.fixture
def service() -> Iterator[Waits]:
    with Waits() as server:
        yield server


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline, "it does not come to be"
        time.sleep(0.005)


def ids(count: int) -> list[str]:
    return [f"act_{number}" for number in range(count)]


@deep("two hundred threads are in the quick tier")
async def test_two_thousand_waits_hold_two_connections(service: Waits) -> None:
    actions = ids(2_000)
    async with AsyncClient(service.url, "k", say=str) as client:
        waits = [asyncio.create_task(client.wait_for_approval(each, timeout=WAIT, interval=LONG)) for each in actions]
        # At opening each looks once, and those that were there before it once more at `connected`.
        await asyncio.to_thread(until, lambda: len(service.looks) >= len(actions))
        assert service.connections <= 2
        for each in actions:
            service.decide(each)
        found = await asyncio.gather(*waits)
        assert [each.action_id for each in found] == actions
        await asyncio.to_thread(until, lambda: not service.streams)
    assert service.opened == 1
    assert service.most <= 2


def blocking(client: Client, pool: ThreadPoolExecutor, actions: list[str], **options: Any) -> list[Future[Any]]:
    return [
        pool.submit(client.wait_for_approval, each, **{"timeout": WAIT, "interval": LONG, **options})
        for each in actions
    ]


def test_so_do_threads(service: Waits) -> None:
    actions = ids(200)
    with Client(service.url, "k", say=str) as client, ThreadPoolExecutor(200) as pool:
        waits = blocking(client, pool, actions)
        until(lambda: set(service.looks) == set(actions))
        for each in actions:
            service.decide(each)
        assert [each.result(WAIT).action_id for each in waits] == actions
        until(lambda: not service.streams)
    assert service.opened == 1
    assert service.most <= 2
    assert [each.name for each in threading.enumerate() if each.name == "assent-waits"] == []


def test_where_a_stream_is_refused_they_poll_over_one_connection(service: Waits) -> None:
    service.streaming = False
    actions = ids(60)
    with Client(service.url, "k", say=str) as client, ThreadPoolExecutor(60) as pool:
        waits = blocking(client, pool, actions, interval=0.1)
        until(lambda: all(service.looks.count(each) >= 2 for each in actions))
        for each in actions:
            service.decide(each)
        assert [each.result(WAIT).action_id for each in waits] == actions
    assert service.most <= 2


@deep("threads that poll are in the quick tier")
async def test_awaiting_ones_poll_over_one_connection_too(service: Waits) -> None:
    service.streaming = False
    actions = ids(300)
    async with AsyncClient(service.url, "k", say=str) as client:
        waits = [asyncio.create_task(client.wait_for_approval(each, timeout=WAIT, interval=0.1)) for each in actions]
        await asyncio.to_thread(until, lambda: len(service.looks) >= 3 * len(actions))
        for each in actions:
            service.decide(each)
        assert [each.action_id for each in await asyncio.gather(*waits)] == actions
    assert service.most <= 2
    # Nobody asks for a stream that was just refused to another.
    assert service.opened < 50


def test_each_wait_keeps_its_own_ending(service: Waits) -> None:
    with Client(service.url, "k", say=str) as client, ThreadPoolExecutor(4) as pool:
        (longest,) = blocking(client, pool, ["act_longest"])
        (short,) = blocking(client, pool, ["act_short"], timeout=0.5)
        (denied,) = blocking(client, pool, ["act_denied"])
        until(lambda: {"act_longest", "act_short", "act_denied"} <= set(service.looks))
        service.decide("act_denied", "denied")
        assert isinstance(denied.exception(WAIT), ApprovalDeniedError)
        began = time.monotonic()
        assert isinstance(short.exception(WAIT), ApprovalTimeoutError)
        assert time.monotonic() - began < 5
        assert not longest.done()
        service.decide("act_longest")
        assert longest.result(WAIT).action_id == "act_longest"
    assert service.opened == 1


async def test_a_cancelled_wait_leaves_the_stream_to_the_others(service: Waits) -> None:
    async with AsyncClient(service.url, "k", say=str) as client:
        one, other = (
            asyncio.create_task(client.wait_for_approval(each, timeout=WAIT, interval=LONG))
            for each in ("act_one", "act_other")
        )
        await asyncio.to_thread(until, lambda: set(service.looks) == {"act_one", "act_other"})
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        service.decide("act_other")
        assert (await other).action_id == "act_other"
    assert service.opened == 1


def test_what_was_decided_while_the_stream_was_cut_is_found(service: Waits) -> None:
    actions = ids(20)
    with Client(service.url, "k", say=str) as client, ThreadPoolExecutor(20) as pool:
        waits = blocking(client, pool, actions, interval=0.5)
        until(lambda: set(service.looks) == set(actions) and bool(service.streams))
        for each in actions:
            service.decide(each, tell=False)
        service.drop()
        assert [each.result(WAIT).action_id for each in waits] == actions
    # Once anew, and once more where all others had ended before the last one looked.
    assert 2 <= service.opened <= 3
    assert service.most <= 3  # the one that was cut may be there still


def test_after_a_fork_the_sharing_starts_anew(service: Waits) -> None:
    with Client(service.url, "k", say=str) as client, ThreadPoolExecutor(2) as pool:
        (parents,) = blocking(client, pool, ["act_parent"])
        until(lambda: "act_parent" in service.looks and bool(service.streams))
        timer = threading.Timer(0.5, service.decide, args=("act_child",))
        timer.start()
        assert in_child(lambda: client.wait_for_approval("act_child", 10.0, LONG).action_id) == "act_child"
        assert not parents.done()
        service.decide("act_parent")
        assert parents.result(WAIT).action_id == "act_parent"
        timer.join()
    assert service.opened == 2


def test_waits_leave_the_connections_to_other_calls(service: Waits) -> None:
    actions = ids(30)
    with Client(service.url, "k", say=str, max_connections=3) as client, ThreadPoolExecutor(30) as pool:
        waits = blocking(client, pool, actions)
        until(lambda: set(service.looks) == set(actions))
        assert client.get_action("act_more").action.action_id == "act_more"
        for each in actions:
            service.decide(each)
        assert len([each.result(WAIT) for each in waits]) == 30
