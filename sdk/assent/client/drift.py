"""Drift: alerts of streams that changed, and windows compared."""

from __future__ import annotations

from typing import TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.drift import (
    ACKNOWLEDGE_DRIFT_ALERT,
    COMPARE_DRIFT,
    DELETE_DRIFT_ALERT,
    DETECT_DRIFT,
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
    DriftMetrics,
    DriftSeverity,
    DriftSnapshots,
    DriftSnapshotsQuery,
    DriftStats,
    DriftStatsQuery,
    DriftStep,
)
from assent.contract.guard import Source


class DriftAlertFilters(TypedDict, total=False):
    """`limit` is 1 to 200."""

    agent_id: str | None
    action_type: str | None
    metric: str | None
    severity: DriftSeverity | str | None
    acknowledged: bool | None
    source: Source | str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class DriftSnapshotFilters(TypedDict, total=False):
    """`window` is as 90d; `limit` counts days of each agent and metric, 1 to 200."""

    agent_id: str | None
    action_type: str | None
    metric: str | None
    window: str | None
    source: Source | str | None
    limit: int | None


class DriftComparisonFilters(TypedDict, total=False):
    """`limit` is 1 to 1000 rows."""

    agent_id: str | None
    action_type: str | None
    metric: str | None
    source: Source | str | None
    limit: int | None


class DriftOperations(Caller):
    @operation
    def list_drift_alerts(self, **filters: Unpack[DriftAlertFilters]) -> Flow[DriftAlerts]:
        """A page of drift alerts, the newest first."""
        return (yield from send(LIST_DRIFT_ALERTS, query=members(DriftAlertsQuery, filters, "list_drift_alerts")))

    @operation
    def detect_drift(
        self,
        agent_id: str | None = None,
        window_days: int | None = None,
        *,
        lookback_days: int | None = None,
        action: DriftStep | str | None = None,
    ) -> Flow[DetectedDrift]:
        """Compare the last `window_days` (7) with the days before, back to `lookback_days` (30). Nothing is stored.

        `action` asks for something else: `compute_baselines` for what the last `lookback_days` were like,
        `record_snapshots` for what today is like. Raises InvalidRequest for a window that leaves no baseline.
        """
        given = {
            "agent_id": agent_id,
            "window_days": window_days,
            "lookback_days": lookback_days,
            "action": action,
        }
        return (yield from send(DETECT_DRIFT, body=members(DetectDrift, given, "detect_drift")))

    @operation
    def acknowledge_drift_alert(self, alert_id: str) -> Flow[DriftAlert]:
        """Take note of an alert: guard and lessons no longer warn of it. Raises NotFound."""
        return (yield from send(ACKNOWLEDGE_DRIFT_ALERT, path={"alert_id": alert_id}))

    @operation
    def delete_drift_alert(self, alert_id: str) -> Flow[DeletedDriftAlert]:
        """Remove an alert from the list; the evidence keeps it. Raises NotFound."""
        return (yield from send(DELETE_DRIFT_ALERT, path={"alert_id": alert_id}))

    @operation
    def get_drift_stats(self, agent_id: str | None = None) -> Flow[DriftStats]:
        """How many alerts there are, by severity, metric and agent, and how many streams are watched."""
        query = members(DriftStatsQuery, {"agent_id": agent_id}, "get_drift_stats")
        return (yield from send(GET_DRIFT_STATS, query=query))

    @operation
    def get_drift_metrics(self) -> Flow[DriftMetrics]:
        """The metrics that are watched and compared, with their units."""
        return (yield from send(GET_DRIFT_METRICS))

    @operation
    def get_drift_snapshots(self, **filters: Unpack[DriftSnapshotFilters]) -> Flow[DriftSnapshots]:
        """What each metric of each agent was like day by day (UTC): n, mean with its interval, standard deviation."""
        query = members(DriftSnapshotsQuery, filters, "get_drift_snapshots")
        return (yield from send(GET_DRIFT_SNAPSHOTS, query=query))

    @operation
    def compare_drift(
        self, baseline: str | None = None, recent: str | None = None, **filters: Unpack[DriftComparisonFilters]
    ) -> Flow[DriftComparison]:
        """The last `recent` (7d) against the days before it, back to `baseline` (30d), for every agent, action type
        and metric: what drifted comes first. Raises InvalidRequest for windows that leave no baseline."""
        given = {"baseline": baseline, "recent": recent, **filters}
        query = members(DriftComparisonQuery, given, "compare_drift")
        return (yield from send(COMPARE_DRIFT, query=query))
