"""A collector that counts what it gets: `python -m tests.benchmarks.collector PORT`; GET answers `{"spans": n}`."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

spans = 0


class Collector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        global spans
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/traces":
            sent = ExportTraceServiceRequest.FromString(body)
            spans += sum(len(scope.spans) for each in sent.resource_spans for scope in each.scope_spans)
        self._answer(b"")

    def do_GET(self) -> None:
        self._answer(json.dumps({"spans": spans}).encode())

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Collector).serve_forever()
