"""Drift: the alerts that the follower raised, and comparisons made when they are asked for."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path

import msgspec

from assent.contract.analysis.drift import (
    ACKNOWLEDGE_DRIFT_ALERT,
    COMPARE_DRIFT,
    DELETE_DRIFT_ALERT,
    DETECT_DRIFT,
    GET_DRIFT_ALERT,
    GET_DRIFT_METRICS,
    GET_DRIFT_SNAPSHOTS,
    GET_DRIFT_STATS,
    LIST_DRIFT_ALERTS,
    DeletedDriftAlert,
    DetectDrift,
    DetectedDrift,
    DriftAlert,
    DriftAlerts,
    DriftAlertsQuery,
    DriftComparison,
    DriftComparisonQuery,
    DriftMetric,
    DriftMetrics,
    DriftSnapshots,
    DriftSnapshotsQuery,
    DriftStats,
    DriftStatsQuery,
    DriftStep,
)
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent.contract.window import days_of
from assent_analytics.detector import ALPHA
from assent_analytics.drift import METRICS, PUBLISHED
from assent_analytics.episodes import WEIGHTS, Weights
from assent_service.analysis.drift.comparison import RowScope, WindowReader, back, metric_of
from assent_service.analysis.drift.facts import GRIDS
from assent_service.analysis.drift.follower import Follower
from assent_service.analysis.drift.state import DRIFT_ALERTS, DriftState
from assent_service.analysis.drift.streams import Streams
from assent_service.base.clock import Clock, microseconds, moment
from assent_service.base.pace import MakeThrottle
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.moments import window_of
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filters, find_row, list_rows, of_caller
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

DRIFT_ALERT_FENCE = Fence("drift_alert", "alert_id")
SHOWN = 200
"""Rows of a comparison that `detect_drift` answers with."""
KEPT = "deleted_at IS NULL"
ALERT_FILTERS = Filters(DRIFT_ALERTS, DriftAlertsQuery, {"metric": None})
STATS_FILTERS = Filters(DRIFT_ALERTS, DriftStatsQuery)


class Drift:
    """The drift of every organization. `home` is the data folder, `weights` are those of an episode's score, `alpha` is
    the probability of a false alert of a stream."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        home: Path,
        make_throttle: MakeThrottle,
        *,
        weights: Weights | None = None,
        alpha: float = ALPHA,
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = DriftState()
        self._alpha = alpha
        streams = Streams(weights or WEIGHTS, alpha)
        self.follower = Follower(ledger, clock, locks, home, self.state, streams, make_throttle)
        self._windows = WindowReader(ledger, weights or WEIGHTS)

    async def page(self, principal: Principal, query: DriftAlertsQuery) -> DriftAlerts:
        """Raises `invalid_query` for a cursor that is none and for a metric that there is not."""
        chosen = of_caller(principal)
        chosen.add_all(KEPT, [])
        metric = metric_of(query.metric, mean=True)
        chosen.add("metric = ?", metric and metric[0])
        ALERT_FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, DRIFT_ALERTS, DriftAlert, chosen, query)
        return DriftAlerts(alerts=page.rows, total=page.total, next_cursor=page.next_cursor)

    async def get(self, principal: Principal, alert_id: str) -> DriftAlert:
        """Raises `drift_alert_not_found`, also for one of an agent that the caller does not see."""
        return await self._find(principal, alert_id)

    async def acknowledge(self, principal: Principal, alert_id: str) -> DriftAlert:
        """One that was acknowledged before stays as it is. Raises `drift_alert_not_found`."""
        async with self._locks.hold(DRIFT_ALERT_FENCE.of(principal.org_id, alert_id)):
            before = await self._find(principal, alert_id)
            if before.acknowledged:
                return before
            at = moment(self._after(before))
            after = msgspec.structs.replace(
                before, acknowledged=True, acknowledged_by=principal.key_id, acknowledged_at=at, updated_at=at
            )
            await self._record(after, principal)
            return after

    async def delete(self, principal: Principal, alert_id: str) -> DeletedDriftAlert:
        """Raises `drift_alert_not_found`, also for one that was removed before."""
        async with self._locks.hold(DRIFT_ALERT_FENCE.of(principal.org_id, alert_id)):
            before = await self._find(principal, alert_id)
            at = moment(self._after(before))
            await self._record(msgspec.structs.replace(before, deleted_at=at, updated_at=at), principal)
            return DeletedDriftAlert(deleted=True, id=alert_id)

    async def stats(self, principal: Principal, query: DriftStatsQuery) -> DriftStats:
        chosen = of_caller(principal)
        chosen.add_all(KEPT, [])
        STATS_FILTERS.narrow(chosen, query)
        rows = await self._ledger.read(
            "SELECT severity, metric, agent_id, acknowledged, source = 'simulated', count(*), max(created_at), "
            "count(*) FILTER (established AND NOT acknowledged) "
            f"FROM drift_alerts WHERE {chosen.where} GROUP BY ALL ORDER BY ALL",
            chosen.parameters,
        )
        severities, metrics, agents = Counter[str](), Counter[str](), Counter[str]()
        unacknowledged = simulated = sure = 0
        newest: int | None = None
        for severity, metric, agent_id, acknowledged, made_up, count, at, established in rows:
            n = int(str(count))
            sure += int(str(established))
            assert isinstance(at, datetime)
            newest = max(newest or 0, microseconds(at))
            severities[str(severity)] += n
            metrics[str(metric)] += n
            if agent_id is not None:
                agents[str(agent_id)] += n
            unacknowledged += 0 if acknowledged else n
            simulated += n if made_up else 0
        return DriftStats(
            total=severities.total(),
            unacknowledged=unacknowledged,
            simulated=simulated,
            by_severity=dict(severities),
            by_metric=dict(metrics),
            by_agent=dict(agents),
            newest_at=None if newest is None else moment(newest),
            streams=self.follower.streams.number_of(principal.org_id),
            caught_up=self.follower.caught_up(),
            false_alarms=self._alpha,
            established=sure,
        )

    def metrics(self) -> DriftMetrics:
        """What is compared, and which of it is watched."""
        names = {ours: published for published, ours in PUBLISHED.items()}
        return DriftMetrics(
            metrics=[
                DriftMetric(
                    name=each.name,
                    published=names.get(each.name),
                    kind=each.kind,
                    unit=each.unit,
                    worse=each.worse,
                    meaning=each.meaning,
                    watched=each.name in GRIDS,
                )
                for each in METRICS.values()
            ]
        )

    async def snapshots(self, principal: Principal, query: DriftSnapshotsQuery) -> DriftSnapshots:
        """Raises `invalid_query` for a window that is none and for a metric without a mean."""
        window = window_of(query.window, self._clock())
        metrics = metric_of(query.metric, mean=True)
        asked = RowScope(principal, window.since, window.until, query.agent_id, query.action_type, query.source)
        found = await self._windows.snapshots(asked, metrics, daily=True, limit=query.limit)
        return DriftSnapshots(since=window.since, until=window.until, snapshots=found)

    async def compare(self, principal: Principal, query: DriftComparisonQuery) -> DriftComparison:
        """Raises `invalid_query` for windows that are none or leave no baseline, and for an unknown metric."""
        now = self._clock()
        whole, recent = window_of(query.baseline, now), window_of(query.recent, now)
        _check_windows(days_of(query.baseline), days_of(query.recent), Code.INVALID_QUERY)
        metrics = metric_of(query.metric)
        asked = RowScope(principal, whole.since, whole.until, query.agent_id, query.action_type, query.source)
        return await self._windows.compare(asked, recent.since, metrics, query.limit)

    async def detect(self, principal: Principal, said: DetectDrift) -> DetectedDrift:
        """Raises `invalid_body` for windows that leave no baseline."""
        until = moment(self._clock())
        asked = RowScope(principal, back(until, said.lookback_days), until, said.agent_id)
        found = DetectedDrift(
            action=said.action, alerts=self._open(principal, said.agent_id), comparison=None, baselines=[], snapshots=[]
        )
        if said.action is DriftStep.COMPUTE_BASELINES:
            baselines = await self._windows.snapshots(asked, None, daily=False, limit=1)
            return msgspec.structs.replace(found, baselines=baselines)
        if said.action is DriftStep.RECORD_SNAPSHOTS:
            midnight = until.replace(hour=0, minute=0, second=0, microsecond=0)
            of_today = RowScope(principal, midnight, until, said.agent_id)
            shown = await self._windows.snapshots(of_today, None, daily=True, limit=1)
            return msgspec.structs.replace(found, snapshots=shown)
        _check_windows(said.lookback_days, said.window_days, Code.INVALID_BODY)
        compared = await self._windows.compare(asked, back(until, said.window_days), None, SHOWN)
        return msgspec.structs.replace(found, comparison=compared)

    def _open(self, principal: Principal, agent_id: str | None) -> list[DriftAlert]:
        found = self.state.unacknowledged(principal.org_id, agent_id)
        return [alert for alert in found if principal.sees(alert.agent_id)][:SHOWN]

    async def _find(self, principal: Principal, alert_id: str) -> DriftAlert:
        found = await find_row(self._ledger, DRIFT_ALERTS, DriftAlert, principal.org_id, alert_id)
        if found is None or found.deleted_at is not None or not principal.sees(found.agent_id):
            raise refuse(
                Code.DRIFT_ALERT_NOT_FOUND, f"There is no drift alert {alert_id[:128]!r} in this organization."
            )
        return found

    def _after(self, before: DriftAlert) -> int:
        # A clock that was set back must not make a change older than what it changes.
        return max(self._clock(), microseconds(before.updated_at))

    async def _record(self, alert: DriftAlert, principal: Principal) -> None:
        await self._ledger.append(
            Draft(
                org=alert.org_id,
                type=EventName.DRIFT_ALERT_UPDATED.value,
                ts=microseconds(alert.updated_at),
                subject=alert.id,
                actor=principal.key_id,
                data=encode(alert),
            )
        )


def _check_windows(baseline: int, recent: int, code: Code) -> None:
    if recent >= baseline:
        place = "recent" if code is Code.INVALID_QUERY else "window_days"
        other = "baseline" if code is Code.INVALID_QUERY else "lookback_days"
        raise refuse(
            code,
            f"{place} is {recent} days and {other} {baseline}; both reach back from now, so give a longer {other}.",
            FieldError(place=place, message=f"has to be shorter than {other}"),
        )


def routes(drift: Drift) -> tuple[Route, ...]:
    return (*_of_alerts(drift), *_of_windows(drift))


def _of_alerts(drift: Drift) -> tuple[Route, ...]:
    @serves(LIST_DRIFT_ALERTS)
    async def list_all(call: Call[None, DriftAlertsQuery]) -> DriftAlerts:
        return await drift.page(call.principal, call.query)

    @serves(GET_DRIFT_ALERT)
    async def get(call: Call[None, None], alert_id: str) -> DriftAlert:
        return await drift.get(call.principal, alert_id)

    @serves(ACKNOWLEDGE_DRIFT_ALERT, holds=(DRIFT_ALERT_FENCE,))
    async def acknowledge(call: Call[None, None], alert_id: str) -> DriftAlert:
        return await drift.acknowledge(call.principal, alert_id)

    @serves(DELETE_DRIFT_ALERT, holds=(DRIFT_ALERT_FENCE,))
    async def delete(call: Call[None, None], alert_id: str) -> DeletedDriftAlert:
        return await drift.delete(call.principal, alert_id)

    @serves(GET_DRIFT_STATS)
    async def stats(call: Call[None, DriftStatsQuery]) -> DriftStats:
        return await drift.stats(call.principal, call.query)

    return list_all, get, acknowledge, delete, stats


def _of_windows(drift: Drift) -> tuple[Route, ...]:
    @serves(DETECT_DRIFT, unfenced=NEW_ID)
    async def detect(call: Call[DetectDrift, None]) -> DetectedDrift:
        return await drift.detect(call.principal, call.body)

    @serves(GET_DRIFT_METRICS)
    async def metrics(call: Call[None, None]) -> DriftMetrics:
        return drift.metrics()

    @serves(GET_DRIFT_SNAPSHOTS)
    async def snapshots(call: Call[None, DriftSnapshotsQuery]) -> DriftSnapshots:
        return await drift.snapshots(call.principal, call.query)

    @serves(COMPARE_DRIFT)
    async def compare(call: Call[None, DriftComparisonQuery]) -> DriftComparison:
        return await drift.compare(call.principal, call.query)

    return detect, metrics, snapshots, compare
