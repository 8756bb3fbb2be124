"""The work of one run: actions page by page from the tables, a few at a time through the scorer, scores as events.

It happens in a background thread, and neither the actions nor the scores are ever held all at once: a page
is as long as rows are short, and a step of it is recorded in one write before the next is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from assent.contract.analysis.evaluations import EvalRun, EvalScore
from assent.contract.control.guard import Source
from assent_service.analysis.evaluations.config import Config
from assent_service.analysis.evaluations.fields import KINDS, Skip, columns_of, fields_of
from assent_service.analysis.evaluations.judge import Judged, judge_of, paths_of
from assent_service.analysis.evaluations.scores import draft
from assent_service.base.clock import moment, new_id
from assent_service.core.carry import carry
from assent_service.core.rows import Filter
from assent_service.store.database import Row
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import ColumnKind

PAGE = 2_000
PAGE_BYTES = 64 << 20
"""What a page may hold at most, by the organization's largest event: metadata may have megabytes."""
STEP = 250
"""Actions that are judged between two looks at guard, and whose scores are recorded in one write."""

_OWN = ("action_id", "created_at", "agent_id", "action_type", "source")


@dataclass(frozen=True)
class RunStep:
    """What came of a few actions: events to record, their scores added up, and how many got none, by reason."""

    drafts: list[Draft]
    total: float
    skipped: Counter[str]


class RunWork:
    """`chosen` are the run's actions, of which it looks at no more than its `total_actions`."""

    def __init__(self, ledger: Ledger, run: EvalRun, config: Config, chosen: Filter) -> None:
        self._ledger, self._run, self._chosen = ledger, run, chosen
        self._judge = judge_of(config)
        self._columns = columns_of(paths_of(config))
        self._left = run.total_actions
        self._last: tuple[object, object] | None = None
        self._given_up = False

    def give_up(self) -> None:
        """Have a thread that judges leave off after the action that it is at: a slow pattern over long texts can take
        seconds for each, and whoever stops the service waits for that thread."""
        self._given_up = True

    def page(self) -> list[Row]:
        """The next rows, the newest first; none when the run is through."""
        asked = self._chosen.copy()
        if self._last is not None:
            asked.add_all("(created_at, action_id) < (?, ?)", self._last)
        columns = ", ".join(f'"{name}"' for name in (*_OWN, *self._columns))
        rows = self._ledger.read_now(
            f"SELECT {columns} FROM actions WHERE {asked.where} ORDER BY created_at DESC, action_id DESC LIMIT ?",
            [*asked.parameters, min(self._length(), self._left)],
        )
        if rows:
            self._last = (rows[-1][1], rows[-1][0])
        self._left -= len(rows)
        return rows

    def steps(self, rows: list[Row]) -> Iterator[list[Row]]:
        for start in range(0, len(rows), STEP):
            yield rows[start : start + STEP]

    def judge(self, rows: list[Row], now: int) -> RunStep:
        """Let the scorer judge these actions; fewer of them after `give_up`, when nobody asks for the result."""
        drafts: list[Draft] = []
        total, skipped = 0.0, Counter[str]()
        for row in rows:
            if self._given_up:
                break
            judged = self._judge(fields_of(self._columns, row[len(_OWN) :]))
            if isinstance(judged, Skip):
                skipped[judged.value] += 1
                continue
            total += judged.score
            drafts.append(draft(self._score(row, judged, now)))
        return RunStep(drafts, total, skipped)

    def _length(self) -> int:
        if not any(KINDS[name] is ColumnKind.JSON for name in self._columns):
            return PAGE
        ((longest,),) = self._ledger.read_now("SELECT max(length) FROM events WHERE org_id = ?", [self._run.org_id])
        return max(1, min(PAGE, PAGE_BYTES // max(1, int(str(longest or 0)))))

    def _score(self, row: Row, judged: Judged, now: int) -> EvalScore:
        action_id, created_at, agent_id, action_type, source = row[: len(_OWN)]
        assert isinstance(created_at, datetime)
        run = self._run
        return carry(
            EvalScore,
            run,
            id=new_id("ev_", now),
            action_id=str(action_id),
            agent_id=None if agent_id is None else str(agent_id),
            action_type=str(action_type),
            run_id=run.id,
            score=judged.score,
            label=judged.label,
            reasoning=judged.reasoning,
            evaluated_by=run.scorer_type.value,
            metadata={},
            source=Source(str(source)),
            created_at=moment(now),
        )
