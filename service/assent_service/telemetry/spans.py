"""Spans as they are handed to the exporter: plain, small and quick to make.

They follow OpenTelemetry's data model and its names; OpenTelemetry itself is loaded by the exporter's process alone.
"""

from __future__ import annotations

import msgspec

Value = str | int | float | bool
Attributes = dict[str, Value]

LONGEST = 256


class SpanEvent(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something that happened at `time`, in nanoseconds since 1970."""

    name: str
    time: int
    attributes: Attributes


class Link(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Another span that this one goes back to, in whatever trace."""

    trace_id: str
    span_id: str


class Span(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Ids in hexadecimal digits, times in nanoseconds since 1970; `server` is true for the span of a request, whose
    `parent_id` is the caller's. `error` names the kind of failure."""

    name: str
    span_id: str
    parent_id: str | None
    start: int
    end: int
    attributes: Attributes
    server: bool = False
    error: str | None = None
    event: SpanEvent | None = None
    link: Link | None = None


class Request(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The spans of one request, the server's own first. `sampled` is what the caller decided, None without one."""

    trace_id: str
    sampled: bool | None
    spans: list[Span]


class Point(msgspec.Struct, frozen=True, array_like=True):
    """One series of a metric: `value` of a counter or gauge; of a histogram `total` is the sum of what was observed
    and `buckets` how many fell under each bound and, last, above all of them."""

    labels: dict[str, str]
    value: float = 0.0
    total: float = 0.0
    buckets: list[int] = []


class MetricSample(msgspec.Struct, frozen=True, array_like=True):
    """`kind` is counter, gauge or histogram; `bounds` are a histogram's, rising."""

    name: str
    description: str
    unit: str
    kind: str
    points: list[Point]
    bounds: list[float] = []


class ExportBatch(msgspec.Struct, frozen=True, array_like=True):
    """What goes to the exporter at once. `since` is when the service began to count, in nanoseconds since 1970."""

    requests: list[Request] = []
    metrics: list[MetricSample] = []
    since: int = 0
    time: int = 0


def short(text: str) -> str:
    """Names come from callers; a collector need not keep a page of one."""
    return text[:LONGEST]
