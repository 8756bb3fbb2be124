"""The caller's span becomes the service's parent; without OpenTelemetry nothing is sent and nothing imported."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import INVALID_SPAN, use_span

from assent import AsyncClient, Client
from assent.client.transport import traced
from tests.sdk.client.doubles import answering

ANSWER = {"status": "ok", "version": "1", "time": "2026-03-01T12:00:00Z"}


class Wire:
    """Keeps the headers of each request."""

    def __init__(self) -> None:
        self.headers: list[httpx.Headers] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.headers.append(request.headers)
        return answering(ANSWER)(request)


def test_the_current_span_is_passed_on() -> None:
    wire = Wire()
    with Client("http://service", api_key="k", http=httpx.Client(transport=httpx.MockTransport(wire))) as client:
        with TracerProvider().get_tracer("test").start_as_current_span("plan") as span:
            client.health()
        client.health()
    context = span.get_span_context()
    assert wire.headers[0]["traceparent"] == f"00-{context.trace_id:032x}-{context.span_id:016x}-01"
    assert "traceparent" not in wire.headers[1], "no span is current any more"


async def test_the_asynchronous_client_does_so_too() -> None:
    wire = Wire()
    http = httpx.AsyncClient(transport=httpx.MockTransport(wire))
    async with AsyncClient("http://service", api_key="k", http=http) as client:
        with TracerProvider().get_tracer("test").start_as_current_span("plan") as span:
            await client.health()
    assert f"-{span.get_span_context().span_id:016x}-" in wire.headers[0]["traceparent"]


def test_a_span_that_is_not_recorded_says_so() -> None:
    context = trace.SpanContext(0xABC, 0xDEF, is_remote=False, trace_flags=trace.TraceFlags(0))
    with use_span(trace.NonRecordingSpan(context)):
        assert traced({})["traceparent"] == f"00-{0xABC:032x}-{0xDEF:016x}-00"


def test_a_header_that_is_there_already_stays() -> None:
    with TracerProvider().get_tracer("test").start_as_current_span("plan"):
        assert traced({"traceparent": "mine"}) == {"traceparent": "mine"}


def test_an_invalid_span_is_not_passed_on() -> None:
    with use_span(INVALID_SPAN):
        assert traced({"a": "b"}) == {"a": "b"}


def test_a_half_imported_module_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", ModuleType("opentelemetry.trace"))
    assert traced({"a": "b"}) == {"a": "b"}


def test_opentelemetry_is_never_imported_for_it() -> None:
    look = (
        "import sys; from assent import Client; from assent.client.transport import traced; traced({});"
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    printed = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True, timeout=60)
    assert printed.stdout.strip() == "[]"
