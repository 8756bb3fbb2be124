"""Evaluations: scorers, the scores of actions, and runs over history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.evaluations import (
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
    RunStatus,
    ScoresQuery,
)
from assent.contract.scorers import (
    CREATE_SCORER,
    DELETE_SCORER,
    GET_SCORERS,
    UPDATE_SCORER,
    CreateScorer,
    DeletedScorer,
    Scorer,
    ScorerChange,
    Scorers,
    ScorerType,
)

Config = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str


class ScorerChanges(TypedDict, total=False):
    name: str | None
    scorer_type: ScorerType | str | None
    config: Config | None
    description: str | None


class ScoreFilters(TypedDict, total=False):
    """Filters of the list; `limit` is 1 to 200, scores are 0 to 1."""

    action_id: str | None
    agent_id: str | None
    scorer_name: str | None
    scorer_id: str | None
    run_id: str | None
    evaluated_by: str | None
    min_score: float | None
    max_score: float | None
    limit: int | None
    offset: int | None
    cursor: str | None


class EvalRunFilters(TypedDict, total=False):
    status: RunStatus | str | None
    scorer_id: str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class EvalStatsFilters(TypedDict, total=False):
    """`days` back from now, 30 when not given."""

    agent_id: str | None
    scorer_name: str | None
    scorer_id: str | None
    run_id: str | None
    days: int | None


class EvaluationOperations(Caller):
    @operation
    def create_scorer(
        self,
        name: str,
        scorer_type: ScorerType | str | None = None,
        config: Config | None = None,
        description: str | None = None,
        *,
        type: ScorerType | str | None = None,
    ) -> Flow[Scorer]:
        """Define a scorer: its type and what that type asks for, as `contract.scorers` says; `type` is another name
        for `scorer_type`. Raises InvalidRequest that names the place in `config`, Conflict for a name that is taken.
        """
        chosen = scorer_type if scorer_type is not None else type
        if chosen is None or (type is not None and type != chosen):
            raise ValueError("give the type once: scorer_type= or type=, such as 'regex'")
        given = {"name": name, "scorer_type": chosen, "config": config, "description": description}
        return (yield from send(CREATE_SCORER, body=members(CreateScorer, given, "create_scorer")))

    @operation
    def get_scorers(self) -> Flow[Scorers]:
        """The organization's scorers, the newest first."""
        return (yield from send(GET_SCORERS))

    @operation
    def update_scorer(self, scorer_id: str, **updates: Unpack[ScorerChanges]) -> Flow[Scorer]:
        """Change members of a scorer; scores that it gave stay. Raises NotFound, InvalidRequest, Conflict."""
        body = members(ScorerChange, updates, "update_scorer")
        return (yield from send(UPDATE_SCORER, path={"scorer_id": scorer_id}, body=body))

    @operation
    def delete_scorer(self, scorer_id: str) -> Flow[DeletedScorer]:
        """Remove a scorer; scores that it gave stay. Raises NotFound."""
        return (yield from send(DELETE_SCORER, path={"scorer_id": scorer_id}))

    @operation
    def create_score(
        self,
        action_id: str,
        scorer_name: str,
        score: float,
        label: str | None = None,
        reasoning: str | None = None,
        evaluated_by: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Flow[EvalScore]:
        """Score an action, 0 to 1, as a person or a model of your own judged it. Raises NotFound, InvalidRequest."""
        given = {
            "action_id": action_id,
            "scorer_name": scorer_name,
            "score": score,
            "label": label,
            "reasoning": reasoning,
            "evaluated_by": evaluated_by,
            "metadata": metadata,
        }
        return (yield from send(CREATE_SCORE, body=members(CreateScore, given, "create_score")))

    @operation
    def get_scores(self, **filters: Unpack[ScoreFilters]) -> Flow[EvalScores]:
        """A page of scores, the newest first."""
        return (yield from send(GET_SCORES, query=members(ScoresQuery, filters, "get_scores")))

    @operation
    def create_eval_run(
        self, name: str, scorer_id: str, action_filters: Mapping[str, Any] | None = None
    ) -> Flow[EvalRun]:
        """Let a scorer judge actions that have happened, at most 50,000: `action_filters` takes `agent_id`,
        `action_type`, `status`, `source`, `from`, `to` and `limit`. The run goes on in the background;
        `get_eval_run` says how far it is. Raises NotFound, InvalidRequest.
        """
        given = {"name": name, "scorer_id": scorer_id, "action_filters": action_filters}
        return (yield from send(CREATE_EVAL_RUN, body=members(CreateEvalRun, given, "create_eval_run")))

    @operation
    def get_eval_runs(self, **filters: Unpack[EvalRunFilters]) -> Flow[EvalRuns]:
        """A page of runs, the newest first."""
        return (yield from send(GET_EVAL_RUNS, query=members(EvalRunsQuery, filters, "get_eval_runs")))

    @operation
    def get_eval_run(self, run_id: str) -> Flow[EvalRunDetail]:
        """One run: its status, how far it is, and what its scores add up to once it is through. Raises NotFound."""
        return (yield from send(GET_EVAL_RUN, path={"run_id": run_id}))

    @operation
    def get_eval_stats(self, **filters: Unpack[EvalStatsFilters]) -> Flow[EvalStats]:
        """What scores add up to, in all, by scorer and by day; every mean and share with its n and its interval."""
        return (yield from send(GET_EVAL_STATS, query=members(EvalStatsQuery, filters, "get_eval_stats")))
