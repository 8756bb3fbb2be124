"""What the service handed over, as OpenTelemetry's own objects. Only the exporter's process loads this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.metrics.export import Metric as OtelMetric
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.sampling import Decision, Sampler
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from assent_service.telemetry.spans import ExportBatch, MetricSample, Request, Span

SCHEMA = "https://opentelemetry.io/schemas/1.41.0"
KEPT = Decision.RECORD_AND_SAMPLE
_SAMPLED, _NOT_SAMPLED = TraceFlags(TraceFlags.SAMPLED), TraceFlags(TraceFlags.DEFAULT)
_UNSET, _NO_PARENT = Status(StatusCode.UNSET), Context()


class _OneResource(Resource):
    """OpenTelemetry asks for the hash with every span, and works it out from its JSON each time: a quarter of what
    sending a span costs."""

    def __init__(self, resource: Resource) -> None:
        super().__init__(resource.attributes, resource.schema_url)
        self._known = super().__hash__()

    def __hash__(self) -> int:
        return self._known

    def __eq__(self, other: object) -> bool:
        return self is other or super().__eq__(other)


class Translator:
    """Speaks for the service named by `resource`."""

    def __init__(self, resource: Resource, sampler: Sampler, version: str) -> None:
        self._resource, self._sampler = _OneResource(resource), sampler
        self._scope = InstrumentationScope("assent", version, SCHEMA)

    def spans(self, requests: Sequence[Request]) -> Iterator[ReadableSpan]:
        """Those that the sampler keeps; all of a request or none."""
        for request in requests:
            trace_id = int(request.trace_id, 16)
            if self._is_sampled(request, trace_id):
                for span in request.spans:
                    yield self._span(span, trace_id)

    def metrics(self, frame: ExportBatch) -> MetricsData:
        """Cumulative, from when the service was started."""
        found = [_metric(metric, frame.since, frame.time) for metric in frame.metrics]
        scoped = ScopeMetrics(self._scope, found, SCHEMA)
        return MetricsData([ResourceMetrics(self._resource, [scoped], SCHEMA)])

    def _is_sampled(self, request: Request, trace_id: int) -> bool:
        first = request.spans[0]
        context = _NO_PARENT
        if request.sampled is not None and first.parent_id is not None:
            flags = _SAMPLED if request.sampled else _NOT_SAMPLED
            caller = SpanContext(trace_id, int(first.parent_id, 16), is_remote=True, trace_flags=flags)
            context = set_span_in_context(NonRecordingSpan(caller), _NO_PARENT)
        said = self._sampler.should_sample(context, trace_id, first.name, SpanKind.SERVER, first.attributes)
        return said.decision is KEPT

    def _span(self, span: Span, trace_id: int) -> ReadableSpan:
        parent = None
        if span.parent_id is not None:
            parent = SpanContext(trace_id, int(span.parent_id, 16), is_remote=span.server, trace_flags=_SAMPLED)
        event, link = span.event, span.link
        attributes = span.attributes if span.error is None else {**span.attributes, "error.type": span.error}
        # That policies stopped an action is no failure of the service.
        failed = span.server and span.error is not None
        return ReadableSpan(
            name=span.name,
            context=SpanContext(trace_id, int(span.span_id, 16), is_remote=False, trace_flags=_SAMPLED),
            parent=parent,
            resource=self._resource,
            attributes=attributes,
            events=() if event is None else (Event(event.name, event.attributes, event.time),),
            links=() if link is None else (Link(_linked(link.trace_id, link.span_id)),),
            kind=SpanKind.SERVER if span.server else SpanKind.INTERNAL,
            instrumentation_scope=self._scope,
            status=Status(StatusCode.ERROR) if failed else _UNSET,
            start_time=span.start,
            end_time=span.end,
        )


def _linked(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=_SAMPLED)


def _metric(metric: MetricSample, since: int, now: int) -> OtelMetric:
    cumulative = AggregationTemporality.CUMULATIVE
    data: Sum | Gauge | Histogram
    if metric.kind == "histogram":
        data = Histogram(
            [
                HistogramDataPoint(
                    attributes=point.labels,
                    start_time_unix_nano=since,
                    time_unix_nano=now,
                    count=sum(point.buckets),
                    sum=point.total,
                    bucket_counts=point.buckets,
                    explicit_bounds=metric.bounds,
                    # Extremes are not kept.
                    min=float("inf"),
                    max=float("-inf"),
                )
                for point in metric.points
            ],
            cumulative,
        )
    else:
        points = [NumberDataPoint(each.labels, since, now, each.value) for each in metric.points]
        data = Sum(points, cumulative, is_monotonic=True) if metric.kind == "counter" else Gauge(points)
    return OtelMetric(metric.name, metric.description, metric.unit, data)
