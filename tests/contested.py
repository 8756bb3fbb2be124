"""A log in the place of the one of files that says of what it is asked to record that it was overtaken, as if other
processes recorded beside this one. What overtakes it is an event of an organization that is nowhere else, recorded at
that moment and handed over with the others.

It keeps the fences as well, and holds every condition against them: what this process moved by itself overtakes, too,
where it should.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from assent_service.store.conditions import Condition
from assent_service.store.event import Draft, Event
from assent_service.store.log import Log, OpenLog, Submission, WriteResult

ELSEWHERE = "org_elsewhere"
Overtakes = Callable[[Submission], "bool | Draft"]
"""Whether a submission is overtaken; by which event, where that matters."""


def never(_: Submission) -> bool:
    """Nobody else records anything."""
    return False


def always(_: Submission) -> bool:
    """Others are faster each time."""
    return True


class WhileThereIs:
    """Everything is overtaken while `file` is there."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __call__(self, submission: Submission) -> bool:
        return self._file.exists()


class EveryOther:
    """The first submission of each kind is overtaken, the second is not, and so on: whatever is tried is overtaken
    once. A kind is the fences that it rests on, and what it records."""

    def __init__(self) -> None:
        self._seen: Counter[object] = Counter()

    def __call__(self, submission: Submission) -> bool:
        names = tuple(each.name.partition(":")[0] for each in submission.conditions)
        kind = (names, tuple(each.type for each in submission.drafts))
        self._seen[kind] += 1
        return self._seen[kind] % 2 == 1


class ContestedLog(Log):
    """`overtakes` is asked about each submission that has conditions; it is called in the writer's thread."""

    overtakes: Overtakes = staticmethod(never)

    def __init__(self, *words: Any, **named: Any) -> None:
        self.fences: dict[str, tuple[int, bool]] = {}
        """The last event that moved a name, and whether it was this process's."""
        self.overtaken: list[Submission] = []
        super().__init__(*words, **named)

    def _write(self, submissions: list[Submission]) -> WriteResult:
        head = self._durable.head
        numbers, fences = itertools.count(head + 1), dict(self.fences)
        order: list[tuple[int | None, Submission]] = []
        overtaken: dict[int, int] = {}
        for index, submission in enumerate(submissions):
            by = self.overtakes(submission) if submission.conditions else False
            if by:
                order.append((None, Submission((by if isinstance(by, Draft) else _foreign(submission),))))
                fences[submission.conditions[0].name] = (next(numbers), False)
            moved = [seq for each in submission.conditions if (seq := _moved(each, fences)) is not None]
            if moved:
                overtaken[index] = max(moved)
                continue
            order.append((index, submission))
            seqs = [next(numbers) for _ in submission.drafts]
            fences |= dict.fromkeys(submission.moves, (seqs[-1], True))
        result = super()._write([each for _, each in order]) if order else WriteResult([], [], None)
        if result.error is not None:
            return WriteResult(submissions, [[] for _ in submissions], result.error)
        self.fences = fences
        self.overtaken += [submissions[index] for index in overtaken]
        events: list[list[Event]] = [[] for _ in submissions]
        foreign: list[Event] = []
        for (at, _), recorded in zip(order, result.events, strict=True):
            if at is None:
                foreign += recorded
            else:
                events[at] = recorded
        return WriteResult(submissions, events, None, overtaken, foreign)


def contested(overtakes: Overtakes) -> OpenLog:
    """Opens such a log."""
    made = type("ContestedLog", (ContestedLog,), {"overtakes": staticmethod(overtakes)})
    return partial(_opened, made)


def _opened(made: type[ContestedLog], home: Any, **named: Any) -> ContestedLog:
    return made.open(home, **named)


def _moved(condition: Condition, fences: Mapping[str, tuple[int, bool]]) -> int | None:
    seq, own = fences.get(condition.name, (0, False))
    return None if seq <= condition.after or (own and condition.own) else seq


def _foreign(submission: Submission) -> Draft:
    first = submission.drafts[0]
    return Draft(ELSEWHERE, "replica.moved", first.ts, "replica", "replica", b"{}")
