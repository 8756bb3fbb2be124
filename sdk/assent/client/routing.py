"""Routing: registering as somebody who takes tasks, submitting tasks, and reporting what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.exchange.routing import (
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
    RoutingStatus,
    TaskStatus,
    Urgency,
)


class RoutingOperations(Caller):
    @sends(REGISTER_ROUTING_AGENT, unless_default=("max_concurrent",))
    def register_routing_agent(
        self, name: str, capabilities: Sequence[str] | None = None, max_concurrent: int = 3, endpoint: str | None = None
    ) -> Response:
        """Take part in routing with these skills; a name that is registered already is the same agent, available again.
        `agent_id` of the answer is its id in routing."""

    @sends(LIST_ROUTING_AGENTS)
    def list_routing_agents(self, status: RoutingStatus | str | None = None) -> Response:
        """Who takes tasks, in the order of registration."""

    @sends(GET_ROUTING_AGENT)
    def get_routing_agent(self, agent_id: str) -> Response:
        """One of them, with its load. Raises NotFound."""

    @sends(UPDATE_ROUTING_AGENT_STATUS, one_of={"status": RoutingStatus})
    def update_routing_agent_status(self, agent_id: str, status: RoutingStatus | str) -> Response:
        """`available`, `busy` or `offline`. Raises NotFound, and ValueError for another status."""

    @sends(DELETE_ROUTING_AGENT)
    def delete_routing_agent(self, agent_id: str) -> Response:
        """Take no more part; its tasks go to others. Raises NotFound."""

    @sends(SUBMIT_ROUTING_TASK, one_of={"urgency": Urgency}, unless_default=("urgency", "max_retries"))
    def submit_routing_task(
        self,
        title: str,
        description: str | None = None,
        required_skills: Sequence[str] | None = None,
        urgency: Urgency | str = Urgency.NORMAL,
        timeout_seconds: int = 3600,
        max_retries: int = 2,
        callback_url: str | None = None,
    ) -> Response:
        """Hand over a task; `task.status` is assigned or, while nobody fits, pending. `callback_url` is kept and never
        called: a webhook on `task.completed` tells. Raises ValueError for another urgency."""

    @sends(LIST_ROUTING_TASKS)
    def list_routing_tasks(
        self,
        status: TaskStatus | str | None = None,
        assigned_to: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of tasks, newest first; `limit` is 1 to 200."""

    @sends(COMPLETE_ROUTING_TASK)
    def complete_routing_task(
        self, task_id: str, success: bool = True, result: Any = None, error: str | None = None
    ) -> Response:
        """Report a task; a failure with retries left goes to another agent. Raises NotFound, and Conflict for a task
        that has ended."""

    @sends(GET_ROUTING_STATS)
    def get_routing_stats(self) -> Response:
        """Agents and tasks, counted."""

    @sends(GET_ROUTING_HEALTH)
    def get_routing_health(self) -> Response:
        """Whether tasks find an agent."""
