"""What the exporter makes of what it is handed, seen through OpenTelemetry's own in-memory exporter."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import pytest
from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import DEFAULT_ON, ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import CollectorRegistry, Histogram

from assent_service.store.leases import KINDS
from assent_service.store.standing import Standing
from assent_service.telemetry.exporter import export
from assent_service.telemetry.meters import OF_REPLICAS, Meters, taken
from assent_service.telemetry.otlp import Translator
from assent_service.telemetry.replica_meters import ReplicaMeters
from assent_service.telemetry.spans import ExportBatch, Link, MetricSample, Request, Span, SpanEvent

TRACE, CALLER, SERVER, INNER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7", "1" * 16, "2" * 16


class Kept(MetricExporter):
    """Keeps what it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[MetricsData] = []

    def export(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **_: Any) -> MetricExportResult:
        self.got.append(metrics_data)
        return MetricExportResult.SUCCESS

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        return True

    def shutdown(self, timeout_millis: float = 30_000, **_: Any) -> None:
        """Nothing to do."""


def request(sampled: bool | None = True, error: str | None = None) -> Request:
    parent = None if sampled is None else CALLER
    server = Span("POST /api/guard", SERVER, parent, 10, 40, {"http.response.status_code": 200}, True, error)
    verdict = SpanEvent("gen_ai.evaluation.result", 30, {"gen_ai.evaluation.score.label": "block"})
    inner = Span(
        "execute_tool guard",
        INNER,
        SERVER,
        20,
        30,
        {"assent.decision": "block"},
        error="blocked",
        event=verdict,
        link=Link("5" * 32, "6" * 16),
    )
    return Request(TRACE, sampled, [server, inner])


def through(*frames: ExportBatch, sampler: Sampler = DEFAULT_ON) -> tuple[tuple[ReadableSpan, ...], list[MetricsData]]:
    """As from the service's pipe."""
    encoded = [msgspec.msgpack.encode(frame) for frame in frames]
    source = io.BytesIO(b"".join(len(each).to_bytes(4, "big") + each for each in encoded))
    spans, metrics = InMemorySpanExporter(), Kept()
    export(source, Translator(Resource({"service.name": "assent"}), sampler, "1.0"), spans, metrics)
    return spans.get_finished_spans(), metrics.got


def test_a_request_becomes_two_spans_of_the_caller_s_trace() -> None:
    (server, inner), _ = through(ExportBatch([request()]))
    assert {each.context.trace_id for each in (server, inner) if each.context} == {int(TRACE, 16)}
    assert server.context is not None
    assert server.parent is not None
    assert inner.parent is not None
    assert (server.parent.span_id, server.parent.is_remote) == (int(CALLER, 16), True)
    assert (inner.parent.span_id, inner.parent.is_remote) == (server.context.span_id, False)
    assert (server.kind, inner.kind) == (SpanKind.SERVER, SpanKind.INTERNAL)
    assert (server.start_time, server.end_time, inner.start_time, inner.end_time) == (10, 40, 20, 30)
    assert server.attributes == {"http.response.status_code": 200}
    assert inner.attributes == {"assent.decision": "block", "error.type": "blocked"}
    assert [(each.name, each.timestamp, dict(each.attributes or {})) for each in inner.events] == [
        ("gen_ai.evaluation.result", 30, {"gen_ai.evaluation.score.label": "block"})
    ]
    assert [each.context.span_id for each in inner.links] == [int("6" * 16, 16)]
    assert server.resource.attributes["service.name"] == "assent"
    assert inner.status.status_code is StatusCode.UNSET, "policies did their work"


def test_a_failure_of_the_service_is_an_error() -> None:
    (server, _), _ = through(ExportBatch([request(error="500")]))
    assert server.status.status_code is StatusCode.ERROR
    assert (server.attributes or {})["error.type"] == "500"


@pytest.mark.parametrize(
    ("sampled", "root", "kept"),
    [(True, 0.0, True), (False, 1.0, False), (None, 1.0, True), (None, 0.0, False)],
)
def test_the_sampler_keeps_all_of_a_request_or_nothing(sampled: bool | None, root: float, kept: bool) -> None:
    spans, _ = through(ExportBatch([request(sampled)]), sampler=ParentBased(TraceIdRatioBased(root)))
    assert len(spans) == (2 if kept else 0)


def test_many_frames_are_read_to_the_end() -> None:
    spans, _ = through(ExportBatch([request()] * 3), ExportBatch([]), ExportBatch([request()]))
    assert len(spans) == 8


@pytest.mark.parametrize("cut", [1, 3, 4, 5, 60])
def test_a_service_that_is_killed_while_it_writes_ends_the_exporter(cut: int) -> None:
    whole = msgspec.msgpack.encode(ExportBatch([request()]))
    source = io.BytesIO((len(whole).to_bytes(4, "big") + whole)[:cut])
    spans = InMemorySpanExporter()
    export(source, Translator(Resource({}), DEFAULT_ON, "1.0"), spans, Kept())
    assert spans.get_finished_spans() == ()


def test_counters_gauges_and_histograms_arrive_as_what_they_are() -> None:
    meters = Meters(())
    meters.decided("block")
    meters.decided("block")
    meters.waiting.set(3)
    for seconds in (0.0004, 0.002, 0.002, 99.0):
        meters.guard_seconds.observe(seconds)
    _, got = through(ExportBatch([], taken(meters.registry), 5, 9))
    scope = got[0].resource_metrics[0].scope_metrics[0]
    found = {metric.name: metric for metric in scope.metrics}
    decisions: Any = found["assent.guard.decisions"].data
    assert {point.attributes["decision"]: point.value for point in decisions.data_points} == {
        "allow": 0, "warn": 0, "require_approval": 0, "block": 2,
    }  # fmt: skip
    assert decisions.is_monotonic
    assert {(point.start_time_unix_nano, point.time_unix_nano) for point in decisions.data_points} == {(5, 9)}
    waiting: Any = found["assent.approvals.waiting"].data
    assert [point.value for point in waiting.data_points] == [3]
    guard = found["assent.guard.duration"]
    assert guard.unit == "s"
    histogram: Any = guard.data
    (point,) = histogram.data_points
    assert (point.count, round(point.sum, 4)) == (4, 99.0044)
    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
    assert (point.bucket_counts[0], point.bucket_counts[2], point.bucket_counts[-1]) == (1, 2, 1)


def test_metrics_without_a_name_in_opentelemetry_are_left_out() -> None:
    registry = CollectorRegistry()
    Histogram("another_seconds", "Not ours.", registry=registry)
    assert taken(registry) == []


def test_every_metric_of_ours_has_a_name_in_opentelemetry() -> None:
    names = {family.name for family in Meters(()).registry.collect() if not family.name.startswith("process_")}
    assert {metric.name for metric in taken(Meters(()).registry)} == {name for name, _ in _otel(names)}


def test_so_has_every_metric_of_a_replica() -> None:
    registry = CollectorRegistry()
    ReplicaMeters(registry, Standing(), lambda: ["run:er_1", "heads"])
    assert {family.name for family in registry.collect()} == set(OF_REPLICAS)
    found = {metric.name: metric for metric in taken(registry)}
    assert set(found) == {name for name, _ in OF_REPLICAS.values()}
    held = {point.labels["lease"]: point.value for point in found["assent.leases.held"].points}
    assert held == {kind: float(kind in ("run", "heads")) for kind in KINDS}


def _otel(names: set[str]) -> list[tuple[str, str]]:
    from assent_service.telemetry.meters import NAMES

    assert names == set(NAMES)
    return list(NAMES.values())


def test_a_metric_crosses_the_pipe_unchanged() -> None:
    metric = MetricSample("m", "words", "s", "histogram", [], [0.1, 0.2])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(metric), type=MetricSample) == metric
