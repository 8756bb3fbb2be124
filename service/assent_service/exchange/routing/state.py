"""Agents and open tasks in memory, by organization: what an assignment is decided on. Tasks that have ended are only in
the tables."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.exchange.routing import RoutingAgentRow, RoutingTask
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.exchange.routing.rules import OPEN, Board
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.store.tables import Table

ROUTING_AGENTS = Table.of(
    RoutingAgentRow,
    name="routing_agents",
    meaning="agents that take tasks, one row for each as it is now",
    key="agent_id",
    created=("routing_agent.created",),
    replaced=("routing_agent.updated",),
)
ROUTING_TASKS = Table.of(
    RoutingTask,
    name="routing_tasks",
    meaning="tasks that were handed to routing, one row for each as it is now",
    key="task_id",
    created=("task.created",),
    replaced=(
        "task.assigned",
        "task.updated",
        "task.completed",
    ),
)


OF_AGENTS = frozenset({EventName.ROUTING_AGENT_CREATED.value, EventName.ROUTING_AGENT_UPDATED.value})
_PRESENT = f"SELECT {select(ROUTING_AGENTS)} FROM routing_agents WHERE deleted_at IS NULL ORDER BY created_at, agent_id"
_OPEN = (
    f"SELECT {select(ROUTING_TASKS)} FROM routing_tasks WHERE status IN ('pending', 'assigned') "
    "ORDER BY created_at, task_id"
)


class RoutingState:
    """Who takes tasks, and which tasks are open."""

    types = OF_AGENTS | ROUTING_TASKS.types

    def __init__(self) -> None:
        self._agents: dict[str, dict[str, RoutingAgentRow]] = {}
        self._tasks: dict[str, dict[str, RoutingTask]] = {}

    def load(self, read: Read) -> None:
        for row in read(_PRESENT, []):
            self._keep_agent(record(ROUTING_AGENTS, row, RoutingAgentRow))
        for row in read(_OPEN, []):
            self._keep_task(record(ROUTING_TASKS, row, RoutingTask))

    def fold(self, event: Event) -> None:
        if event.type in OF_AGENTS:
            self._keep_agent(decode(event, RoutingAgentRow))
        else:
            self._keep_task(decode(event, RoutingTask))

    def board(self, org_id: str) -> Board:
        """A copy to try things out on."""
        return Board(self._agents.get(org_id, {}), self._tasks.get(org_id, {}))

    def _keep_agent(self, agent: RoutingAgentRow) -> None:
        agents = self._agents.setdefault(agent.org_id, {})
        if agent.deleted_at is None:
            agents[agent.agent_id] = agent
        else:
            agents.pop(agent.agent_id, None)

    def _keep_task(self, task: RoutingTask) -> None:
        tasks = self._tasks.setdefault(task.org_id, {})
        if task.status in OPEN:
            tasks[task.task_id] = task
        else:
            tasks.pop(task.task_id, None)
