"""The numbers that operators watch: one set of them, read by Prometheus and by OpenTelemetry alike.

Labels come from fixed sets: routes, methods, classes of statuses, verdicts, states. What somebody sends is never one,
so the number of series has a bound that depends on the API alone; a path or method that is not of the API counts as
`other`. They begin at zero with each start, as Prometheus expects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.process_collector import ProcessCollector

from assent.contract.actions import ActionStatus
from assent.contract.approvals import ApprovalState
from assent.contract.events import EventName
from assent.contract.guard import Decision, Source
from assent.contract.outcomes import OutcomeStatus
from assent_service.actions import CORRECTION, OUTCOME
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.telemetry.visit import OTHER, Visit

# Half a millisecond is a quiet guard; ten seconds is where the client gives up.
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
STATUSES = ("1xx", "2xx", "3xx", "4xx", "5xx")
CLAIMED = "claimed"
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
    "assent_stream_readers": ("assent.stream.readers", "{reader}"),
    "assent_telemetry_dropped": ("assent.telemetry.dropped", "{request}"),
}
"""Every metric of ours with its name and unit in OpenTelemetry."""

_MOVES = {
    EventName.APPROVAL_REQUESTED.value: "requested",
    EventName.APPROVAL_DECIDED.value: "",
    EventName.APPROVAL_EXPIRED.value: ApprovalState.EXPIRED.value,
    EventName.APPROVAL_CLAIMED.value: CLAIMED,
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
        states = ("requested", CLAIMED, *(each.value for each in ApprovalState if each is not ApprovalState.AWAITING))
        self._approvals = {each: approvals.labels(each) for each in states}
        outcomes = self._counter("assent_outcomes", "Reports of how actions came out, repeats not counted.", "status")
        statuses = dict.fromkeys([*(each.value for each in ActionStatus), *(each.value for each in OutcomeStatus)])
        self._outcomes = {each: outcomes.labels(each) for each in statuses}
        self.log_write = self._histogram("assent_log_write_seconds", "Writing a batch to the evidence log.")
        self.log_fsync = self._histogram("assent_log_fsync_seconds", "Making a batch of the evidence log durable.")
        self.waiting = self._gauge("assent_approvals_waiting", "Approvals that wait for somebody.")
        self.behind = self._gauge("assent_tables_behind_events", "How far the tables are behind the log.")
        self.readers = self._gauge("assent_stream_readers", "Open readers of the live stream.")
        self.dropped = self._counter("assent_telemetry_dropped", "Requests whose spans the exporter had no room for.")
        ProcessCollector(registry=self.registry)

    def request(self, visit: Visit) -> None:
        """Count a request that has ended."""
        group = visit.status // 100
        key = (visit.method, visit.route, group)
        counter = self._requests.get(key)
        if counter is None:
            status = STATUSES[group - 1] if group in self._seconds else OTHER
            counter = self._requests[key] = self.requests.labels(visit.method, visit.route, status)
        counter.inc()
        timed = self._seconds.get(group)
        if timed is not None and visit.route not in self._unmeasured:
            timed.observe(visit.elapsed / 1e9)

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

    def _gauge(self, name: str, words: str) -> Gauge:
        return Gauge(name, words, registry=self.registry)
