"""What each agent's last 30 days look like, per action type: kept by the events, asked on every guard call.

Actions count on the UTC day they happened, a blocked attempt does not count. `last_hour` is exact to the minute.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assent_service.core.clock import DAY, MINUTE
from assent_service.guard.risk import History

DAYS = 30
MINUTES = 60


@dataclass(slots=True)
class DayCount:
    total: int = 0
    failed: int = 0
    risk: float = 0.0


@dataclass(slots=True)
class Track:
    """One agent and action type: counts by day and by minute, and the last summary while it holds."""

    days: dict[int, DayCount] = field(default_factory=dict)
    minutes: dict[int, int] = field(default_factory=dict)
    _summary: History | None = None
    _minute: int = -1

    def add(self, at: int, *, total: int, failed: int, risk: float) -> None:
        """Change the counts of the moment `at` (microseconds); negative numbers take back."""
        day = self.days.setdefault(at // DAY, DayCount())
        day.total += total
        day.failed += failed
        day.risk += risk
        if total:
            minute = at // MINUTE
            self.minutes[minute] = self.minutes.get(minute, 0) + total
        self._summary = None

    def summary(self, now: int) -> History:
        minute = now // MINUTE
        if self._summary is None or self._minute != minute:
            self._prune(now)
            self._summary, self._minute = self._sum(now), minute
        return self._summary

    def _sum(self, now: int) -> History:
        today, minute = now // DAY, now // MINUTE
        counted = [count for day, count in self.days.items() if today - DAYS < day <= today]
        total = sum(count.total for count in counted)
        return History(
            total=total,
            failed=sum(count.failed for count in counted),
            mean_risk=sum(count.risk for count in counted) / total if total else None,
            last_hour=sum(number for at, number in self.minutes.items() if minute - MINUTES < at <= minute),
        )

    def _prune(self, now: int) -> None:
        oldest_day, oldest_minute = now // DAY - DAYS, now // MINUTE - MINUTES
        if len(self.days) > DAYS:
            self.days = {day: count for day, count in self.days.items() if day > oldest_day}
        if len(self.minutes) > MINUTES:
            self.minutes = {at: number for at, number in self.minutes.items() if at > oldest_minute}


NO_HISTORY = History()


class Histories:
    """The tracks of every organization."""

    def __init__(self) -> None:
        self._tracks: dict[tuple[str, str | None, str], Track] = {}

    def of(self, org_id: str, agent_id: str | None, action_type: str, now: int) -> History:
        track = self._tracks.get((org_id, agent_id, action_type))
        return NO_HISTORY if track is None else track.summary(now)

    def track(self, org_id: str, agent_id: str | None, action_type: str) -> Track:
        return self._tracks.setdefault((org_id, agent_id, action_type), Track())

    def snapshot(self, now: int) -> dict[tuple[str, str | None, str], History]:
        """Everything that is not empty, to compare two memories."""
        summaries = {key: track.summary(now) for key, track in self._tracks.items()}
        return {key: summary for key, summary in summaries.items() if summary.total}
