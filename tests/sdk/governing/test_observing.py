"""Observing costs little whatever the service does: 0.3 s once, then nothing until it is back, and nobody forgets what
was not observed."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import AsyncClient, Client, ConnectionFailed, governed
from assent.breaker import Breaker
from assent.governing import observing
from tests.sdk.client import samples

ROOM = 1.0
"""Seconds that a busy machine may add; who would wait for such a service waits for ten."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSENT_SPOOL", str(tmp_path / "spool"))
    return tmp_path / "spool"


@pytest.fixture
def black_hole() -> Iterator[str]:
    """Accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def full() -> Iterator[str]:
    """Neither accepts nor refuses: its queue is full, so connecting hangs."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        address = server.getsockname()
        filling = [socket.socket() for _ in range(4)]
        for each in filling:
            each.setblocking(False)
            each.connect_ex(address)
        yield f"http://127.0.0.1:{address[1]}"
        for each in filling:
            each.close()


class Dripping(threading.Thread):
    """Answers a byte now and then, so that no read ever runs out of time."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.over = threading.Event()
        self.base_url = f"http://127.0.0.1:{self.server.getsockname()[1]}"

    def run(self) -> None:
        line, _ = self.server.accept()
        with line:
            line.recv(65536)
            while not self.over.wait(0.05):
                try:
                    line.sendall(b"H")
                except OSError:
                    return


@pytest.fixture
def dripping() -> Iterator[str]:
    thread = Dripping()
    thread.start()
    yield thread.base_url
    thread.over.set()
    thread.join(5)
    thread.server.close()


def timed(call: Callable[[], Any]) -> float:
    began = time.monotonic()
    assert call() == 7
    return time.monotonic() - began


@pytest.mark.parametrize("service", ["black_hole", "full", "dripping"])
def test_a_service_that_never_answers_costs_a_third_of_a_second_once(
    service: str, request: pytest.FixtureRequest
) -> None:
    base_url = request.getfixturevalue(service)
    with Client(base_url, "sk", "bot") as client:

        @governed(mode="observe", client=client)
        def work() -> int:
            return 7

        assert timed(work) < 0.3 + ROOM
        assert max(timed(work) for _ in range(20)) < 0.1
        assert observing.breaker_of(client)._tally().look().count == 21  # type: ignore[union-attr]


def test_the_same_for_a_coroutine(black_hole: str) -> None:
    async def play() -> None:
        async with AsyncClient(black_hole, "sk", "bot") as client:

            @governed(mode="observe", client=client)
            async def work() -> int:
                return 7

            began = time.monotonic()
            assert await work() == 7
            assert time.monotonic() - began < 0.3 + ROOM
            began = time.monotonic()
            assert await asyncio.gather(*(work() for _ in range(20))) == [7] * 20
            assert time.monotonic() - began < 0.2

    asyncio.run(play())


def test_who_enforces_is_never_let_through(black_hole: str) -> None:
    with Client(black_hole, "sk", "bot", timeout=0.2, retry_seconds=0) as client:

        @governed(mode="observe", client=client)
        def observed() -> int:
            return 7

        @governed(client=client)
        def enforced() -> int:
            raise AssertionError("it ran")

        assert observed() == 7
        assert not observing.breaker_of(client).allows()
        began = time.monotonic()
        with pytest.raises(ConnectionFailed):
            enforced()
        assert time.monotonic() - began > 0.15, "it was asked, whatever the breaker says"


class Service:
    """Answers guard, creations and outcomes while it is up."""

    def __init__(self) -> None:
        self.up = True
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not self.up:
            raise httpx.ConnectError("refused")
        self.asked.append((request.url.path, json.loads(request.content)))
        echoed = {"x-request-id": request.headers.get("x-request-id", "")}
        if request.url.path == "/api/guard":
            return httpx.Response(200, json=samples.decision(), headers=echoed)
        if request.method == "PATCH":
            return httpx.Response(200, json={"action": samples.action("completed")}, headers=echoed)
        return httpx.Response(201, json=samples.created_for(self.asked[-1][1], request), headers=echoed)

    def client(self) -> Client:
        return Client("http://assent.test", "sk", "bot", http=httpx.Client(transport=httpx.MockTransport(self)))


def test_what_was_not_observed_is_told_by_the_next_call_that_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service = Service()

    @governed(mode="observe", client=service.client())
    def work() -> int:
        return 7

    assert work() == 7
    assert "unobserved_calls" not in service.asked[-3][1]["metadata"]
    service.up, service.asked = False, []
    for _ in range(5):
        assert work() == 7
    service.up = True
    assert work() == 7
    assert service.asked == [], "the breaker is still open"
    now = time.time()
    monkeypatch.setattr("assent.breaker.time.time", lambda: now + 10)
    # Another process comes after this one; what it knows is in the files.
    monkeypatch.setattr(observing, "_breakers", {})
    with caplog.at_level(logging.WARNING):
        assert work() == 7
    (guard, asked), (creation, made), (outcome, _) = service.asked
    assert (guard, creation, outcome) == ("/api/guard", "/api/actions", f"/api/actions/{samples.ID}")
    assert asked["metadata"]["unobserved_calls"]["count"] == 6
    assert made["metadata"]["unobserved_calls"] == asked["metadata"]["unobserved_calls"]
    assert "6 calls from" in caplog.text
    service.asked = []
    assert work() == 7
    assert "unobserved_calls" not in service.asked[0][1]["metadata"], "it is told once"


def test_what_the_body_raises_comes_through_where_its_end_cannot_be_reported() -> None:
    service = Service()

    @governed(mode="observe", client=service.client())
    def work() -> int:
        service.up = False
        raise LookupError("its own")

    with pytest.raises(LookupError, match="its own"):
        work()


@pytest.mark.parametrize("awaited", [False, True])
def test_an_outcome_that_something_in_between_answers_opens_no_breaker(awaited: bool) -> None:
    service = Service()

    def between(request: httpx.Request) -> httpx.Response:
        if request.method == "PATCH":
            return httpx.Response(404, headers={"content-type": "text/html"}, content=b"<html>no</html>")
        answer = service(request)
        # Each call's outcome is of an action of its own.
        content = answer.content.replace(samples.ID.encode(), f"act_{len(service.asked)}".encode())
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return httpx.Response(answer.status_code, headers=headers, content=content)

    client = Client("http://assent.test", "sk", "bot", http=httpx.Client(transport=httpx.MockTransport(between)))
    http = httpx.AsyncClient(transport=httpx.MockTransport(between))
    awaiting = AsyncClient("http://assent.test", "sk", "bot", http=http)

    @governed(mode="observe", client=client)
    def work() -> int:
        return 7

    @governed(mode="observe", client=awaiting)
    async def work_awaited() -> int:
        return 7

    for _ in range(3):
        assert (asyncio.run(work_awaited()) if awaited else work()) == 7
    assert [path for path, _ in service.asked] == ["/api/guard", "/api/actions"] * 3, "each call is observed"


def test_the_breaker_waits_longer_each_time_and_lets_one_find_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("assent.breaker.time.time", lambda: now)
    first, second = (Breaker(str(tmp_path), "http://127.0.0.1:1", "sk") for _ in range(2))
    assert first.allows()
    pauses = []
    for _ in range(8):
        first.failed()
        began = now
        while not second.allows():
            now += 0.25
        assert not first.allows(), "one finds out, the others go on without asking"
        pauses.append(now - began)
    for pause, expected in zip(pauses, (5, 10, 20, 40, 60, 60, 60, 60), strict=True):
        assert 0.75 * expected <= pause <= 1.25 * expected
    second.succeeded()
    assert first.allows()
    assert second.allows()
    # A clock that was set back does not keep it open for good.
    first.failed()
    now -= 1_000_000
    assert first.allows()


def test_without_a_folder_it_holds_for_the_process() -> None:
    breaker = Breaker(None, "http://127.0.0.1:1", "sk")
    breaker.failed()
    breaker.missed()
    assert not breaker.allows()
    breaker.succeeded()
    assert breaker.allows()
