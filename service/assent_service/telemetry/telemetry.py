"""Telemetry put together: what is on decides, once, what is put around the service. Nothing is, where all is off."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter, time_ns
from typing import TYPE_CHECKING, Any, Protocol

from litestar.types import ASGIApp

from assent.contract.control.actions import APPROVE_ACTION, CREATE_ACTION, UPDATE_OUTCOME, WITHDRAW_ACTION
from assent.contract.control.claims import CLAIM_ACTION
from assent.contract.control.guard import GUARD
from assent.contract.control.outcomes import REPORT_OUTCOME
from assent_service.base.problem import Refusal
from assent_service.base.trail import Behind
from assent_service.core.call import Answer, AnyCall
from assent_service.core.express import Watching
from assent_service.core.principal import Authenticate
from assent_service.core.route import Route
from assent_service.store.files import FILES, Files
from assent_service.store.ledger import Ledger
from assent_service.telemetry import governance_spans
from assent_service.telemetry.access_log import AccessLog, name_request
from assent_service.telemetry.configuration import Otel
from assent_service.telemetry.meters import Meters, TimedFiles, taken
from assent_service.telemetry.meters import metrics as metrics_route
from assent_service.telemetry.observed_request import (
    CURRENT,
    METHODS,
    OTHER,
    Governed,
    ObservedExchange,
    ObservedRequest,
    ObservedRoute,
    Step,
    noting,
)
from assent_service.telemetry.replica_meters import ReplicaMeters
from assent_service.telemetry.shipper import Shipper
from assent_service.telemetry.trace import parent_of
from assent_service.telemetry.tracing import Tracing

if TYPE_CHECKING:
    from assent_service.store.postgresql.replica_log import Replica

OFF, OPEN = "off", "open"

log = logging.getLogger("assent.telemetry")

Read = Callable[[AnyCall, Any], governance_spans.GovernanceSpan]
READERS: dict[str, Read] = {
    GUARD.operation: governance_spans.guarded,
    CREATE_ACTION.operation: governance_spans.created,
    APPROVE_ACTION.operation: governance_spans.approved,
    WITHDRAW_ACTION.operation: governance_spans.withdrawn,
    CLAIM_ACTION.operation: governance_spans.claimed,
    UPDATE_OUTCOME.operation: governance_spans.updated,
    REPORT_OUTCOME.operation: governance_spans.reported,
}
"""The operations that govern, and how their answers are read."""


class TelemetrySettings(Protocol):
    """What telemetry needs of the service's settings."""

    @property
    def metrics(self) -> str: ...
    @property
    def access_log(self) -> str: ...


@dataclass(frozen=True)
class Gauges:
    """What is looked at when somebody reads the metrics, from any thread."""

    waiting: Callable[[], int]
    tables: Callable[[], Behind]
    drift: Callable[[], Behind]
    readers: Callable[[], int]


class Telemetry:
    """Each part is None where it is off."""

    def __init__(
        self,
        meters: Meters | None,
        tracing: Tracing | None,
        shipper: Shipper | None,
        access: AccessLog | None,
        exposed: str,
    ) -> None:
        self._meters, self._tracing, self._shipper, self._access = meters, tracing, shipper, access
        self._exposed = exposed
        self._begin, self._end = self._steps()

    @property
    def files(self) -> Files:
        """The file system for the log."""
        return FILES if self._meters is None else TimedFiles(self._meters)

    def routes(self, first: Callable[[], str | None]) -> list[Route]:
        """`/metrics`, where it is served; `first` gives the id of the service's first organization."""
        if self._meters is None or self._exposed == OFF:
            return []
        return [metrics_route(self._meters, open_to_all=self._exposed == OPEN, first=first)]

    def follow(self, ledger: Ledger, gauges: Gauges) -> None:
        if self._meters is not None:
            ledger.listen(self._meters.events)
            self._meters.waiting.set_function(gauges.waiting)
            self._meters.follow("tables", gauges.tables)
            self._meters.follow("drift", gauges.drift)
            self._meters.readers.set_function(gauges.readers)

    def follow_replica(self, ledger: Ledger, replica: Replica) -> None:
        """What only a service has that shares its log."""
        if self._meters is not None:
            meters = ReplicaMeters(self._meters.registry, replica.standing, replica.shared.held)
            replica.standing.observer, ledger.reruns = meters, meters.rerun

    def authenticating(self, authenticate: Authenticate) -> Authenticate:
        return noting(authenticate) if self._tracing or self._access else authenticate

    def watch(self, app: ASGIApp, path: str | None, methods: frozenset[str]) -> ASGIApp:
        """What serves `path`, watched; `path` is None for what serves every path that is not there."""
        if not self._end:
            return app
        echo = self._access is not None
        return ObservedRoute(app, path or OTHER, methods or METHODS, begin=self._begin, end=self._end, echo=echo)

    def reading(self, route: Route) -> Route:
        """`route`, whose answers are read where it governs."""
        read = READERS.get(route.endpoint.operation)
        if read is None:
            return route
        if self._meters is not None and route.endpoint.operation == GUARD.operation:
            route = _timed(route, self._meters)
        return route if self._tracing is None else _traced(route, read, self._tracing)

    def watching(self, route: Route) -> Watching | None:
        """Who observes the exchanges of a route, with the same steps; None where nothing is to be told."""
        if not self._end:
            return None
        endpoint, echo = route.endpoint, self._access is not None
        return partial(
            ObservedExchange,
            endpoint.method,
            endpoint.path,
            begin=self._begin,
            governed=self._governed(endpoint.operation),
            end=self._end,
            echo=echo,
        )

    def _governed(self, operation: str) -> Governed:
        """What `reading` puts around a handler, for an exchange that has ended."""
        read = READERS[operation]
        meters = self._meters if operation == GUARD.operation else None
        tracing = self._tracing

        def governed(observed: ObservedRequest, call: AnyCall, ended: Any) -> None:
            if meters is not None and not isinstance(ended, Exception):
                meters.guard_seconds.observe(observed.elapsed / 1e9)
            if tracing is not None and (isinstance(ended, Refusal) or not isinstance(ended, Exception)):
                _tell(tracing, operation, read, observed, call, ended, observed.began)

        return governed

    def start(self) -> None:
        if self._access is not None:
            self._access.start()
        if self._shipper is not None:
            self._shipper.start()

    async def stop(self) -> None:
        """Each part takes its seconds at the same time, none of them the event loop's."""
        parts = [part.stop for part in (self._shipper, self._access) if part is not None]
        await asyncio.gather(*map(asyncio.to_thread, parts))

    def _steps(self) -> tuple[list[Step], list[Step]]:
        begin: list[Step] = []
        end: list[Step] = []
        if self._tracing is not None:
            begin.append(self._tracing.begin)
            end.append(self._tracing.end)
        if self._meters is not None:
            end.append(self._meters.request)
        if self._access is not None:
            begin += [name_request] if self._tracing is not None else [name_request, _name_trace]
            end.append(self._access.write)
        return begin, end


def _timed(route: Route, meters: Meters) -> Route:
    handler = route.handler

    async def timed(call: AnyCall, **path: str) -> Any:
        began = perf_counter()
        answer = await handler(call, **path)
        meters.guard_seconds.observe(perf_counter() - began)
        return answer

    return replace(route, handler=timed)


def _traced(route: Route, read: Read, tracing: Tracing) -> Route:
    handler, operation = route.handler, route.endpoint.operation

    async def traced(call: AnyCall, **path: str) -> Any:
        began, observed = time_ns(), CURRENT.get(None)
        try:
            answer = await handler(call, **path)
        except Refusal as refusal:
            _tell(tracing, operation, read, observed, call, refusal, began)
            raise
        _tell(tracing, operation, read, observed, call, answer.content if isinstance(answer, Answer) else answer, began)
        return answer

    return replace(route, handler=traced)


def _tell(
    tracing: Tracing,
    operation: str,
    read: Read,
    observed: ObservedRequest | None,
    call: AnyCall,
    ended: Any,
    began: int,
) -> None:
    """A span of what was answered or refused."""
    try:
        governed = governance_spans.blocked(call, ended) if isinstance(ended, Refusal) else read(call, ended)
        if governed is not None and observed is not None:
            tracing.governed(observed, governed, began)
    except Exception:
        # What was done is recorded: the caller gets its answer, whatever cannot be told of it.
        log.exception("no span could be made of %s", operation)


def _name_trace(observed: ObservedRequest) -> None:
    observed.parent = parent_of(observed.headers)


def open_telemetry(settings: TelemetrySettings, otel: Otel | None, streams: frozenset[str]) -> Telemetry:
    """What the settings and the environment ask for; `streams` are the paths of endless answers. Raises OSError for an
    access log that cannot be opened."""
    export_metrics = otel is not None and otel.metrics
    meters = Meters(streams) if settings.metrics != OFF or export_metrics else None
    shipper = None
    if otel is not None:
        counted = Meters(streams) if meters is None else meters
        measure = (lambda: taken(counted.registry)) if otel.metrics else None
        shipper = Shipper(counted.dropped.inc, measure, otel.interval)
    tracing = Tracing(shipper.send) if shipper is not None and otel is not None and otel.traces else None
    access = None if settings.access_log == OFF else AccessLog(settings.access_log)
    return Telemetry(meters, tracing, shipper, access, settings.metrics)
