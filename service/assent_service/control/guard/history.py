"""What each agent's last 30 days look like, per action type: kept by the events, asked on every guard call.

Actions count on the UTC day they happened, a blocked attempt does not count. `last_hour` is exact to the minute. Every
spelling of an agent and a type is one name here (`assent.contract.names`).

Whoever writes names the agent and the type, so there may be any number of them. Those that were asked for or acted
longest ago are forgotten once they no longer fit into their budget. From then on one that is not here is unknown, not
new: it is counted in the tables before guard decides (`Recall`), and is here again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from assent.contract.names import comparable
from assent_service.base.clock import DAY, MINUTE
from assent_service.base.memory import DEFAULT, MemoryBudget, Newest
from assent_service.control.guard.risk import RiskHistory

DAYS = 30
MINUTES = 60
TRACK, EACH_DAY, EACH_MINUTE = 750, 150, 100
"""Bytes, as tracemalloc counts them."""

Key = tuple[str, str | None, str]
"""Organization, agent and action type."""


@dataclass(slots=True)
class DayCount:
    total: int = 0
    failed: int = 0
    risk: float = 0.0


@dataclass(slots=True)
class RiskTrack:
    """One agent and action type: counts by day and by minute, and the last summary while it holds."""

    days: dict[int, DayCount] = field(default_factory=dict)
    minutes: dict[int, int] = field(default_factory=dict)
    _summary: RiskHistory | None = None
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

    def load_day(self, day: int, count: DayCount) -> None:
        known = self.days.setdefault(day, DayCount())
        known.total += count.total
        known.failed += count.failed
        known.risk += count.risk

    def load_minute(self, minute: int, number: int) -> None:
        self.minutes[minute] = self.minutes.get(minute, 0) + number

    @property
    def size(self) -> int:
        """Bytes, about."""
        return TRACK + EACH_DAY * len(self.days) + EACH_MINUTE * len(self.minutes)

    def summary(self, now: int) -> RiskHistory:
        minute = now // MINUTE
        if self._summary is None or self._minute != minute:
            self._prune(now)
            self._summary, self._minute = self._sum(now), minute
        return self._summary

    def _sum(self, now: int) -> RiskHistory:
        today, minute = now // DAY, now // MINUTE
        counted = [count for day, count in self.days.items() if today - DAYS < day <= today]
        total = sum(count.total for count in counted)
        return RiskHistory(
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


NO_HISTORY = RiskHistory()


class Recall(NamedTuple):
    """That a history is being counted in the tables: `version` tells whether it has changed meanwhile."""

    key: Key
    version: int


class Histories:
    """The tracks of every organization, as far as they fit."""

    def __init__(self, memory: MemoryBudget = DEFAULT) -> None:
        self._tracks: Newest[Key, RiskTrack] = Newest(budget=memory.of("histories"))
        self._recalls: dict[Key, list[int]] = {}
        """Readers and version of what is being counted in the tables."""

    def of(self, org_id: str, agent_id: str | None, action_type: str, now: int) -> RiskHistory | None:
        """None when it may be in the tables only."""
        track = self._tracks.touch(name_of(org_id, agent_id, action_type))
        if track is not None:
            return track.summary(now)
        return None if self._tracks.forgotten else NO_HISTORY

    def add(self, key: Key, at: int, *, total: int, failed: int, risk: float) -> None:
        """Change the counts of the moment `at`. One that is in the tables only has been changed there."""
        track = self._counted(key)
        if track is None:
            if key in self._recalls:
                self._recalls[key][1] += 1
            return
        before = track.size
        track.add(at, total=total, failed=failed, risk=risk)
        if track.size != before:
            self._tracks.grow(key, track.size - before)

    def load_day(self, key: Key, day: int, count: DayCount) -> None:
        """What the tables have of a UTC day, numbered from 1970-01-01, under one spelling of the names."""
        track = self._counted(key)
        if track is not None:
            before = track.size
            track.load_day(day, count)
            self._tracks.grow(key, track.size - before)

    def load_minute(self, key: Key, minute: int, number: int) -> None:
        """What the tables have of a minute, numbered likewise."""
        track = self._counted(key)
        if track is not None:
            before = track.size
            track.load_minute(minute, number)
            self._tracks.grow(key, track.size - before)

    def recall(self, key: Key) -> Recall:
        """To be said before the tables are asked; `recalled` or `give_up` follows in any case."""
        found = self._recalls.setdefault(key, [0, 0])
        found[0] += 1
        return Recall(key, found[1])

    def recalled(self, recall: Recall, track: RiskTrack) -> bool:
        """Whether `track` is what the tables have, and is here from now on; otherwise they have to be asked again."""
        holds = self._recalls[recall.key][1] == recall.version
        self.give_up(recall)
        if holds and recall.key not in self._tracks:
            self._tracks.put(recall.key, track, track.size)
        return holds

    def give_up(self, recall: Recall) -> None:
        found = self._recalls[recall.key]
        found[0] -= 1
        if not found[0]:
            del self._recalls[recall.key]

    def snapshot(self, now: int) -> dict[Key, RiskHistory]:
        """Everything that is not empty, to compare two memories."""
        summaries = {key: track.summary(now) for key, track in self._tracks.items()}
        return {key: summary for key, summary in summaries.items() if summary.total}

    def _counted(self, key: Key) -> RiskTrack | None:
        """The track to count on; none where it may be in the tables only."""
        track = self._tracks.touch(key)
        if track is None and not self._tracks.forgotten:
            track = RiskTrack()
            self._tracks.put(key, track, track.size)
        return track


def name_of(org_id: str, agent_id: str | None, action_type: str) -> Key:
    """The key of an agent's and a type's spelling."""
    return org_id, None if agent_id is None else comparable(agent_id), comparable(action_type)
