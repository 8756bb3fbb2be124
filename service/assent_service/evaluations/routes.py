"""Evaluations over HTTP."""

from __future__ import annotations

from assent.contract.evaluations import (
    CREATE_EVAL_RUN,
    CREATE_SCORE,
    GET_EVAL_RUN,
    GET_EVAL_RUNS,
    GET_EVAL_STATS,
    GET_SCORES,
)
from assent.contract.scorers import CREATE_SCORER, DELETE_SCORER, GET_SCORERS, UPDATE_SCORER
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.evaluations.evaluations import Evaluations


def routes(evaluations: Evaluations) -> tuple[Route, ...]:
    return (*_of_scorers(evaluations), *_of_scores(evaluations), *_of_runs(evaluations))


def _of_scorers(evaluations: Evaluations) -> tuple[Route, ...]:
    scorers = evaluations.scorers

    @route(CREATE_SCORER)
    async def create(call: Call) -> Answer:
        return Answer(await scorers.create(call.principal, call.body), 201)

    @route(GET_SCORERS)
    async def list_all(call: Call) -> Answer:
        return Answer(await scorers.all_of(call.principal.org_id))

    @route(UPDATE_SCORER)
    async def update(call: Call) -> Answer:
        return Answer(await scorers.update(call.principal, call.path["scorer_id"], call.body))

    @route(DELETE_SCORER)
    async def delete(call: Call) -> Answer:
        return Answer(await scorers.delete(call.principal, call.path["scorer_id"]))

    return create, list_all, update, delete


def _of_scores(evaluations: Evaluations) -> tuple[Route, ...]:
    scores = evaluations.scores

    @route(CREATE_SCORE)
    async def create(call: Call) -> Answer:
        return Answer(await scores.create(call.principal, call.body), 201)

    @route(GET_SCORES)
    async def list_all(call: Call) -> Answer:
        return Answer(await scores.page(call.principal, call.query))

    @route(GET_EVAL_STATS)
    async def stats(call: Call) -> Answer:
        return Answer(await evaluations.stats(call.principal, call.query))

    return create, list_all, stats


def _of_runs(evaluations: Evaluations) -> tuple[Route, ...]:
    runs = evaluations.runs

    @route(CREATE_EVAL_RUN)
    async def create(call: Call) -> Answer:
        return Answer(await runs.create(call.principal, call.body), 201)

    @route(GET_EVAL_RUNS)
    async def list_all(call: Call) -> Answer:
        return Answer(await runs.page(call.principal, call.query))

    @route(GET_EVAL_RUN)
    async def get(call: Call) -> Answer:
        return Answer(await runs.detail(call.principal, call.path["run_id"]))

    return create, list_all, get
