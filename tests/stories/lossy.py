"""What stands between an agent and the service and spoils the first answer: loses it, or takes its id for another's."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.live import WAIT

REQUEST_ID = "x-request-id"
HOP = ("connection", "keep-alive", "transfer-encoding", "content-length", "date", "server")


class Lossy:
    """Hands requests on to `port`. The first answer to `path` is spoilt: `lose` ends the connection instead, `swap`
    gives it another request's id; `strip` takes the ids of all of them. `keys` are the idempotency keys that came, in
    order."""

    def __init__(self, port: int, path: str, how: str) -> None:
        self.lost = 0
        self.keys: list[str | None] = []
        lossy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                service = HTTPConnection("127.0.0.1", port, timeout=WAIT)
                sent = {name: value for name, value in self.headers.items() if name.lower() not in (*HOP, "host")}
                service.request(self.command, self.path, body or None, sent)
                answer = service.getresponse()
                content = answer.read()
                service.close()
                concerned = self.path.partition("?")[0] == path and self.command != "GET"
                if concerned:
                    lossy.keys.append(self.headers.get("idempotency-key"))
                first = concerned and len(lossy.keys) == 1
                if first and how == "lose":
                    lossy.lost += 1
                    self.close_connection = True
                    return
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() == REQUEST_ID and how == "strip" and concerned:
                        continue
                    said = "0" * 32 if name.lower() == REQUEST_ID and how == "swap" and first else value
                    if name.lower() not in HOP:
                        self.send_header(name, said)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815 - the library's names

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def lossy(port: int, path: str, *, how: str = "lose") -> Iterator[Lossy]:
    between = Lossy(port, path, how)
    try:
        yield between
    finally:
        between.close()
