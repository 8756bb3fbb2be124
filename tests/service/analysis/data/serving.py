"""The whole service behind a real server in this process, so that tests can look at its exports and break them."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn

from assent.contract.people.organizations import CreatedOrganization
from assent_service.analysis.data.exports import Exports
from assent_service.app import build
from assent_service.core.settings import Settings
from assent_service.serve import Server, listen

WAIT = 20.0
"""Seconds after which something hangs; nothing here is expected to take long."""
GRACE = 10
"""Seconds that the server waits for open connections when it stops."""
FILL = """
INSERT INTO actions SELECT model.* REPLACE (
    'act_' || n AS action_id, md5('a' || n) AS declared_goal, md5('b' || n) AS reasoning, md5('c' || n) AS error_message
) FROM (SELECT * FROM actions LIMIT 1) AS model, (SELECT range AS n FROM range($1))
"""


class Live:
    """`rows` more actions than the one that was really made; `patience` in seconds."""

    def __init__(self, home: Path, *, rows: int, patience: float) -> None:
        settings = Settings(home=str(home), port=0, log_level="critical")
        self.key = ""
        self.service = build(settings, on_first_start=self._keep)
        self.service.data.exports = Exports(self.service.ledger, patience=patience)
        self._rows = rows
        self._listener = listen(settings)
        self.port = int(self._listener.getsockname()[1])
        config = uvicorn.Config(
            self.service.app,
            lifespan="on",
            log_level="critical",
            log_config=None,
            timeout_graceful_shutdown=GRACE,
        )
        self._up = threading.Event()
        self.server = Server(config, self.service, self._up.set)
        self._runner = threading.Thread(target=lambda: self.server.run(sockets=[self._listener]), name="live-service")

    @property
    def exports(self) -> Exports:
        return self.service.data.exports

    def start(self) -> None:
        self._runner.start()
        assert self._up.wait(WAIT), "the server did not start"
        assert self.call("POST", "/api/actions", {"action_type": "look"}).status_code == 201
        assert self.call("GET", "/api/actions").json()["total"] == 1
        with self.service.ledger._projector.database.cursor() as cursor:
            cursor.execute(FILL, [self._rows])

    def stop(self) -> float:
        """Stop the server; how many seconds that took."""
        began = time.monotonic()
        self.server.should_exit = True
        self._runner.join(WAIT)
        assert not self._runner.is_alive(), "the server did not stop"
        return time.monotonic() - began

    def call(self, method: str, path: str, body: object = None) -> httpx.Response:
        with httpx.Client(base_url=f"http://127.0.0.1:{self.port}", trust_env=False, timeout=WAIT) as client:
            return client.request(method, path, headers={"x-api-key": self.key}, json=body)

    def reader(self, query: str = "format=ndjson") -> socket.socket:
        """A connection that has asked for all actions and has read the first bytes of the answer, no more."""
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        connection.settimeout(WAIT)
        connection.connect(("127.0.0.1", self.port))
        asked = f"GET /api/data/actions?{query} HTTP/1.1\r\nhost: test\r\nx-api-key: {self.key}\r\n\r\n"
        connection.sendall(asked.encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
        return connection

    def _keep(self, created: CreatedOrganization) -> None:
        self.key = created.api_key


def the_rest(connection: socket.socket) -> bytes:
    """All that still comes, until the other side ends the connection, politely or not."""
    found = bytearray()
    try:
        while piece := connection.recv(1 << 20):
            found += piece
    except ConnectionResetError:
        pass
    return bytes(found)


def whole(answer: bytes | bytearray) -> bool:
    """Whether a chunked answer has come to its end."""
    return answer.endswith(b"0\r\n\r\n")


def body_of(answer: bytes) -> bytes:
    """The body of a chunked answer that is there from its first line on."""
    rest, found = answer.split(b"\r\n\r\n", 1)[1], bytearray()
    while rest:
        size, rest = rest.split(b"\r\n", 1)
        found += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    return bytes(found)


def until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < deadline, f"not within {WAIT:g} s: {what}"
        time.sleep(0.01)


@contextmanager
def live(home: Path, *, rows: int = 60_000, patience: float = 60.0) -> Iterator[Live]:
    service = Live(home, rows=rows, patience=patience)
    service.start()
    try:
        yield service
    finally:
        service.stop()
