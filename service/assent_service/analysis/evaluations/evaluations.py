"""Evaluations of what agents did: scorers, scores and runs put together, and their routes."""

from __future__ import annotations

from assent.contract.analysis.evaluations import (
    CREATE_EVAL_RUN,
    CREATE_SCORE,
    GET_EVAL_RUN,
    GET_EVAL_RUNS,
    GET_EVAL_STATS,
    GET_SCORES,
    CreateEvalRun,
    CreateScore,
    EvalRun,
    EvalRunDetail,
    EvalRuns,
    EvalRunsQuery,
    EvalScore,
    EvalScores,
    EvalStats,
    EvalStatsQuery,
    ScoresQuery,
)
from assent.contract.analysis.scorers import (
    CREATE_SCORER,
    DELETE_SCORER,
    GET_SCORER,
    GET_SCORERS,
    UPDATE_SCORER,
    CreateScorer,
    DeletedScorer,
    Scorer,
    ScorerChange,
    Scorers,
)
from assent_service.analysis.evaluations.runs import EVALUATIONS_FENCE, EvaluationRuns
from assent_service.analysis.evaluations.scorers import SCORERS_FENCE, ScorerBook
from assent_service.analysis.evaluations.scores import EvaluationScores, stats
from assent_service.base.clock import Clock
from assent_service.base.pace import MakeThrottle
from assent_service.control.actions import Actions
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.store.ledger import Ledger


class Evaluations:
    """Judging what agents did, for every organization. `start` and `stop` are the runs'."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, make_throttle: MakeThrottle
    ) -> None:
        self._ledger, self._clock = ledger, clock
        self.scorers = ScorerBook(ledger, clock, locks)
        self.scores = EvaluationScores(ledger, clock, actions, self.scorers)
        self.runs = EvaluationRuns(ledger, clock, locks, self.scorers, make_throttle)

    async def stats(self, principal: Principal, query: EvalStatsQuery) -> EvalStats:
        return await stats(self._ledger, principal, query, self._clock())

    async def start(self) -> None:
        await self.runs.start()

    async def stop(self) -> None:
        await self.runs.stop()


def routes(evaluations: Evaluations) -> tuple[Route, ...]:
    return (*_of_scorers(evaluations), *_of_scores(evaluations), *_of_runs(evaluations))


def _of_scorers(evaluations: Evaluations) -> tuple[Route, ...]:
    scorers = evaluations.scorers

    @serves(CREATE_SCORER, holds=(SCORERS_FENCE,))
    async def create(call: Call[CreateScorer, None]) -> Scorer:
        return await scorers.create(call.principal, call.body)

    @serves(GET_SCORERS)
    async def list_all(call: Call[None, None]) -> Scorers:
        return await scorers.all_of(call.principal.org_id)

    @serves(GET_SCORER)
    async def get(call: Call[None, None], scorer_id: str) -> Scorer:
        return await scorers.find(call.principal.org_id, scorer_id)

    @serves(UPDATE_SCORER, holds=(SCORERS_FENCE,))
    async def update(call: Call[ScorerChange, None], scorer_id: str) -> Scorer:
        return await scorers.update(call.principal, scorer_id, call.body)

    @serves(DELETE_SCORER, holds=(SCORERS_FENCE,))
    async def delete(call: Call[None, None], scorer_id: str) -> DeletedScorer:
        return await scorers.delete(call.principal, scorer_id)

    return create, list_all, get, update, delete


def _of_scores(evaluations: Evaluations) -> tuple[Route, ...]:
    scores = evaluations.scores

    @serves(CREATE_SCORE, unfenced=NEW_ID)
    async def create(call: Call[CreateScore, None]) -> EvalScore:
        return await scores.create(call.principal, call.body)

    @serves(GET_SCORES)
    async def list_all(call: Call[None, ScoresQuery]) -> EvalScores:
        return await scores.page(call.principal, call.query)

    @serves(GET_EVAL_STATS)
    async def stats(call: Call[None, EvalStatsQuery]) -> EvalStats:
        return await evaluations.stats(call.principal, call.query)

    return create, list_all, stats


def _of_runs(evaluations: Evaluations) -> tuple[Route, ...]:
    runs = evaluations.runs

    @serves(CREATE_EVAL_RUN, holds=(EVALUATIONS_FENCE,))
    async def create(call: Call[CreateEvalRun, None]) -> EvalRun:
        return await runs.create(call.principal, call.body)

    @serves(GET_EVAL_RUNS)
    async def list_all(call: Call[None, EvalRunsQuery]) -> EvalRuns:
        return await runs.page(call.principal, call.query)

    @serves(GET_EVAL_RUN)
    async def get(call: Call[None, None], run_id: str) -> EvalRunDetail:
        return await runs.detail(call.principal, run_id)

    return create, list_all, get
