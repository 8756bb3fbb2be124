"""Open loops over HTTP."""

from __future__ import annotations

from assent.contract.loops import (
    GET_OPEN_LOOPS,
    REGISTER_OPEN_LOOP,
    RESOLVE_OPEN_LOOP,
    LoopDetail,
    RegisteredLoop,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.loops.loops import Loops


def routes(loops: Loops) -> tuple[Route, ...]:
    @route(REGISTER_OPEN_LOOP)
    async def register(call: Call) -> Answer:
        loop = await loops.register(call.principal, call.body)
        return Answer(RegisteredLoop(loop=loop, loop_id=loop.loop_id), 201)

    @route(RESOLVE_OPEN_LOOP)
    async def resolve(call: Call) -> Answer:
        return Answer(LoopDetail(loop=await loops.resolve(call.principal, call.path["loop_id"], call.body)))

    @route(GET_OPEN_LOOPS)
    async def list_all(call: Call) -> Answer:
        return Answer(await loops.page(call.principal, call.query))

    return register, resolve, list_all
