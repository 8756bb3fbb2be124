"""Key points over HTTP."""

from __future__ import annotations

from assent.contract.key_points import CAPTURE_KEY_POINT, GET_KEY_POINTS, CapturedKeyPoint
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.key_points.key_points import KeyPoints


def routes(key_points: KeyPoints) -> tuple[Route, ...]:
    @route(CAPTURE_KEY_POINT)
    async def capture(call: Call) -> Answer:
        point = await key_points.capture(call.principal, call.body)
        return Answer(CapturedKeyPoint(point=point, point_id=point.point_id), 201)

    @route(GET_KEY_POINTS)
    async def list_all(call: Call) -> Answer:
        return Answer(await key_points.page(call.principal, call.query))

    return capture, list_all
