"""Evaluations: scorers, the scores of actions, and runs over history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.contract.analysis.evaluations import (
    CREATE_EVAL_RUN,
    CREATE_SCORE,
    GET_EVAL_RUN,
    GET_EVAL_RUNS,
    GET_EVAL_STATS,
    GET_SCORES,
    EvalScore,
    RunStatus,
)
from assent.contract.analysis.scorers import (
    CREATE_SCORER,
    DELETE_SCORER,
    GET_SCORER,
    GET_SCORERS,
    UPDATE_SCORER,
    CreateScorer,
    Scorer,
    ScorerType,
)

Config = Mapping[str, Any] | Sequence[Mapping[str, Any]] | str


class EvaluationOperations(Caller):
    @calls(CREATE_SCORER)
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

    @sends(GET_SCORERS)
    def get_scorers(self) -> Response:
        """The organization's scorers, the newest first."""

    @sends(GET_SCORER)
    def get_scorer(self, scorer_id: str) -> Response:
        """One scorer with its configuration. Raises NotFound."""

    @sends(UPDATE_SCORER)
    def update_scorer(
        self,
        scorer_id: str,
        *,
        name: str | None = None,
        scorer_type: ScorerType | str | None = None,
        config: Config | None = None,
        description: str | None = None,
    ) -> Response:
        """Change members of a scorer; scores that it gave stay. Raises NotFound, InvalidRequest, Conflict."""

    @sends(DELETE_SCORER)
    def delete_scorer(self, scorer_id: str) -> Response:
        """Remove a scorer; scores that it gave stay. Raises NotFound."""

    @sends(CREATE_SCORE)
    def create_score(
        self,
        action_id: str,
        scorer_name: str,
        score: float,
        label: str | None = None,
        reasoning: str | None = None,
        evaluated_by: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Response:
        """Score an action, 0 to 1, as a person or a model of your own judged it. Raises NotFound, InvalidRequest."""

    @sends(GET_SCORES)
    def get_scores(
        self,
        *,
        action_id: str | None = None,
        agent_id: str | None = None,
        scorer_name: str | None = None,
        scorer_id: str | None = None,
        run_id: str | None = None,
        evaluated_by: str | None = None,
        min_score: float | None = None,
        max_score: float | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of scores, the newest first. `limit` is 1 to 200, scores are 0 to 1."""

    iterate_scores = each(get_scores, EvalScore, lambda page: page.scores)

    @sends(CREATE_EVAL_RUN)
    def create_eval_run(self, name: str, scorer_id: str, action_filters: Mapping[str, Any] | None = None) -> Response:
        """Let a scorer judge actions that have happened, at most 50,000: `action_filters` takes `agent_id`,
        `action_type`, `status`, `source`, `from`, `to` and `limit`. The run goes on in the background;
        `get_eval_run` says how far it is. Raises NotFound, InvalidRequest.
        """

    @sends(GET_EVAL_RUNS)
    def get_eval_runs(
        self,
        *,
        status: RunStatus | str | None = None,
        scorer_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of runs, the newest first."""

    @sends(GET_EVAL_RUN)
    def get_eval_run(self, run_id: str) -> Response:
        """One run: its status, how far it is, and what its scores add up to once it is through. Raises NotFound."""

    @sends(GET_EVAL_STATS)
    def get_eval_stats(
        self,
        *,
        agent_id: str | None = None,
        scorer_name: str | None = None,
        scorer_id: str | None = None,
        run_id: str | None = None,
        days: int | None = None,
    ) -> Response:
        """What scores add up to, in all, by scorer and by day; every mean and share with its n and its interval. `days`
        counts back from now, 30 when not given."""
