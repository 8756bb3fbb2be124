"""Learning, lessons and recommendations over HTTP."""

from __future__ import annotations

from assent.contract.learning import (
    COMPUTE_LEARNING_CURVES,
    COMPUTE_LEARNING_VELOCITY,
    GET_LEARNING_ANALYTICS_SUMMARY,
    GET_LEARNING_CURVES,
    GET_LEARNING_VELOCITY,
    GET_MATURITY_LEVELS,
    MaturityLevel,
    MaturityLevels,
)
from assent.contract.lessons import (
    GET_LESSONS,
    GET_RECOMMENDATION_METRICS,
    GET_RECOMMENDATIONS,
    REBUILD_RECOMMENDATIONS,
    RECORD_RECOMMENDATION_EVENTS,
    SET_RECOMMENDATION_ACTIVE,
    SwitchedRecommendation,
)
from assent_analytics.maturity import LEVELS
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.learning.curves import answer_curves, compute_curves
from assent_service.learning.lessons import DriftAlerts, answer_lessons
from assent_service.learning.reading import Episodes
from assent_service.learning.recommendations import Advice
from assent_service.learning.velocity import answer_velocity, compute_velocity, summarize

_LEVELS = MaturityLevels(
    levels=[
        MaturityLevel(
            level=each.level,
            min_episodes=each.episodes,
            min_success_rate=each.success_rate,
            min_avg_score=each.avg_score,
        )
        for each in LEVELS
    ]
)


def routes(episodes: Episodes, drift: DriftAlerts, advice: Advice) -> tuple[Route, ...]:
    return (*_analytics(episodes), *_lessons(episodes, drift), *_recommendations(advice))


def _analytics(episodes: Episodes) -> tuple[Route, ...]:
    @route(GET_LEARNING_VELOCITY)
    async def velocity(call: Call) -> Answer:
        return Answer(await answer_velocity(episodes, call.principal, call.query))

    @route(COMPUTE_LEARNING_VELOCITY)
    async def computed_velocity(call: Call) -> Answer:
        return Answer(await compute_velocity(episodes, call.principal, call.body), 201)

    @route(GET_LEARNING_CURVES)
    async def curves(call: Call) -> Answer:
        return Answer(await answer_curves(episodes, call.principal, call.query))

    @route(COMPUTE_LEARNING_CURVES)
    async def computed_curves(call: Call) -> Answer:
        return Answer(await compute_curves(episodes, call.principal, call.body), 201)

    @route(GET_LEARNING_ANALYTICS_SUMMARY)
    async def summary(call: Call) -> Answer:
        return Answer(await summarize(episodes, call.principal, call.query))

    @route(GET_MATURITY_LEVELS)
    async def maturity(call: Call) -> Answer:
        return Answer(_LEVELS)

    return velocity, computed_velocity, curves, computed_curves, summary, maturity


def _lessons(episodes: Episodes, drift: DriftAlerts) -> tuple[Route, ...]:
    @route(GET_LESSONS)
    async def lessons(call: Call) -> Answer:
        return Answer(await answer_lessons(episodes, drift, call.principal, call.query))

    return (lessons,)


def _recommendations(advice: Advice) -> tuple[Route, ...]:
    @route(GET_RECOMMENDATIONS)
    async def page(call: Call) -> Answer:
        return Answer(await advice.page(call.principal, call.query))

    @route(REBUILD_RECOMMENDATIONS)
    async def rebuild(call: Call) -> Answer:
        return Answer(await advice.rebuild(call.principal, call.body), 201)

    @route(SET_RECOMMENDATION_ACTIVE)
    async def switch(call: Call) -> Answer:
        switched = await advice.switch(call.principal, call.path["recommendation_id"], call.body)
        return Answer(SwitchedRecommendation(recommendation=switched))

    @route(RECORD_RECOMMENDATION_EVENTS)
    async def record(call: Call) -> Answer:
        return Answer(await advice.record(call.principal, call.body), 201)

    @route(GET_RECOMMENDATION_METRICS)
    async def metrics(call: Call) -> Answer:
        return Answer(await advice.report(call.principal, call.query))

    return page, rebuild, switch, record, metrics
