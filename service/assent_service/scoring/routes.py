"""Scoring over HTTP."""

from __future__ import annotations

from assent.contract.problems import Code
from assent.contract.profile_scores import GET_PROFILE_SCORES, SCORE_WITH_PROFILE, ScoresView
from assent.contract.scoring import (
    ADD_SCORING_DIMENSION,
    CREATE_SCORING_PROFILE,
    DELETE_SCORING_DIMENSION,
    DELETE_SCORING_PROFILE,
    GET_SCORING_PROFILE,
    LIST_SCORING_PROFILES,
    UPDATE_SCORING_DIMENSION,
    UPDATE_SCORING_PROFILE,
)
from assent_service.core.call import Answer, Call
from assent_service.core.problem import refuse
from assent_service.core.route import Route, route
from assent_service.scoring.profiles import Profiles
from assent_service.scoring.scores import Scores


def routes(profiles: Profiles, scores: Scores) -> tuple[Route, ...]:
    return (*_of_profiles(profiles), *_of_dimensions(profiles), *_of_scores(scores))


def _of_profiles(profiles: Profiles) -> tuple[Route, ...]:
    @route(CREATE_SCORING_PROFILE)
    async def create(call: Call) -> Answer:
        return Answer(await profiles.create(call.principal, call.body), 201)

    @route(LIST_SCORING_PROFILES)
    async def list_all(call: Call) -> Answer:
        return Answer(await profiles.page(call.principal, call.query))

    @route(GET_SCORING_PROFILE)
    async def get(call: Call) -> Answer:
        return Answer(await profiles.get(call.principal, call.path["profile_id"]))

    @route(UPDATE_SCORING_PROFILE)
    async def update(call: Call) -> Answer:
        return Answer(await profiles.update(call.principal, call.path["profile_id"], call.body))

    @route(DELETE_SCORING_PROFILE)
    async def delete(call: Call) -> Answer:
        return Answer(await profiles.delete(call.principal, call.path["profile_id"]))

    return create, list_all, get, update, delete


def _of_dimensions(profiles: Profiles) -> tuple[Route, ...]:
    @route(ADD_SCORING_DIMENSION)
    async def add(call: Call) -> Answer:
        return Answer(await profiles.add(call.principal, call.path["profile_id"], call.body), 201)

    @route(UPDATE_SCORING_DIMENSION)
    async def alter(call: Call) -> Answer:
        path = call.path
        return Answer(await profiles.alter(call.principal, path["profile_id"], path["dimension_id"], call.body))

    @route(DELETE_SCORING_DIMENSION)
    async def remove(call: Call) -> Answer:
        return Answer(await profiles.remove(call.principal, call.path["profile_id"], call.path["dimension_id"]))

    return add, alter, remove


def _of_scores(scores: Scores) -> tuple[Route, ...]:
    @route(SCORE_WITH_PROFILE)
    async def score(call: Call) -> Answer:
        said = call.body
        if said.action is not None and said.actions is None:
            return Answer(await scores.one(call.principal, said, said.action))
        if said.actions is not None and said.action is None:
            return Answer(await scores.many(call.principal, said, said.actions))
        raise refuse(Code.INVALID_BODY, "Give either action (one) or actions (a list), and not both.")

    @route(GET_PROFILE_SCORES)
    async def list_all(call: Call) -> Answer:
        if call.query.view is ScoresView.STATS:
            return Answer(await scores.stats(call.principal, call.query))
        return Answer(await scores.page(call.principal, call.query))

    return score, list_all
