"""A collector on a port of its own, which keeps what it was sent."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

WAIT = 30.0


class Receiver(ThreadingHTTPServer):
    """`bodies` are what came, as sent, by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[tuple[str, bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def traces(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for path, body in self.bodies if path == "/v1/traces"]

    def spans(self) -> list[Span]:
        return [
            span
            for sent in self.traces()
            for resource in sent.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def span(self, name: str, **attributes: object) -> Span:
        """The only span of that name with these attributes (`_` for `.`), once it has come."""
        wanted = {key.replace("__", "."): value for key, value in attributes.items()}
        deadline = time.monotonic() + WAIT
        while time.monotonic() < deadline:
            found = [
                each for each in self.spans() if each.name == name and wanted.items() <= said(each.attributes).items()
            ]
            if found:
                assert len(found) == 1, f"{len(found)} spans {name}"
                return found[0]
            time.sleep(0.05)
        raise AssertionError(f"no span {name} {wanted}; there are {[each.name for each in self.spans()]}")

    def metrics(self) -> dict[str, Metric]:
        """The latest of each name."""
        return {
            metric.name: metric
            for path, body in self.bodies
            if path == "/v1/metrics"
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        assert isinstance(self.server, Receiver)
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.bodies.append((self.path, body))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def said(attributes: Any) -> dict[str, object]:
    """Attributes as plain values."""

    def value(each: KeyValue) -> object:
        return getattr(each.value, each.value.WhichOneof("value") or "string_value")

    return {each.key: value(each) for each in attributes}


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()
