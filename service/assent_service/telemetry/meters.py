"""The metrics that operators watch: one set of numbers, read by Prometheus (`/metrics`) and by OpenTelemetry alike.

Labels come from fixed sets: routes, methods, classes of statuses, verdicts, states. What somebody sends is never one,
so the number of series has a bound that depends on the API alone; a path or method that is not of the API counts as
`other`. They begin at zero with each start, as Prometheus expects.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Iterable, Sequence
from time import perf_counter

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.samples import Sample

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Source
from assent.contract.control.outcomes import OutcomeStatus
from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.roles import OPEN, Role
from assent_service.base.problem import refuse
from assent_service.base.trail import Behind
from assent_service.control.actions import CORRECTION, OUTCOME
from assent_service.core.call import Answer, Call
from assent_service.core.payload import decode
from assent_service.core.route import Route, serves
from assent_service.store.event import Event
from assent_service.store.files import Files
from assent_service.telemetry.observed_request import OTHER, ObservedRequest
from assent_service.telemetry.spans import MetricSample, Point

# Half a millisecond is a quiet guard; ten seconds is where the client gives up.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STATUSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
CLAIMED = "claimed"
GRANTED = "granted"
NAMES = {
    "assent_http_requests": ("assent.http.requests", "{request}"),
    "assent_http_request_seconds": ("assent.http.request.duration", "s"),
    "assent_guard_decisions": ("assent.guard.decisions", "{decision}"),
    "assent_guard_seconds": ("assent.guard.duration", "s"),
    "assent_approvals": ("assent.approvals", "{approval}"),
    "assent_approvals_waiting": ("assent.approvals.waiting", "{approval}"),
    "assent_outcomes": ("assent.outcomes", "{action}"),
    "assent_log_write_seconds": ("assent.log.write.duration", "s"),
    "assent_log_fsync_seconds": ("assent.log.fsync.duration", "s"),
    "assent_tables_behind_events": ("assent.tables.behind", "{event}"),
    "assent_tables_behind_seconds": ("assent.tables.behind.duration", "s"),
    "assent_drift_behind_events": ("assent.drift.behind", "{event}"),
    "assent_drift_behind_seconds": ("assent.drift.behind.duration", "s"),
    "assent_stream_readers": ("assent.stream.readers", "{reader}"),
    "assent_telemetry_dropped": ("assent.telemetry.dropped", "{request}"),
}
"""Every metric of ours with its name and unit in OpenTelemetry."""
OF_REPLICAS = {
    "assent_append_seconds": ("assent.append.duration", "s"),
    "assent_submissions": ("assent.submissions", "{submission}"),
    "assent_overtaken_requests": ("assent.overtaken.requests", "{run}"),
    "assent_replica_behind_events": ("assent.replica.behind", "{event}"),
    "assent_replica_behind_seconds": ("assent.replica.behind.duration", "s"),
    "assent_leases_held": ("assent.leases.held", "{lease}"),
    "assent_database_away": ("assent.database.away", "1"),
}
"""The same for those of a service that shares its log (`replica_meters`)."""
_NAMED = NAMES | OF_REPLICAS

_MOVES = {
    EventName.APPROVAL_REQUESTED.value: "requested",
    EventName.APPROVAL_DECIDED.value: "",
    EventName.APPROVAL_EXPIRED.value: ApprovalState.EXPIRED.value,
    EventName.APPROVAL_WITHDRAWN.value: ApprovalState.WITHDRAWN.value,
    EventName.APPROVAL_CLAIMED.value: CLAIMED,
    EventName.APPROVAL_GRANTED.value: GRANTED,
}


_REPORTS = frozenset({OUTCOME, CORRECTION})
"""Of the kinds of changes of an action, those that somebody reported; the others are approvals'."""


class _Verdict(msgspec.Struct):
    decision: Decision
    source: Source


class _Decided(msgspec.Struct):
    state: ApprovalState


class _Reported(msgspec.Struct):
    status: OutcomeStatus


class _Changed(msgspec.Struct):
    status: ActionStatus | None = None


class _Change(msgspec.Struct):
    kind: str
    changed: _Changed


class _Updated(msgspec.Struct):
    change: _Change


class Meters:
    """`unmeasured` are routes whose answers last as long as somebody listens; they are counted, not timed."""

    def __init__(self, unmeasured: Iterable[str]) -> None:
        # A second series for each, saying when it began, is not worth its place.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        self._unmeasured = frozenset(unmeasured)
        self._requests: dict[tuple[str, str, int], Counter] = {}
        self.requests = self._counter(
            "assent_http_requests", "Requests, by class of status.", "method", "route", "status"
        )
        seconds = self._histogram(
            "assent_http_request_seconds", "From the first byte of a request to the last of its answer.", "status"
        )
        self._seconds = {number: seconds.labels(name) for number, name in enumerate(STATUSES, 1)}
        decisions = self._counter("assent_guard_decisions", "What guard decided, live.", "decision")
        self._decisions = {each.value: decisions.labels(each.value) for each in Decision}
        self.guard_seconds = self._histogram(
            "assent_guard_seconds", "From a question that was read to its durable decision."
        )
        approvals = self._counter("assent_approvals", "Approvals, by what became of them.", "state")
        states = (
            "requested",
            CLAIMED,
            GRANTED,
            *(each.value for each in ApprovalState if each is not ApprovalState.AWAITING),
        )
        self._approvals = {each: approvals.labels(each) for each in states}
        outcomes = self._counter("assent_outcomes", "Reports of how actions came out, repeats not counted.", "status")
        statuses = dict.fromkeys([*(each.value for each in ActionStatus), *(each.value for each in OutcomeStatus)])
        self._outcomes = {each: outcomes.labels(each) for each in statuses}
        self.log_write = self._histogram("assent_log_write_seconds", "Writing a batch to the evidence log.")
        self.log_fsync = self._histogram("assent_log_fsync_seconds", "Making a batch of the evidence log durable.")
        self.waiting = self._gauge("assent_approvals_waiting", "Approvals that wait for somebody.")
        self._behind = {
            name: (
                self._gauge(f"assent_{name}_behind_events", f"How many events {words} behind the log."),
                self._gauge(f"assent_{name}_behind_seconds", f"Seconds that {words} behind the log."),
            )
            for name, words in (("tables", "the tables are"), ("drift", "the detectors of drift are"))
        }
        self.readers = self._gauge("assent_stream_readers", "Open readers of the live stream.")
        self.dropped = self._counter("assent_telemetry_dropped", "Requests whose spans the exporter had no room for.")
        ProcessCollector(registry=self.registry)

    def request(self, observed: ObservedRequest) -> None:
        """Count a request that has ended."""
        group = observed.status // 100
        key = (observed.method, observed.route, group)
        counter = self._requests.get(key)
        if counter is None:
            status = STATUSES[group - 1] if group in self._seconds else OTHER
            counter = self._requests[key] = self.requests.labels(observed.method, observed.route, status)
        counter.inc()
        timed = self._seconds.get(group)
        if timed is not None and observed.route not in self._unmeasured:
            timed.observe(observed.elapsed / 1e9)

    def decided(self, decision: str) -> None:
        self._decisions[decision].inc()

    def events(self, batch: Sequence[Event]) -> None:
        """Count what was recorded: a request that only repeats another one records nothing, and time decides on some
        approvals without any. What belongs together is in one batch."""
        reported: str | None = None
        for event in batch:
            if event.erased:
                continue
            if event.type == EventName.GUARD_DECISION_CREATED:
                verdict = decode(event, _Verdict)
                if verdict.source is Source.LIVE:
                    self.decided(verdict.decision)
            elif event.type == EventName.OUTCOME_CREATED:
                self._outcomes[decode(event, _Reported).status.value].inc()
                reported = event.action
            elif event.type == EventName.ACTION_UPDATED:
                # A durable outcome changes its action right behind it, which is no second report.
                if event.action != reported:
                    self._changed(decode(event, _Updated).change)
                reported = None
            elif (state := _MOVES.get(event.type)) is not None:
                self._approvals[state or decode(event, _Decided).state.value].inc()

    def _changed(self, change: _Change) -> None:
        if change.kind in _REPORTS and change.changed.status is not None:
            self._outcomes[change.changed.status.value].inc()

    def _counter(self, name: str, words: str, *labels: str) -> Counter:
        return Counter(name, words, labels, registry=self.registry)

    def _histogram(self, name: str, words: str, *labels: str) -> Histogram:
        return Histogram(name, words, labels, buckets=SECONDS, registry=self.registry)

    def follow(self, name: str, behind: Callable[[], Behind]) -> None:
        """Show how far the follower of this name is behind the log, whenever somebody reads the metrics."""
        events, seconds = self._behind[name]
        events.set_function(lambda: behind().events)
        seconds.set_function(lambda: behind().seconds)

    def _gauge(self, name: str, words: str) -> Gauge:
        return Gauge(name, words, registry=self.registry)


# The file operations of the evidence log, timed: put in the place of the plain ones when somebody measures.


class TimedFiles(Files):
    """The real file system, and how long its writes to the log and their way to the disk take."""

    def __init__(self, meters: Meters) -> None:
        self._write, self._fsync = meters.log_write.observe, meters.log_fsync.observe

    def write(self, fd: int, data: memoryview) -> int:
        began = perf_counter()
        try:
            return super().write(fd, data)
        finally:
            self._write(perf_counter() - began)

    def fdatasync(self, fd: int) -> None:
        began = perf_counter()
        try:
            super().fdatasync(fd)
        finally:
            self._fsync(perf_counter() - began)


# The numbers of a registry as they are handed to the exporter.


def taken(registry: CollectorRegistry) -> list[MetricSample]:
    """Every metric that has a name in OpenTelemetry, as it stands. Those of the process itself have none: whoever runs
    a collector has them from the machine."""
    return [_metric(family) for family in registry.collect() if family.name in _NAMED]


def _metric(family: Family) -> MetricSample:
    name, unit = _NAMED[family.name]
    if family.type != "histogram":
        points = [Point(dict(sample.labels), sample.value) for sample in family.samples]
        return MetricSample(name, family.documentation, unit, family.type, points)
    by_labels: dict[tuple[tuple[str, str], ...], list[Sample]] = {}
    for sample in family.samples:
        labels = tuple((key, value) for key, value in sample.labels.items() if key != "le")
        by_labels.setdefault(labels, []).append(sample)
    bounds: list[float] = []
    points = []
    for labels, samples in by_labels.items():
        under = [(float(each.labels["le"]), int(each.value)) for each in samples if each.name.endswith("_bucket")]
        bounds = [bound for bound, _ in under if not math.isinf(bound)]
        # Prometheus counts everything under each bound, OpenTelemetry what lies between two.
        counts = [count for _, count in under]
        buckets = [count - before for before, count in zip([0, *counts], counts, strict=False)]
        total = next(each.value for each in samples if each.name.endswith("_sum"))
        points.append(Point(dict(labels), 0.0, total, buckets))
    return MetricSample(name, family.documentation, unit, "histogram", points, bounds)


# `/metrics`, for Prometheus. A page of numbers and not an operation, so the contract does not have it.
#
# They count what all organizations do. So with the setting `metrics = "key"` it takes the key of an auditor or an admin
# of the service's first organization, and `open` is for a service that only the scraper can reach.


READERS = frozenset({Role.AUDITOR, Role.ADMIN})


def metrics(meters: Meters, *, open_to_all: bool, first: Callable[[], str | None]) -> Route:
    """`first` gives the id of the service's first organization."""
    endpoint = Endpoint(
        operation="metrics",
        method="GET",
        path="/metrics",
        summary="The service's numbers, as Prometheus reads them.",
        roles=OPEN if open_to_all else READERS,
        response=str,
        content="text/plain",
    )

    @serves(endpoint)
    async def answer(call: Call[None, None]) -> Answer[bytes]:
        if not open_to_all and call.principal.org_id != first():
            raise refuse(Code.FORBIDDEN, "The service's metrics take a key of its first organization.")
        try:
            encoder, media_type = choose_encoder(call.header("accept") or "")
        except (TypeError, ValueError):
            # A version that is no number; it is no reason to refuse, so the plain format is answered.
            encoder, media_type = choose_encoder("")
        # Making the text takes milliseconds, which guard need not wait for.
        return Answer(await asyncio.to_thread(encoder, meters.registry), media_type=media_type)

    return answer
