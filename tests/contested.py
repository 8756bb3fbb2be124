"""A log of which what it is asked to record is overtaken, as if other processes recorded beside this one. What
overtakes it is an event of an organization that is nowhere else, recorded at that moment and handed over with the
others.

In the place of a log of files it says so by itself. It keeps the fences as well, and holds every condition against
them: what this process moved by itself overtakes, too, where it should. In the place of a log in a database another
writer appends to that database, and the database says what was overtaken.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import psycopg

from assent_service.store.conditions import Condition
from assent_service.store.event import Draft, Event
from assent_service.store.log import Log, OpenLog, Submission, WriteResult
from assent_service.store.postgresql import replica_log
from assent_service.store.postgresql.replica_log import Replica, ReplicaLog
from assent_service.store.postgresql.shared_log import SharedLog
from tests.backend import databases

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

    def moved_by(self, seq: int) -> set[str]:
        """The fences that this event moved last."""
        return {name for name, (moved, _) in self.fences.items() if moved == seq}

    def _write(self, submissions: list[Submission]) -> WriteResult:
        head = self._durable.head
        numbers, fences = itertools.count(head + 1), dict(self.fences)
        order: list[tuple[int | None, Submission]] = []
        overtaken: dict[int, int] = {}
        for index, submission in enumerate(submissions):
            by = _overtaking(self.overtakes, submission)
            if by is not None:
                order.append((None, Submission((by,))))
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


class ContestedReplicaLog(ReplicaLog):
    """The same with a log in a database."""

    overtakes: Overtakes = staticmethod(never)
    dsn: str
    rival: SharedLog
    overtaken: list[Submission]

    @classmethod
    def open_copy(cls, home: Path, replica: Replica, **named: Any) -> Self:
        dsn = os.environ.get("ASSENT_LOG") or databases.of(home)
        assert dsn is not None
        opened = super().open_copy(home, replica, **named)
        opened.dsn, opened.rival, opened.overtaken = dsn, SharedLog.open(dsn), []
        return opened

    def moved_by(self, seq: int) -> set[str]:
        """The fences that this event moved last."""
        with psycopg.connect(self.dsn) as connection:
            return {str(name) for (name,) in connection.execute("SELECT name FROM assent.fences WHERE seq = %s", [seq])}

    def close(self) -> None:
        super().close()
        self.rival.close()

    def _write(self, submissions: list[Submission]) -> WriteResult:
        for each in submissions:
            by = _overtaking(self.overtakes, each)
            if by is not None:
                self.rival.append([Submission((by,), moves=(each.conditions[0].name,))])
        result = super()._write(submissions)
        self.overtaken += [submissions[index] for index in result.overtaken]
        return result


@contextmanager
def contesting(overtakes: Overtakes | None) -> Iterator[OpenLog]:
    """What is built within with this log has one that is contested, wherever it is; None leaves it alone."""
    if overtakes is None:
        yield Log.open
        return
    made = type("ContestedReplicaLog", (ContestedReplicaLog,), {"overtakes": staticmethod(overtakes)})
    with patch.object(replica_log, "ReplicaLog", made):
        yield contested(overtakes)


def contested(overtakes: Overtakes) -> OpenLog:
    """Opens such a log of files."""
    made = type("ContestedLog", (ContestedLog,), {"overtakes": staticmethod(overtakes)})
    return partial(_opened, made)


def _opened(made: type[ContestedLog], home: Any, **named: Any) -> ContestedLog:
    return made.open(home, **named)


def _moved(condition: Condition, fences: Mapping[str, tuple[int, bool]]) -> int | None:
    seq, own = fences.get(condition.name, (0, False))
    return None if seq <= condition.after or (own and condition.own) else seq


def _overtaking(overtakes: Overtakes, submission: Submission) -> Draft | None:
    """The event that overtakes it."""
    by = overtakes(submission) if submission.conditions else False
    return by if isinstance(by, Draft) else _foreign(submission) if by else None


def _foreign(submission: Submission) -> Draft:
    first = submission.drafts[0]
    return Draft(ELSEWHERE, "replica.moved", first.ts, "replica", "replica", b"{}")
