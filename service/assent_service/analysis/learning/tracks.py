"""How one agent's episodes of one action type went: what guard says back under `learning`. Pure counts.

- An episode counts on the UTC day it ended, for 90 days. The *baseline* is the mean score of all of them, *recent* that
  of the ten of them that ended last: an agent that did nothing for so long has no recent ones.
- Feedback counts on the day it was given, for as long.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from assent_service.base.clock import DAY

DAYS = 90
RECENT = 10
TRACK, EACH_DAY = 2_500, 200
"""Bytes, as tracemalloc counts them; a track holds its ten newest episodes."""


class EndedEpisode(NamedTuple):
    """An episode: when it ended (microseconds) and its score, 0 to 100."""

    at: int
    action_id: str
    score: int


@dataclass(slots=True)
class Day:
    """Episodes and the sum of their scores; what was thought of the agent. `number` counts from 1970-01-01."""

    number: int
    n: int = 0
    total: int = 0
    positive: int = 0
    negative: int = 0


class Sums(NamedTuple):
    """Of the last 90 days; `recent` is of the newest ten."""

    n: int
    total: int
    recent: tuple[int, ...]
    positive: int
    negative: int


@dataclass(slots=True)
class LearningTrack:
    """`patterns` are sentences about what went well, made from the tables now and then."""

    days: dict[int, Day] = field(default_factory=dict)
    recent: list[EndedEpisode] = field(default_factory=list)
    patterns: tuple[str, ...] = ()
    _sums: Sums | None = None
    _today: int = -1

    @property
    def size(self) -> int:
        """Bytes, about."""
        return TRACK + EACH_DAY * len(self.days) + sum(map(len, self.patterns))

    def add(self, ended: EndedEpisode) -> None:
        day = self._day(ended.at)
        day.n += 1
        day.total += ended.score
        insort(self.recent, ended)
        del self.recent[:-RECENT]

    def rate(self, at: int, *, positive: int = 0, negative: int = 0) -> None:
        """Count feedback given at `at`; negative numbers take back."""
        day = self._day(at)
        day.positive += positive
        day.negative += negative

    def replace(self, since: int, days: Iterable[Day], recent: Iterable[EndedEpisode]) -> None:
        """Put these in place of everything from `since` on, the beginning of a day. `recent` are the episodes that
        ended last."""
        self._sums = None
        for day in self.days.values():
            if day.number * DAY >= since:
                day.n = day.total = day.positive = day.negative = 0
        for read in days:
            day = self._day(read.number * DAY)
            day.n, day.total = day.n + read.n, day.total + read.total
            day.positive, day.negative = day.positive + read.positive, day.negative + read.negative
        self.recent = sorted([*(each for each in self.recent if each.at < since), *recent])[-RECENT:]

    def sums(self, now: int) -> Sums:
        today = now // DAY
        if self._sums is None or self._today != today:
            self.days = {number: day for number, day in self.days.items() if number > today - DAYS}
            self._sums, self._today = self._sum((today - DAYS + 1) * DAY), today
        return self._sums

    def _sum(self, since: int) -> Sums:
        held = self.days.values()
        return Sums(
            n=sum(day.n for day in held),
            total=sum(day.total for day in held),
            recent=tuple(each.score for each in self.recent if each.at >= since),
            positive=sum(day.positive for day in held),
            negative=sum(day.negative for day in held),
        )

    def _day(self, at: int) -> Day:
        self._sums = None
        number = at // DAY
        return self.days.setdefault(number, Day(number))
