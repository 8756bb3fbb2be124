"""Feedback over HTTP."""

from __future__ import annotations

from assent.contract.feedback import (
    DELETE_FEEDBACK,
    GET_FEEDBACK,
    GET_FEEDBACK_STATS,
    LIST_FEEDBACK,
    RESOLVE_FEEDBACK,
    SUBMIT_FEEDBACK,
    DeletedFeedback,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.feedback.feedback import Feedbacks


def routes(feedback: Feedbacks) -> tuple[Route, ...]:
    @route(SUBMIT_FEEDBACK)
    async def submit(call: Call) -> Answer:
        return Answer(await feedback.submit(call.principal, call.body), 201)

    @route(LIST_FEEDBACK)
    async def list_all(call: Call) -> Answer:
        return Answer(await feedback.page(call.principal, call.query))

    @route(GET_FEEDBACK_STATS)
    async def stats(call: Call) -> Answer:
        return Answer(await feedback.stats(call.principal, call.query))

    @route(GET_FEEDBACK)
    async def get(call: Call) -> Answer:
        return Answer(await feedback.get(call.principal, call.path["feedback_id"]))

    @route(RESOLVE_FEEDBACK)
    async def resolve(call: Call) -> Answer:
        return Answer(await feedback.resolve(call.principal, call.path["feedback_id"], call.body))

    @route(DELETE_FEEDBACK)
    async def delete(call: Call) -> Answer:
        feedback_id = call.path["feedback_id"]
        await feedback.delete(call.principal, feedback_id)
        return Answer(DeletedFeedback(deleted=True, feedback_id=feedback_id))

    return submit, list_all, stats, get, resolve, delete
