"""An alarm as an alert: its id, its severity, and what it says. Pure.

- The id is made of the stream, of which of its detectors it was and of the event that raised it, so whoever reads the
  log again finds the alert that was told.
- The severity is the size of the change, by the published bounds of |z|: warning from 2, critical from 3, else info;
  the published server calls nothing below 1.5 a drift, here an alarm is one whatever its size. An alarm without a size
  (numbers too large to reckon with) is a warning. That there is a change at all is for the detector to say, not for z.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from assent.contract.analysis.drift import DriftAlert, DriftDirection, DriftSeverity
from assent_analytics.detector import Alarm, EstablishedAlarm
from assent_service.analysis.drift.streams import Stream, StreamAlarm
from assent_service.base.clock import moment

CRITICAL, WARNING = 3.0, 2.0


def alert_of(found: StreamAlarm, now: int) -> DriftAlert:
    """The alert, as it is recorded at `now` (microseconds)."""
    stream, alarm = found.stream, found.alarm
    rests_on: dict[str, Any] = {}
    if isinstance(alarm, EstablishedAlarm):
        rests_on = {
            "clusters": alarm.clusters,
            "recent_clusters": alarm.recent_clusters,
            "n_effective": alarm.n_effective,
            "basis": alarm.basis,
            "change_earliest_at": moment(alarm.change_low),
            "change_latest_at": moment(alarm.change_high),
        }
    return DriftAlert(
        id=id_of(found),
        established=found.established,
        org_id=stream.org_id,
        agent_id=stream.agent_id,
        action_type=stream.action_type,
        metric=stream.metric,
        severity=severity_of(alarm.z_score),
        direction=DriftDirection(alarm.direction.value),
        description=_described(stream, alarm),
        baseline_mean=alarm.baseline_mean,
        baseline_sd=alarm.baseline_sd,
        baseline_n=alarm.baseline_n,
        recent_mean=alarm.recent_mean,
        recent_n=alarm.recent_n,
        z_score=alarm.z_score,
        n=alarm.n,
        e_value=alarm.e_value,
        threshold=alarm.threshold,
        change_estimated_at=moment(alarm.change_at),
        detected_at=moment(alarm.at),
        acknowledged=False,
        acknowledged_by=None,
        acknowledged_at=None,
        deleted_at=None,
        source=found.source,
        raised_n=found.n,
        created_at=moment(now),
        updated_at=moment(now),
        **rests_on,
    )


def id_of(found: StreamAlarm) -> str:
    which = "established:" if found.established else ""
    return "da_" + blake2b(f"{which}{found.n}:{found.stream.key}".encode(), digest_size=16).hexdigest()


def severity_of(z_score: float | None) -> DriftSeverity:
    size = WARNING if z_score is None else abs(z_score)
    if size >= CRITICAL:
        return DriftSeverity.CRITICAL
    return DriftSeverity.WARNING if size >= WARNING else DriftSeverity.INFO


def _described(stream: Stream, alarm: Alarm) -> str:
    who = stream.agent_id or "an agent without a name"
    went = {"up": "went up", "down": "went down", "changed": "spreads otherwise"}[alarm.direction.value]
    means = f"mean {_number(alarm.baseline_mean)} before, {_number(alarm.recent_mean)} since"
    made_up = " (simulated)" if stream.simulated else ""
    at = moment(alarm.change_at).strftime("%Y-%m-%d %H:%M")
    return f"{stream.metric} of {who} on {stream.action_type} {went}{made_up} about {at} UTC: {means}"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"
