"""Agents over HTTP."""

from __future__ import annotations

from assent.contract.agents import GET_AGENTS, GET_CONNECTIONS, HEARTBEAT, REPORT_CONNECTIONS
from assent_service.agents.agents import Agents
from assent_service.agents.connections import Connections
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route


def routes(agents: Agents, connections: Connections) -> tuple[Route, ...]:
    @route(HEARTBEAT)
    async def heartbeat(call: Call) -> Answer:
        return Answer(agents.heartbeat(call.principal, call.body))

    @route(GET_AGENTS)
    async def list_all(call: Call) -> Answer:
        return Answer(await agents.page(call.principal, call.query))

    @route(REPORT_CONNECTIONS)
    async def report(call: Call) -> Answer:
        return Answer(await connections.report(call.principal, call.body))

    @route(GET_CONNECTIONS)
    async def list_connections(call: Call) -> Answer:
        return Answer(await connections.page(call.principal, call.query))

    return heartbeat, list_all, report, list_connections
