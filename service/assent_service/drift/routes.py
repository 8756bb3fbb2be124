"""Drift over HTTP."""

from __future__ import annotations

from assent.contract.drift import (
    ACKNOWLEDGE_DRIFT_ALERT,
    COMPARE_DRIFT,
    DELETE_DRIFT_ALERT,
    DETECT_DRIFT,
    GET_DRIFT_METRICS,
    GET_DRIFT_SNAPSHOTS,
    GET_DRIFT_STATS,
    LIST_DRIFT_ALERTS,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.drift.drift import Drift


def routes(drift: Drift) -> tuple[Route, ...]:
    return (*_of_alerts(drift), *_of_windows(drift))


def _of_alerts(drift: Drift) -> tuple[Route, ...]:
    @route(LIST_DRIFT_ALERTS)
    async def list_all(call: Call) -> Answer:
        return Answer(await drift.page(call.principal, call.query))

    @route(ACKNOWLEDGE_DRIFT_ALERT)
    async def acknowledge(call: Call) -> Answer:
        return Answer(await drift.acknowledge(call.principal, call.path["alert_id"]))

    @route(DELETE_DRIFT_ALERT)
    async def delete(call: Call) -> Answer:
        return Answer(await drift.delete(call.principal, call.path["alert_id"]))

    @route(GET_DRIFT_STATS)
    async def stats(call: Call) -> Answer:
        return Answer(await drift.stats(call.principal, call.query))

    return list_all, acknowledge, delete, stats


def _of_windows(drift: Drift) -> tuple[Route, ...]:
    @route(DETECT_DRIFT)
    async def detect(call: Call) -> Answer:
        return Answer(await drift.detect(call.principal, call.body))

    @route(GET_DRIFT_METRICS)
    async def metrics(call: Call) -> Answer:
        return Answer(drift.metrics())

    @route(GET_DRIFT_SNAPSHOTS)
    async def snapshots(call: Call) -> Answer:
        return Answer(await drift.snapshots(call.principal, call.query))

    @route(COMPARE_DRIFT)
    async def compare(call: Call) -> Answer:
        return Answer(await drift.compare(call.principal, call.query))

    return detect, metrics, snapshots, compare
