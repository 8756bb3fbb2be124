"""Traces over HTTP."""

from __future__ import annotations

from assent.contract.graphs import GET_ACTION_GRAPH
from assent.contract.traces import GET_ACTION_TRACE
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.traces.graph import drawn
from assent_service.traces.traces import Traces


def routes(traces: Traces) -> tuple[Route, ...]:
    @route(GET_ACTION_TRACE)
    async def get(call: Call) -> Answer:
        return Answer(await traces.trace(call.principal, call.path["action_id"]))

    @route(GET_ACTION_GRAPH)
    async def graph(call: Call) -> Answer:
        return Answer(drawn(await traces.trace(call.principal, call.path["action_id"])))

    return get, graph
