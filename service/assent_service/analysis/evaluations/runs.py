"""Evaluation runs: begun by a request, carried out in the background, always brought to an end.

- A run is recorded when it begins and when it ends; in between, how far it is lives in memory.
- Its scores are recorded a step at a time, one write for each step, and after each step it rests for as long as guard
  is busy (`Throttle`); its own scores do not count as that.
- It ends completed, or failed with the reason. One that a stop of the service cut short is interrupted: the next start
  says so, and counts what it had recorded.
- Two runs of an organization go on at once; the third is told to wait. One thread does the work of all of them, in
  turns.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import msgspec

from assent.contract.analysis.evaluations import (
    CreateEvalRun,
    EvalRun,
    EvalRunDetail,
    EvalRuns,
    EvalRunsQuery,
    RunStatus,
)
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent_service.analysis.evaluations.scorers import ScorerBook
from assent_service.analysis.evaluations.scores import of_run
from assent_service.analysis.evaluations.selection import begun, work_of
from assent_service.analysis.evaluations.work import RunStep, RunWork
from assent_service.base.background import background_pool
from assent_service.base.clock import Clock, microseconds, moment
from assent_service.base.pace import MakeThrottle
from assent_service.base.problem import Refusal, refuse
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import Filters, find_row, list_rows, of_caller, record, select
from assent_service.store.conditions import apart
from assent_service.store.event import Draft
from assent_service.store.failures import LogError
from assent_service.store.leases import Turn
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

EVALUATION_RUNS = Table.of(
    EvalRun,
    name="evaluation_runs",
    meaning="evaluation runs: a scorer that judged many actions",
    key="id",
    created=("evaluation.created",),
    replaced=("evaluation.updated",),
)


EVALUATIONS_FENCE = Fence("evaluations")
FILTERS = Filters(EVALUATION_RUNS, EvalRunsQuery)
AGAIN = 5.0
"""Seconds between two looks for runs that nobody carries out any more."""
AT_ONCE = 2
"""Runs of an organization, at each service."""
PATIENCE = 4
"""How many times as long as an export a run rests: an export has somebody waiting, and a run records besides."""

log = logging.getLogger("assent.evaluations")


@dataclass
class Live:
    """A run that goes on, as it is now, and what came of it so far."""

    run: EvalRun
    total: float = 0.0
    written: int = 0
    skipped: Counter[str] = field(default_factory=Counter[str])

    def advance(self, step: RunStep) -> None:
        self.written += len(step.drafts)
        self.total += step.total
        self.skipped += step.skipped
        self.run = msgspec.structs.replace(
            self.run,
            scored_count=self.written,
            skipped_count=self.skipped.total(),
            skipped=dict(self.skipped),
            avg_score=self.total / self.written if self.written else None,
        )


class EvaluationRuns:
    """The runs of every organization."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, scorers: ScorerBook, make_throttle: MakeThrottle
    ) -> None:
        self._ledger, self._clock, self._locks, self._scorers = ledger, clock, locks, scorers
        self._make_throttle = make_throttle
        self._pool = background_pool(1, "assent-evaluation")
        self._live: dict[tuple[str, str], Live] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None
        self._lapsed: dict[str, float] = {}
        """When each run was first seen whose lease had run out."""
        self._closing = False

    async def start(self) -> None:
        """Bring runs to an end that the last stop cut short; later, if the tables cannot say yet which. Among several
        services also, from now on, what one that has gone was carrying out."""
        try:
            await self._end_cut_short()
        except Refusal as refusal:
            log.warning("runs that the last stop cut short are ended later: %s", refusal)
        else:
            if self._ledger.shared is None:
                return
        self._end_soon()

    def _end_soon(self) -> None:
        """Have ends recorded that could not be, as soon as that is possible."""
        if not self._closing and (self._watch is None or self._watch.done()):
            self._watch = asyncio.create_task(self._end_later(), context=apart())
            self._keep(self._watch)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end_later(self) -> None:
        while True:
            await asyncio.sleep(AGAIN)
            with suppress(Refusal):
                await self._end_cut_short()
                if self._ledger.shared is None and not self._unrecorded():
                    return

    def _unrecorded(self) -> list[EvalRun]:
        """Those of this service that have ended, and of which that is not recorded."""
        return [live.run for live in self._live.values() if live.run.status is not RunStatus.RUNNING]

    async def _end_cut_short(self) -> None:
        """End what runs by the tables and is not carried out by anybody, and record the ends of this service's."""
        for ended in self._unrecorded():
            await self._end(ended)
        rows = await self._ledger.read(
            f"SELECT {select(EVALUATION_RUNS)} FROM evaluation_runs WHERE status = ?", [RunStatus.RUNNING.value]
        )
        runs = [record(EVALUATION_RUNS, row, EvalRun) for row in rows]
        self._lapsed = {run.id: self._lapsed[run.id] for run in runs if run.id in self._lapsed}
        for run in runs:
            if (run.org_id, run.id) in self._live or not await self._is_nobodys(run):
                continue
            why = "Its service stopped, or could not be heard of, before the run was through; begin another one."
            await self._end(await self._summed(run, RunStatus.INTERRUPTED, why))

    async def _is_nobodys(self, run: EvalRun) -> bool:
        """Whether no service carries it out; its lease is taken then. One that has run out is looked at twice: while
        the database hangs nobody renews any, and whoever lives does so when it goes on."""
        turn = self._turn(run)
        try:
            left = await turn.left()
        except LogError:
            return False
        if left is not None:
            if left > 0:
                self._lapsed.pop(run.id, None)
                return False
            if time.monotonic() - self._lapsed.setdefault(run.id, time.monotonic()) < AGAIN:
                return False
        self._lapsed.pop(run.id, None)
        return await turn.is_ours()

    async def stop(self) -> None:
        """Cut every run short and begin no more."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self._pool.shutdown)

    async def create(self, principal: Principal, said: CreateEvalRun) -> EvalRun:
        """Raises `scorer_not_found`, `invalid_body` for a window that is none, `busy` and `shutting_down`."""
        if self._closing:
            raise refuse(Code.SHUTTING_DOWN, "The service is stopping and begins no more runs; try again soon.")
        async with self._locks.hold(EVALUATIONS_FENCE.of(principal.org_id)):
            self._check_room(principal.org_id)
            scorer = await self._scorers.find(principal.org_id, said.scorer_id)
            run = await begun(self._ledger, principal, said, scorer, self._clock())
            work = work_of(self._ledger, run)
            # Others take a run whose lease nobody has for one that was cut short.
            turn = self._turn(run)
            await turn.is_ours()
            await self._ledger.append(_event(EventName.EVALUATION_CREATED, run))
            live = self._live[principal.org_id, run.id] = Live(run)
            self._keep(asyncio.create_task(self._carry_out(live, work, turn), context=apart()))
            return run

    async def detail(self, principal: Principal, run_id: str) -> EvalRunDetail:
        """Raises `evaluation_not_found` for a foreign run as for an unknown one, and for one over other agents."""
        found = await find_row(self._ledger, EVALUATION_RUNS, EvalRun, principal.org_id, run_id)
        if found is None or not principal.sees(found.agent_id):
            raise refuse(
                Code.EVALUATION_NOT_FOUND, f"There is no evaluation run {run_id[:128]!r} in this organization."
            )
        run = self._now(found)
        _, distribution = await of_run(self._ledger, run)
        return EvalRunDetail(run=run, distribution=distribution)

    async def page(self, principal: Principal, query: EvalRunsQuery) -> EvalRuns:
        """Raises `invalid_query` for a cursor that is none."""
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, EVALUATION_RUNS, EvalRun, chosen, query)
        runs = [self._now(run) for run in page.rows]
        return EvalRuns(runs=runs, total=page.total, next_cursor=page.next_cursor)

    def _now(self, run: EvalRun) -> EvalRun:
        live = self._live.get((run.org_id, run.id))
        return run if live is None else live.run

    def _check_room(self, org_id: str) -> None:
        going_on = [
            live for (of, _), live in self._live.items() if of == org_id and live.run.status is RunStatus.RUNNING
        ]
        if len(going_on) >= AT_ONCE:
            raise refuse(
                Code.BUSY,
                f"{AT_ONCE} evaluation runs are going on, which is the most at once; try again when one has ended.",
            )

    def _turn(self, run: EvalRun) -> Turn:
        """Whose run it is, of the services that share the log."""
        return self._ledger.turn(f"run:{run.id}")

    async def _carry_out(self, live: Live, work: RunWork, turn: Turn) -> None:
        kept = asyncio.create_task(turn.keep())
        try:
            if not await self._score(live, work, turn):
                # Its end is somebody else's, who took this service for gone.
                self._live.pop((live.run.org_id, live.run.id), None)
                return
            ended = await self._summed(live.run, RunStatus.COMPLETED, None)
        except Refusal as error:
            ended = _ended(live.run, RunStatus.FAILED, error.detail, self._clock())
        except Exception:
            log.exception("evaluation run %s failed", live.run.id)
            why = "The service failed on this run; its log says why. Scores given so far stay."
            ended = _ended(live.run, RunStatus.FAILED, why, self._clock())
        finally:
            kept.cancel()
            work.give_up()
        # Until its end is recorded, the run goes on for whoever asks.
        await self._end(ended)

    async def _score(self, live: Live, work: RunWork, turn: Turn) -> bool:
        """Whether it is through; not where another service has taken it over."""
        loop = asyncio.get_running_loop()
        rests = self._make_throttle(lambda: self._ledger.head - live.written)
        await self._ledger.caught_up()
        while rows := await loop.run_in_executor(self._pool, work.page):
            for few in work.steps(rows):
                step = await loop.run_in_executor(self._pool, work.judge, few, self._clock())
                # An action may have been erased since it was read.
                drafts = [each for each in step.drafts if not self._ledger.ended.has(each.org, each.action)]
                await turn.is_ours()
                if turn.lost:
                    return False
                if drafts:
                    await self._ledger.append(*drafts)
                live.advance(step)
                await asyncio.sleep(PATIENCE * rests.rest())
                rests.resume()
        return True

    async def _summed(self, run: EvalRun, status: RunStatus, why: str | None) -> EvalRun:
        """The run at its end, with the numbers of what is recorded of it."""
        summary, _ = await of_run(self._ledger, run)
        summed = msgspec.structs.replace(run, summary=summary, scored_count=summary.n, avg_score=summary.mean)
        if status is RunStatus.COMPLETED:
            # An action that changed meanwhile may no longer have fitted: what was looked at counts.
            summed = msgspec.structs.replace(summed, total_actions=summary.n + run.skipped_count)
        return _ended(summed, status, why, self._clock())

    async def _end(self, run: EvalRun) -> None:
        """Record a run's end, unless another service has ended it. While that fails, memory says how it ended; what a
        service that stops has not recorded, the next one calls interrupted."""
        key = (run.org_id, run.id)
        try:
            await self._ledger.run(partial(self._record_end, run))
        except Refusal as error:
            log.warning("the end of evaluation run %s could not be recorded yet: %s", run.id, error.detail)
            self._live.setdefault(key, Live(run)).run = run
            self._end_soon()
        else:
            self._live.pop(key, None)

    async def _record_end(self, run: EvalRun) -> None:
        async with self._locks.hold(EVALUATIONS_FENCE.of(run.org_id)):
            found = await find_row(self._ledger, EVALUATION_RUNS, EvalRun, run.org_id, run.id)
            if found is None or found.status is RunStatus.RUNNING:
                await self._ledger.append(_event(EventName.EVALUATION_UPDATED, run))


def _ended(run: EvalRun, status: RunStatus, why: str | None, now: int) -> EvalRun:
    at = max(moment(now), run.updated_at)
    return msgspec.structs.replace(run, status=status, error_message=why, updated_at=at, completed_at=at)


def _event(name: EventName, run: EvalRun) -> Draft:
    return Draft(
        org=run.org_id,
        type=name.value,
        ts=microseconds(run.updated_at),
        subject=run.id,
        actor=run.created_by,
        data=encode(run),
    )
