"""Drift: alerts of streams that changed, and windows compared."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
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
    DriftSeverity,
    DriftStep,
)
from assent.contract.control.guard import Source


class DriftOperations(Caller):
    @sends(LIST_DRIFT_ALERTS)
    def list_drift_alerts(
        self,
        *,
        agent_id: str | None = None,
        action_type: str | None = None,
        metric: str | None = None,
        severity: DriftSeverity | str | None = None,
        acknowledged: bool | None = None,
        source: Source | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        established: bool | None = None,
    ) -> Response:
        """A page of drift alerts, the newest first: what is `established`, hints, or both. `limit` is 1 to 200."""

    @sends(DETECT_DRIFT)
    def detect_drift(
        self,
        agent_id: str | None = None,
        window_days: int | None = None,
        *,
        lookback_days: int | None = None,
        action: DriftStep | str | None = None,
    ) -> Response:
        """Compare the last `window_days` (7) with the days before, back to `lookback_days` (30). Nothing is stored.

        `action` asks for something else: `compute_baselines` for what the last `lookback_days` were like,
        `record_snapshots` for what today is like. Raises InvalidRequest for a window that leaves no baseline.
        """

    @sends(GET_DRIFT_ALERT)
    def get_drift_alert(self, alert_id: str) -> Response:
        """One drift alert. Raises NotFound."""

    @sends(ACKNOWLEDGE_DRIFT_ALERT)
    def acknowledge_drift_alert(self, alert_id: str) -> Response:
        """Take note of an alert: guard and lessons no longer warn of it. Raises NotFound."""

    @sends(DELETE_DRIFT_ALERT)
    def delete_drift_alert(self, alert_id: str) -> Response:
        """Remove an alert from the list; the evidence keeps it. Raises NotFound."""

    @sends(GET_DRIFT_STATS)
    def get_drift_stats(self, agent_id: str | None = None) -> Response:
        """How many alerts there are, by severity, metric and agent, and how many streams are watched."""

    @sends(GET_DRIFT_METRICS)
    def get_drift_metrics(self) -> Response:
        """The metrics that are watched and compared, with their units."""

    @sends(GET_DRIFT_SNAPSHOTS)
    def get_drift_snapshots(
        self,
        *,
        agent_id: str | None = None,
        action_type: str | None = None,
        metric: str | None = None,
        window: str | None = None,
        source: Source | str | None = None,
        limit: int | None = None,
    ) -> Response:
        """What each metric of each agent was like day by day (UTC): n, mean with its interval, standard deviation.
        `window` is as 90d; `limit` counts days of each agent and metric, 1 to 200."""

    @sends(COMPARE_DRIFT)
    def compare_drift(
        self,
        baseline: str | None = None,
        recent: str | None = None,
        *,
        agent_id: str | None = None,
        action_type: str | None = None,
        metric: str | None = None,
        source: Source | str | None = None,
        limit: int | None = None,
    ) -> Response:
        """The last `recent` (7d) against the days before it, back to `baseline` (30d), for every agent, action type and
        metric: what drifted comes first. `limit` is 1 to 1000 rows. Raises InvalidRequest for windows that leave no
        baseline."""
