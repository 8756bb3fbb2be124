"""Whose connections are used: after a fork, on another event loop, and when the http client was handed in."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import AsyncClient, Client, ConnectionFailed, InheritedConnections, NoFreeConnection
from assent.client import connections
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, answering, connected, frame
from tests.tiers import deep

PATIENCE = 60.0
HALTED = json.dumps(samples.HALT).encode()


@pytest.fixture(autouse=True)
def nothing_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that rest are not closed after five seconds, which a fork takes on a busy machine."""
    limits = connections.limits

    def lasting(max_connections: int) -> httpx.Limits:
        made = limits(max_connections)
        made.keepalive_expiry = None
        return made

    monkeypatch.setattr("assent.client.client.limits", lasting)


class Service(ThreadingHTTPServer):
    """Answers every request, and knows which connections they came over. `/api/stream` beats until `ended` is set."""

    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Whoever has gone is not answered."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.over: list[int] = []
        self.gone: set[int] = set()
        self.hold, self.held = threading.Event(), threading.Semaphore(0)
        self.hold.set()
        self.streams: list[str | None] = []


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Service

    def do_GET(self) -> None:
        self.server.over.append(self.client_address[1])
        if self.path.startswith("/api/stream"):
            self.stream()
            return
        self.server.held.release()
        self.server.hold.wait(PATIENCE)
        self.begin("application/json", len(HALTED))
        self.wfile.write(HALTED)

    def stream(self) -> None:
        after = self.headers.get("last-event-id")
        self.server.streams.append(after)
        self.begin("text/event-stream", None)
        first = int(after or 0)
        self.wfile.write(connected(first))
        for number in range(first + 1, first + 4):
            self.wfile.write(frame("action.created", {"number": number}, number))
        self.server.hold.clear()
        self.server.hold.wait(PATIENCE)

    def begin(self, kind: str, length: int | None) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("x-request-id", self.headers["x-request-id"])
        if length is None:
            self.close_connection = True
        else:
            self.send_header("content-length", str(length))
        self.end_headers()

    def finish(self) -> None:
        super().finish()
        self.server.gone.add(self.client_address[1])

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.hold.set()
            server.shutdown()
            thread.join()


def in_child(what: Callable[[], Any]) -> Any:
    """What it gives in a forked process, which ends without tidying up and is not waited for longer than patience."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(int(PATIENCE))
        try:
            found: Any = what()
        except BaseException as error:  # noqa: BLE001 - told to the parent
            found = f"{type(error).__name__}: {error}"
        os.write(write, json.dumps(found).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert said, f"the forked process ended with {os.waitstatus_to_exitcode(status)} and said nothing"
    return json.loads(said)


def test_a_forked_process_opens_connections_of_its_own(service: Service) -> None:
    with Client(service.url, "k", retries=0) as client:
        client.get_halt()
        assert in_child(lambda: [client.get_halt().halted, client.get_halt().halted]) == [True, True]
        client.get_halt()
        first, second, third, last = service.over
        assert first == last
        assert second == third != first
        assert first not in service.gone


@deep("one fork and one pair of loops are in the quick tier")
def test_a_child_of_a_child_does_so_too(service: Service) -> None:
    with Client(service.url, "k", retries=0) as client:
        client.get_halt()

        def child() -> Any:
            client.get_halt()
            return [in_child(lambda: client.get_halt().halted), client.get_halt().halted]

        assert in_child(child) == [True, True]
        client.get_halt()
    parent, childs, grandchilds, childs_again, parents_again = service.over
    assert (childs_again, parents_again) == (childs, parent)
    assert len({parent, childs, grandchilds}) == 3


def test_what_a_child_closes_is_its_own(service: Service) -> None:
    with Client(service.url, "k", retries=0) as client:
        client.get_halt()

        def child() -> bool:
            client.close()
            return True

        def dropped() -> bool:
            nonlocal client
            client = Client(service.url, "k")
            gc.collect()
            return True

        assert in_child(child)
        assert in_child(dropped)
        client.get_halt()
    assert len(set(service.over)) == 1


def test_a_fork_while_every_lock_is_held_stops_nobody(service: Service) -> None:
    with Client(service.url, "k", retries=0, max_connections=4) as client:
        service.hold.clear()
        threads = [threading.Thread(target=client.get_halt) for _ in range(8)]
        for each in threads:
            each.start()
        for _ in range(4):
            assert service.held.acquire(timeout=PATIENCE)
        # Four wait for an answer, four for a connection.
        timer = threading.Timer(0.2, service.hold.set)
        timer.start()
        assert in_child(lambda: client.get_halt().halted) is True
        for each in [*threads, timer]:
            each.join(PATIENCE)
            assert not each.is_alive()


def test_plain_http_has_no_tls(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> None:
        raise AssertionError("the authorities are read")

    monkeypatch.setattr(ssl, "create_default_context", lambda **_: read())
    with Client(service.url, "k", retries=0) as client:
        assert client.get_halt().halted
    with pytest.raises(AssertionError, match="are read"):
        Client("https://assent.invalid", "k", retries=0).get_halt()


def test_a_fork_while_a_thread_makes_tls_ready_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenSSL has locks of its own, which nobody gives back in the forked process; here is one for them."""
    openssl, inside = threading.Lock(), threading.Event()
    make = ssl.create_default_context

    def slowly(**given: Any) -> ssl.SSLContext:
        with openssl:
            inside.set()
            time.sleep(0.3)
            return make(**given)

    monkeypatch.setattr(ssl, "create_default_context", slowly)
    client = Client("https://127.0.0.1:9", "k", retries=0)

    def ask() -> str:
        with pytest.raises(ConnectionFailed) as failed:
            client.get_halt()
        return type(failed.value).__name__

    thread = threading.Thread(target=ask)
    thread.start()
    assert inside.wait(PATIENCE)
    assert in_child(ask) == "ConnectionFailed"
    thread.join(PATIENCE)
    assert not thread.is_alive()
    client.close()


FORKED_WHILE_IMPORTING = """
import importlib.abc, os, signal, sys, threading, time
from assent import Client, ConnectionFailed

importing = threading.Event()

class Slow(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "encodings.idna":
            importing.set()
            time.sleep(0.3)

sys.meta_path.insert(0, Slow())
assert "encodings.idna" not in sys.modules
client = Client("http://127.0.0.1:9", "k", retries=0)

def ask():
    try:
        client.get_halt()
    except ConnectionFailed:
        return

thread = threading.Thread(target=ask)
thread.start()
assert importing.wait(30)
child = os.fork()
if child == 0:
    signal.alarm(20)
    ask()
    os._exit(7)
_, status = os.waitpid(child, 0)
thread.join()
print(os.waitstatus_to_exitcode(status))
"""


def test_a_fork_while_a_thread_imports_what_looks_up_hosts_stops_nobody() -> None:
    """In an interpreter of its own, where nothing has been looked up yet."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED_WHILE_IMPORTING], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout == "7\n"


def test_a_stream_that_was_forked_is_followed_by_both_without_gap_or_repeat(service: Service) -> None:
    with Client(service.url, "k", retries=0) as client:
        events: Any = client.events(last_event_id=0)
        assert next(events).id == 1
        # The child has what it took before, and reads nothing from its parent's connection.
        assert in_child(lambda: [next(events).id, next(events).id, next(events).id]) == [2, 3, 4]
        assert [next(events).id, next(events).id] == [2, 3]
        events.close()
    assert service.streams in (["0", "1"], ["0", "2"], ["0", "3"])  # after as much as one read had brought


def test_an_http_client_that_was_handed_in_is_refused_after_a_fork(service: Service) -> None:
    with httpx.Client() as http:
        client = Client(service.url, "k", retries=0, http=http)
        client.get_halt()
        said = in_child(lambda: client.get_halt().halted)
        assert said.startswith("InheritedConnections: the httpx.Client that was handed in has connections of another ")
        assert "Make the httpx.Client, and the client around it, in the process that uses them" in said
        client.get_halt()
    assert len(set(service.over)) == 1


def test_one_that_was_not_used_before_belongs_to_the_child(service: Service) -> None:
    with httpx.Client() as http:
        client = Client(service.url, "k", retries=0, http=http)
        assert in_child(lambda: client.get_halt().halted) is True


def test_one_without_connections_goes_anywhere() -> None:
    client = Client(BASE, "k", http=httpx.Client(transport=httpx.MockTransport(answering(samples.HALT))))
    assert client.get_halt().halted
    assert in_child(lambda: client.get_halt().halted) is True


def test_each_event_loop_has_connections_of_its_own(service: Service) -> None:
    client = AsyncClient(service.url, "k", retries=0)

    async def twice() -> list[bool]:
        return [(await client.get_halt()).halted, (await client.get_halt()).halted]

    # Neither loop was told to close anything; what stays open is a ResourceWarning, which is an error here.
    assert asyncio.run(twice()) == [True, True]
    assert asyncio.run(twice()) == [True, True]
    gc.collect()
    first, second, third, fourth = service.over
    assert first == second != third == fourth


@deep("one fork and one pair of loops are in the quick tier")
def test_loops_in_threads_side_by_side_share_nothing(service: Service) -> None:
    client = AsyncClient(service.url, "k", retries=0)
    both = threading.Barrier(2)
    found: list[bool] = []

    async def ask() -> None:
        for _ in range(10):
            both.wait(PATIENCE)
            found.append((await client.get_halt()).halted)

    threads = [threading.Thread(target=asyncio.run, args=(ask(),)) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE)
    assert found == [True] * 20
    assert len(set(service.over)) == 2


def test_an_awaiting_client_is_used_on_after_a_fork(service: Service) -> None:
    client = AsyncClient(service.url, "k", retries=0)

    async def ask() -> bool:
        return (await client.get_halt()).halted

    async def ask_and_fork() -> list[Any]:
        before = await ask()

        def child() -> bool:
            # A loop that was forked runs no more; the child begins one of its own.
            found: list[bool] = []
            thread = threading.Thread(target=lambda: found.append(asyncio.run(ask())))
            thread.start()
            thread.join(PATIENCE)
            return found == [True]

        return [before, in_child(child), await ask()]

    assert asyncio.run(ask_and_fork()) == [True, True, True]
    parent, child, again = service.over
    assert parent == again != child


def test_an_awaiting_http_client_that_was_handed_in_stays_on_its_loop(service: Service) -> None:
    async def ask(http: httpx.AsyncClient, client: AsyncClient) -> None:
        await client.get_halt()
        found = await asyncio.to_thread(asyncio.run, elsewhere(client))
        assert found.startswith("the httpx.AsyncClient that was handed in has connections of another event loop")
        await client.get_halt()
        await http.aclose()

    async def elsewhere(client: AsyncClient) -> str:
        with pytest.raises(InheritedConnections) as caught:
            await client.get_halt()
        return str(caught.value)

    http = httpx.AsyncClient()
    asyncio.run(ask(http, AsyncClient(service.url, "k", retries=0, http=http)))
    assert len(set(service.over)) == 1


@deep("one fork and one pair of loops are in the quick tier")
def test_many_loops_leave_nothing_behind(service: Service) -> None:
    client = AsyncClient(service.url, "k", retries=0)

    async def ask() -> None:
        await client.get_halt()

    def descriptors() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    asyncio.run(ask())
    before = descriptors()
    for _ in range(20):
        asyncio.run(ask())
    assert descriptors() <= before + 2  # one may be on its way out


async def test_whoever_gets_no_connection_is_told_which_limit_and_how_to_raise_it(service: Service) -> None:
    service.hold.clear()
    async with AsyncClient(service.url, "k", timeout=0.3, retries=0, max_connections=2) as client:
        answers = await asyncio.gather(*(client.get_halt() for _ in range(3)), return_exceptions=True)
        service.hold.set()
    (error,) = [each for each in answers if isinstance(each, NoFreeConnection)]
    assert error.limit == 2
    assert "all 2 connections that max_connections allows were in use for 0.3 s" in str(error)
    assert "Client(max_connections=...)" in str(error)
    assert error.uncertain is False


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_limit_that_allows_nothing_is_refused(kind: type[Client] | type[AsyncClient]) -> None:
    with pytest.raises(ValueError, match="max_connections is 0; give 1 or more"):
        kind(BASE, "k", max_connections=0)


@pytest.fixture
def http(service: Service) -> Iterator[httpx.Client]:
    """The connections of a blocking client."""
    network = connections.Network(limits=connections.limits(4), verify=None)
    opened = connections.Connections(None, network)
    yield opened.pool().http
    opened.close()


def halted(http: httpx.Client, service: Service) -> httpx.Response:
    return http.get(f"{service.url}/api/halt", headers={"x-request-id": "r"})


class Asked(threading.Thread):
    """A request that waits for the service, in a thread of its own."""

    def __init__(self, http: httpx.Client, service: Service) -> None:
        super().__init__()
        self._http, self._service = http, service
        self.found: httpx.Response | httpx.TransportError | None = None
        service.held.acquire()
        service.hold.clear()
        self.start()
        assert service.held.acquire(timeout=PATIENCE)

    def run(self) -> None:
        try:
            self.found = halted(self._http, self._service)
        except httpx.TransportError as error:
            self.found = error

    def finish(self) -> httpx.Response | httpx.TransportError | None:
        self._service.hold.set()
        self.join(PATIENCE)
        return self.found


def test_a_connection_that_is_given_up_while_a_request_is_under_way_answers_it_first(
    service: Service, http: httpx.Client
) -> None:
    stream = halted(http, service).extensions["network_stream"]
    asked = Asked(http, service)
    stream.close()  # as the pool does in another thread, which saw the connection at rest
    answer = asked.finish()
    assert isinstance(answer, httpx.Response)
    assert stream.get_extra_info("socket").fileno() == -1, "closed with the answer"
    assert len(set(service.over)) == 1


def test_a_request_that_begins_on_a_connection_given_up_goes_over_another(
    service: Service, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = halted(http, service).extensions["network_stream"]
    stream.close()
    # The pool looked at it a moment before that, when it was at rest.
    monkeypatch.setattr(stream, "get_extra_info", lambda info: None)
    assert halted(http, service).is_success
    first, second = service.over
    assert first != second


def test_closing_all_of_them_closes_what_is_under_way(service: Service, http: httpx.Client) -> None:
    stream = halted(http, service).extensions["network_stream"]
    asked = Asked(http, service)
    http.close()
    assert stream.get_extra_info("socket").fileno() == -1
    asked.finish()
