"""A stream's past, whether days of the week differ in it, and with what of it a cluster is compared.

1. A cluster's score is its rank among all clusters as a normal value, or for shares the value less its share, in
   standard deviations. With each week that a stream is old, the sum of squares of scores between the days of the week
   (UTC) says whether these differ: from `DIFFER` on. Where clusters are exchangeable it is about chi-square of 6
   degrees of freedom (scores of ranks in place of values: B. L. van der Waerden, "Order tests for the two-sample
   problem", Indagationes Mathematicae 14 (1952), 453-458); dependence makes it larger.
2. While they do not differ, and in the first week, a cluster is compared with all clusters. When it is found that they
   do, days are kept apart from then on, until a later look finds that they do not. If there were more than `DENSE`
   clusters a day, a cluster is compared with those of the same day of the week. Of fewer, single days cannot tell much:
   it is then compared with those from Monday to Friday, or with those of weekends.
3. In the first week, from six hours after its beginning on, nobody knows a stream's rhythm. A cluster is moved towards
   the median by what a rhythm may do, three standard deviations, and what does not reach as far has the rank 1/2.
   Standard deviation and median are those of the quartiles at every eighth cluster of the first two days, and then at
   the first of each day, so that a change does not move them before it is seen.
"""

from __future__ import annotations

import msgspec

from assent_analytics.detector.bets import Reference

DIFFER = 12.0
DENSE = 6
"""Clusters a day, above which days of the week are told apart one by one."""
EVERY, FIRST_DAYS = 8, 2
"""When the quartiles are looked at."""
_REACH = 3 / 1.349
"""Three standard deviations of normal values in distances between their quartiles."""
_HOUR = 3_600_000_000
_SITTING, _DAY, _WEEK = 6 * _HOUR, 24 * _HOUR, 168 * _HOUR
_THURSDAY, _SATURDAY = 3, 5
"""1970 began on a Thursday; Monday is 0."""


class Part(msgspec.Struct, frozen=True, array_like=True):
    """A reference: its arrays."""

    cells: bytes
    counts: bytes


class Past(msgspec.Struct, frozen=True, array_like=True):
    """Everything that a `Rhythm` knows. The first cluster came at `began` (microseconds), `today` of them on the last
    day, `day` (since 1970), and there were `days` with clusters. `scores` are the sum of each weekday's and then how
    many they are. There were `looks`; the references of `apart` days are none where these do not differ. What a rhythm
    may do is `reach` around `middle`, in cells."""

    whole: Part
    apart: list[Part]
    scores: list[float]
    began: int
    day: int
    today: int
    days: int
    looks: int
    middle: int
    reach: int


NOTHING = Past(Part(b"", b""), [], [0.0] * 14, 0, -1, 0, 0, 0, 0, 0)


class Rhythm:
    """Clusters in their order: `arrive`, then what is asked of the one that arrived, then `add` its cell and score."""

    __slots__ = (
        "_apart",
        "_began",
        "_day",
        "_days",
        "_looks",
        "_middle",
        "_reach",
        "_scores",
        "_today",
        "age",
        "whole",
    )

    def __init__(self, past: Past = NOTHING) -> None:
        self._began, self._day, self._today, self._days = past.began, past.day, past.today, past.days
        self._looks, self._middle, self._reach = past.looks, past.middle, past.reach
        self._scores = list(past.scores)
        self._apart = [Reference(each.cells, each.counts) for each in past.apart]
        self.whole = Reference(past.whole.cells, past.whole.counts)
        """All clusters."""
        self.age = 0
        """Microseconds from the first cluster to the one that arrived."""

    def past(self) -> Past:
        return Past(
            whole=_part(self.whole),
            apart=[_part(each) for each in self._apart],
            scores=list(self._scores),
            began=self._began,
            day=self._day,
            today=self._today,
            days=self._days,
            looks=self._looks,
            middle=self._middle,
            reach=self._reach,
        )

    def arrive(self, at: int) -> None:
        """A cluster that began `at` (microseconds)."""
        if not self._days:
            self._began = at
        day = at // _DAY
        if day != self._day:
            self._day, self._today, self._days = day, 0, self._days + 1
        self.age = at - self._began
        looks = self.age // _WEEK
        if looks > self._looks:
            self._looks = looks
            if self.between() < DIFFER:
                self._apart = []
            elif not self._apart:
                self._apart = [Reference() for _ in range(7)]

    def between(self) -> float:
        """The sum of squares of rule 1."""
        sums, counts = self._scores[:7], self._scores[7:]
        mean = sum(sums) / max(1.0, sum(counts))
        return sum((each - n * mean) ** 2 / n for each, n in zip(sums, counts, strict=True) if n)

    def alike(self) -> list[Reference] | None:
        """What it is compared with by rule 2; None where that is the whole."""
        if not self._apart or self.age < _WEEK:
            return None
        weekday = self._weekday()
        if self.whole.n - self._today > DENSE * (self._days - 1):
            return [self._apart[weekday]]
        return self._apart[:_SATURDAY] if weekday < _SATURDAY else self._apart[_SATURDAY:]

    def unknown(self) -> bool:
        """Whether it is in the time of rule 3."""
        return _SITTING <= self.age < _WEEK

    def beyond(self, cell: int) -> float:
        """Its rank by rule 3, between 0 and 1."""
        over = cell - self._middle
        if abs(over) <= self._reach:
            return 0.5
        less, equal = self.whole.around(cell - self._reach if over > 0 else cell + self._reach)
        u = (less + (equal + 1) / 2) / (self.whole.n + 1)
        return max(0.5, u) if over > 0 else min(0.5, u)

    def add(self, cell: int, score: float) -> None:
        weekday, whole = self._weekday(), self.whole
        self._scores[weekday] += score
        self._scores[7 + weekday] += 1
        if self._apart:
            self._apart[weekday].add(cell)
        whole.add(cell)
        self._today += 1
        if self.age < _WEEK and (whole.n % EVERY == 0 if self._days <= FIRST_DAYS else self._today == 1):
            self._middle = whole.quantile(0.5)
            self._reach = round(_REACH * (whole.quantile(0.75) - whole.quantile(0.25)))

    def _weekday(self) -> int:
        return (self._day + _THURSDAY) % 7


def _part(reference: Reference) -> Part:
    return Part(reference.cells.tobytes(), reference.counts.tobytes())
