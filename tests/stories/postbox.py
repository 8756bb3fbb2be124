"""A receiver of webhooks for stories: a server in a thread, on loopback, that keeps what comes and answers as told."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.live import WAIT


class Letter:
    def __init__(self, headers: dict[str, str], body: bytes) -> None:
        self.headers, self.body = headers, body
        self.said: dict[str, Any] = json.loads(body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def signed_by(self, secret: str) -> bool:
        """As the specification of Standard Webhooks has it."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        content = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        expected = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        return f"v1,{expected}" in self.headers["webhook-signature"].split()


class Postbox:
    """`status` is what every delivery is answered with; `open` lets answers out."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook"
        self.status = 204
        self.open = threading.Event()
        self.open.set()
        self._letters: list[Letter] = []
        self._came = threading.Condition()

    def take(self, letter: Letter) -> None:
        with self._came:
            self._letters.append(letter)
            self._came.notify_all()

    def letters(self, count: int) -> list[Letter]:
        """What has come, once it is as many."""
        with self._came:
            assert self._came.wait_for(lambda: len(self._letters) >= count, WAIT), f"{len(self._letters)} of {count}"
            return list(self._letters)


@contextmanager
def postbox() -> Iterator[Postbox]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            box.take(Letter({name.lower(): value for name, value in self.headers.items()}, body))
            if not box.open.wait(WAIT):
                return
            self.send_response(box.status)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        box = Postbox(server.server_port)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield box
        finally:
            box.open.set()
            server.shutdown()
            thread.join()
