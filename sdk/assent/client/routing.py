"""Routing: registering as somebody who takes tasks, submitting tasks, and reporting what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
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
    DeletedRoutingAgent,
    RegisterRoutingAgent,
    RoutingAgentAnswer,
    RoutingAgents,
    RoutingAgentsQuery,
    RoutingHealth,
    RoutingStats,
    RoutingStatus,
    RoutingTaskAnswer,
    RoutingTasks,
    RoutingTasksQuery,
    SubmitRoutingTask,
    TaskStatus,
    UpdateRoutingAgentStatus,
    Urgency,
)


class RoutingOperations(Caller):
    @operation
    def register_routing_agent(
        self,
        name: str,
        capabilities: Sequence[str] | None = None,
        max_concurrent: int = 3,
        endpoint: str | None = None,
    ) -> Flow[RoutingAgentAnswer]:
        """Take part in routing with these skills; a name that is registered already is the same agent, available again.
        `agent_id` of the answer is its id in routing."""
        body = RegisterRoutingAgent(
            name=name,
            capabilities=None if capabilities is None else list(capabilities),
            max_concurrent=max_concurrent,
            endpoint=endpoint,
        )
        return (yield from send(REGISTER_ROUTING_AGENT, body=body))

    @operation
    def list_routing_agents(self, status: RoutingStatus | str | None = None) -> Flow[RoutingAgents]:
        """Who takes tasks, in the order of registration."""
        query = members(RoutingAgentsQuery, {"status": status}, "list_routing_agents")
        return (yield from send(LIST_ROUTING_AGENTS, query=query))

    @operation
    def get_routing_agent(self, agent_id: str) -> Flow[RoutingAgentAnswer]:
        """One of them, with its load. Raises NotFound."""
        return (yield from send(GET_ROUTING_AGENT, path={"agent_id": agent_id}))

    @operation
    def update_routing_agent_status(self, agent_id: str, status: RoutingStatus | str) -> Flow[RoutingAgentAnswer]:
        """`available`, `busy` or `offline`. Raises NotFound, and ValueError for another status."""
        body = UpdateRoutingAgentStatus(status=RoutingStatus(status))
        return (yield from send(UPDATE_ROUTING_AGENT_STATUS, path={"agent_id": agent_id}, body=body))

    @operation
    def delete_routing_agent(self, agent_id: str) -> Flow[DeletedRoutingAgent]:
        """Take no more part; its tasks go to others. Raises NotFound."""
        return (yield from send(DELETE_ROUTING_AGENT, path={"agent_id": agent_id}))

    @operation
    def submit_routing_task(
        self,
        title: str,
        description: str | None = None,
        required_skills: Sequence[str] | None = None,
        urgency: Urgency | str = Urgency.NORMAL,
        timeout_seconds: int = 3600,
        max_retries: int = 2,
        callback_url: str | None = None,
    ) -> Flow[RoutingTaskAnswer]:
        """Hand over a task; `task.status` is assigned or, while nobody fits, pending. `callback_url` is kept and never
        called: a webhook on `task.completed` tells. Raises ValueError for another urgency."""
        body = SubmitRoutingTask(
            title=title,
            description=description,
            required_skills=None if required_skills is None else list(required_skills),
            urgency=Urgency(urgency),
            timeout_seconds=timeout_seconds,
            max_retries=max_retries,
            callback_url=callback_url,
        )
        return (yield from send(SUBMIT_ROUTING_TASK, body=body))

    @operation
    def list_routing_tasks(
        self,
        status: TaskStatus | str | None = None,
        assigned_to: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Flow[RoutingTasks]:
        """A page of tasks, newest first; `limit` is 1 to 200."""
        filters = {
            "status": status,
            "assigned_to": assigned_to,
            "limit": limit,
            "offset": offset,
            "cursor": cursor,
        }
        query = members(RoutingTasksQuery, filters, "list_routing_tasks")
        return (yield from send(LIST_ROUTING_TASKS, query=query))

    @operation
    def complete_routing_task(
        self, task_id: str, success: bool = True, result: Any = None, error: str | None = None
    ) -> Flow[RoutingTaskAnswer]:
        """Report a task; a failure with retries left goes to another agent. Raises NotFound, and Conflict for a task
        that has ended."""
        body: dict[str, Any] = {"success": success}
        if result is not None:
            body["result"] = result
        if error is not None:
            body["error"] = error
        return (yield from send(COMPLETE_ROUTING_TASK, path={"task_id": task_id}, body=body))

    @operation
    def get_routing_stats(self) -> Flow[RoutingStats]:
        """Agents and tasks, counted."""
        return (yield from send(GET_ROUTING_STATS))

    @operation
    def get_routing_health(self) -> Flow[RoutingHealth]:
        """Whether tasks find an agent."""
        return (yield from send(GET_ROUTING_HEALTH))
