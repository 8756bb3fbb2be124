"""Telemetry put together: what is on decides, once, what is put around the service. Nothing is, where all is off."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter, time_ns
from typing import Any, Protocol

from litestar.types import ASGIApp

from assent.contract.actions import APPROVE_ACTION, CREATE_ACTION, UPDATE_OUTCOME
from assent.contract.claims import CLAIM_ACTION
from assent.contract.guard import GUARD
from assent.contract.outcomes import REPORT_OUTCOME
from assent_service.core.call import Answer, Call
from assent_service.core.principal import Authenticate
from assent_service.core.problem import Refusal
from assent_service.core.route import Route
from assent_service.core.stream import ByteStream, EventStream
from assent_service.store.files import FILES, Files
from assent_service.store.ledger import Ledger
from assent_service.telemetry import deeds
from assent_service.telemetry.access_log import AccessLog, name_request
from assent_service.telemetry.configuration import Otel
from assent_service.telemetry.exposition import metrics as metrics_route
from assent_service.telemetry.log_times import TimedFiles
from assent_service.telemetry.meters import Meters
from assent_service.telemetry.series import taken
from assent_service.telemetry.shipper import Shipper
from assent_service.telemetry.trace import parent_of
from assent_service.telemetry.tracing import Tracing
from assent_service.telemetry.visit import CURRENT, METHODS, OTHER, Step, Visit, Watched, noting

OFF, OPEN = "off", "open"

log = logging.getLogger("assent.telemetry")

Read = Callable[[Call, Any], deeds.Deed]
READERS: dict[str, Read] = {
    GUARD.operation: deeds.guarded,
    CREATE_ACTION.operation: deeds.created,
    APPROVE_ACTION.operation: deeds.approved,
    CLAIM_ACTION.operation: deeds.claimed,
    UPDATE_OUTCOME.operation: deeds.updated,
    REPORT_OUTCOME.operation: deeds.reported,
}
"""The operations that govern, and how their answers are read."""


class Settings(Protocol):
    """What telemetry needs of the service's settings."""

    @property
    def metrics(self) -> str: ...
    @property
    def access_log(self) -> str: ...


@dataclass(frozen=True)
class Gauges:
    """What is looked at when somebody reads the metrics, from any thread."""

    waiting: Callable[[], int]
    behind: Callable[[], int]
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
            self._meters.behind.set_function(gauges.behind)
            self._meters.readers.set_function(gauges.readers)

    def authenticating(self, authenticate: Authenticate) -> Authenticate:
        return noting(authenticate) if self._tracing or self._access else authenticate

    def around(self, app: ASGIApp, path: str | None, methods: frozenset[str]) -> ASGIApp:
        """What serves `path`, watched; `path` is None for what serves every path that is not there."""
        if not self._end:
            return app
        echo = self._access is not None
        return Watched(app, path or OTHER, methods or METHODS, begin=self._begin, end=self._end, echo=echo)

    def reading(self, route: Route) -> Route:
        """`route`, whose answers are read where it governs."""
        read = READERS.get(route.endpoint.operation)
        if read is None:
            return route
        if self._meters is not None and route.endpoint.operation == GUARD.operation:
            route = _timed(route, self._meters)
        return route if self._tracing is None else _told(route, read, self._tracing)

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

    async def timed(call: Call) -> Answer | EventStream | ByteStream:
        began = perf_counter()
        answer = await handler(call)
        meters.guard_seconds.observe(perf_counter() - began)
        return answer

    return replace(route, handler=timed)


def _told(route: Route, read: Read, tracing: Tracing) -> Route:
    handler = route.handler

    def tell(call: Call, ended: Answer | Refusal, began: int) -> None:
        try:
            deed = deeds.blocked(call, ended) if isinstance(ended, Refusal) else read(call, ended.content)
            visit = CURRENT.get(None)
            if deed is not None and visit is not None:
                tracing.deed(visit, deed, began)
        except Exception:
            # What was done is recorded: the caller gets its answer, whatever cannot be told of it.
            log.exception("no span could be made of %s", route.endpoint.operation)

    async def told(call: Call) -> Answer | EventStream | ByteStream:
        began = time_ns()
        try:
            answer = await handler(call)
        except Refusal as refusal:
            tell(call, refusal, began)
            raise
        if isinstance(answer, Answer):
            tell(call, answer, began)
        return answer

    return replace(route, handler=told)


def _name_trace(visit: Visit) -> None:
    visit.parent = parent_of(visit.headers)


def open_telemetry(settings: Settings, otel: Otel | None, streams: frozenset[str]) -> Telemetry:
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
