"""An answer that does not end: each attempt has its seconds as a whole, and its answer so many bytes."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from assent import AsyncClient, Client, ConnectionFailed, ServerError
from assent.client.incoming import LARGEST
from assent.mcp_proxy.service_transport import Turns, http_client

QUESTION = {"action_type": "deploy"}


class Endless:
    """Answers each request by its id and then goes on for ever, by what `goes_on` says of the connection."""

    def __init__(self, goes_on: Callable[[socket.socket, threading.Event], None], head: bool = True) -> None:
        self._goes_on, self._head = goes_on, head
        self.stopped = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self.stopped.is_set():
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as asked:
            said: dict[str, str] = {}
            asked.readline()
            while (line := asked.readline().decode().strip()) and ":" in line:
                name, value = line.split(":", 1)
                said[name.lower()] = value.strip()
            asked.read(int(said.get("content-length", 0)))
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\n")
                if self._head:
                    head = f"x-request-id: {said['x-request-id']}\r\ncontent-type: application/json\r\n"
                    connection.sendall(f"{head}content-length: 99999999999\r\n\r\n".encode())
                self._goes_on(connection, self.stopped)
            except OSError:
                pass

    def close(self) -> None:
        self.stopped.set()
        self._listening.close()


def drips(connection: socket.socket, stopped: threading.Event) -> None:
    while not stopped.wait(0.02):
        connection.sendall(b" ")


def drips_in_its_head(connection: socket.socket, stopped: threading.Event) -> None:
    connection.sendall(b"x-slow: ")
    while not stopped.wait(0.02):
        connection.sendall(b"x")


def floods(connection: socket.socket, stopped: threading.Event) -> None:
    while not stopped.is_set():
        connection.sendall(b" " * 2**20)


@pytest.fixture
def endless() -> Iterator[Callable[..., Endless]]:
    made: list[Endless] = []

    def start(goes_on: Callable[[socket.socket, threading.Event], None], *, head: bool = True) -> Endless:
        made.append(Endless(goes_on, head))
        return made[-1]

    yield start
    for each in made:
        each.close()


async def asked_awaiting(url: str, timeout: float) -> None:
    async with AsyncClient(url, "sk", "bot", timeout=timeout, retry_seconds=0) as client:
        await client.guard(QUESTION)


async def asked_by_the_proxy(url: str, timeout: float) -> None:
    http = http_client(url, Turns())
    assert http is not None
    async with http, AsyncClient(url, "sk", "bot", timeout=timeout, retry_seconds=0, http_client=http) as client:
        await client.guard(QUESTION)


def asked_blocking(url: str, timeout: float) -> None:
    with Client(url, "sk", "bot", timeout=timeout, retry_seconds=0) as client:
        client.guard(QUESTION)


ASKING: dict[str, Callable[[str, float], None]] = {
    "blocking": asked_blocking,
    "awaiting": lambda url, timeout: asyncio.run(asked_awaiting(url, timeout)),
    "the proxy of MCP": lambda url, timeout: asyncio.run(asked_by_the_proxy(url, timeout)),
}


@pytest.mark.parametrize("how", ASKING)
def test_an_answer_that_drips_is_given_up(how: str, endless: Callable[..., Endless]) -> None:
    with pytest.raises(ConnectionFailed, match=r"no (whole )?answer within 0\.3 s") as caught:
        ASKING[how](endless(drips).url, 0.3)
    assert caught.value.late
    assert caught.value.uncertain


@pytest.mark.parametrize("how", ASKING)
def test_a_head_that_drips_is_given_up(how: str, endless: Callable[..., Endless]) -> None:
    with pytest.raises(ConnectionFailed, match=r"no (whole )?answer within 0\.3 s"):
        ASKING[how](endless(drips_in_its_head, head=False).url, 0.3)


@pytest.mark.parametrize("how", ASKING)
def test_an_answer_that_is_too_large_is_refused(how: str, endless: Callable[..., Endless]) -> None:
    with pytest.raises(ServerError, match=f"answered with more than {LARGEST} bytes") as caught:
        ASKING[how](endless(floods).url, 60.0)
    assert caught.value.code == "unreadable_answer"
