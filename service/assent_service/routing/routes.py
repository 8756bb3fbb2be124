"""Routing over HTTP."""

from __future__ import annotations

from assent.contract.routing import (
    COMPLETE_ROUTING_TASK,
    DELETE_ROUTING_AGENT,
    GET_ROUTING_AGENT,
    GET_ROUTING_HEALTH,
    GET_ROUTING_STATS,
    LIST_ROUTING_AGENTS,
    LIST_ROUTING_TASKS,
    REGISTER_ROUTING_AGENT,
    SUBMIT_ROUTING_TASK,
    UPDATE_ROUTING_AGENT_STATUS,
    RoutingAgentAnswer,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.routing.routing import Routing


def routes(routing: Routing) -> tuple[Route, ...]:
    return (*_agents(routing), *_tasks(routing))


def _agents(routing: Routing) -> tuple[Route, ...]:
    @route(REGISTER_ROUTING_AGENT)
    async def register(call: Call) -> Answer:
        agent, new = await routing.register(call.principal, call.body)
        return Answer(RoutingAgentAnswer(agent=agent, agent_id=agent.agent_id), 201 if new else 200)

    @route(LIST_ROUTING_AGENTS)
    async def list_all(call: Call) -> Answer:
        return Answer(await routing.agents(call.principal, call.query.status))

    @route(GET_ROUTING_AGENT)
    async def get(call: Call) -> Answer:
        agent = await routing.agent(call.principal, call.path["agent_id"])
        return Answer(RoutingAgentAnswer(agent=agent, agent_id=agent.agent_id))

    @route(UPDATE_ROUTING_AGENT_STATUS)
    async def turn(call: Call) -> Answer:
        agent = await routing.turn(call.principal, call.path["agent_id"], call.body.status)
        return Answer(RoutingAgentAnswer(agent=agent, agent_id=agent.agent_id))

    @route(DELETE_ROUTING_AGENT)
    async def delete(call: Call) -> Answer:
        return Answer(await routing.delete(call.principal, call.path["agent_id"]))

    return register, list_all, get, turn, delete


def _tasks(routing: Routing) -> tuple[Route, ...]:
    @route(SUBMIT_ROUTING_TASK)
    async def submit(call: Call) -> Answer:
        return Answer(await routing.submit(call.principal, call.body), 201)

    @route(LIST_ROUTING_TASKS)
    async def list_all(call: Call) -> Answer:
        return Answer(await routing.tasks(call.principal, call.query))

    @route(COMPLETE_ROUTING_TASK)
    async def complete(call: Call) -> Answer:
        return Answer(await routing.complete(call.principal, call.path["task_id"], call.body))

    @route(GET_ROUTING_STATS)
    async def stats(call: Call) -> Answer:
        return Answer(await routing.stats(call.principal))

    @route(GET_ROUTING_HEALTH)
    async def health(call: Call) -> Answer:
        return Answer(await routing.health(call.principal))

    return submit, list_all, complete, stats, health
