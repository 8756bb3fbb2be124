"""Who gets which task. Pure: a board goes in, the changes to it come out.

1. An agent fits a task when it is available, has every required skill (whatever the case), and has fewer tasks than it
   does at a time. Of those that fit, the one with the fewest tasks gets it; then the one whose last assignment is
   longest ago, never comes first; then the lowest id.
2. A task that failed goes to another agent: to one that has failed it already only when no other agent that is not
   offline has the skills.
3. Waiting tasks are assigned by urgency, then by age, then by id. One that nobody fits keeps nobody else waiting.
4. A failure counts; after more failures than `max_retries` the task has failed, before that it waits again. A task that
   its agent has not reported within `timeout_seconds` of the assignment is such a failure.
5. An agent that leaves gives its tasks back, which is no failure. One that is busy or offline keeps what it has.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from assent.contract.events import EventName
from assent.contract.exchange.routing import RoutingAgentRow, RoutingStatus, RoutingTask, TaskStatus, Urgency

OPEN = (TaskStatus.PENDING, TaskStatus.ASSIGNED)
NEVER = datetime.min.replace(tzinfo=UTC)
_URGENCY = {urgency: -place for place, urgency in enumerate(Urgency)}


Changed = tuple[EventName, RoutingAgentRow | RoutingTask]


class Board:
    """The agents and the open tasks of one organization, to be tried out; `changes` are what came of it, in order."""

    def __init__(self, agents: dict[str, RoutingAgentRow], tasks: dict[str, RoutingTask]) -> None:
        self.agents, self.tasks = dict(agents), dict(tasks)
        self.changes: list[Changed] = []
        self.loads: dict[str, int] = {}
        for task in tasks.values():
            self._count(task, 1)

    def load(self, agent_id: str) -> int:
        return self.loads.get(agent_id, 0)

    def put(self, name: EventName, changed: RoutingAgentRow | RoutingTask) -> None:
        """Record a change; a task that has ended and an agent that has left go off the board."""
        self.changes.append((name, changed))
        if isinstance(changed, RoutingTask):
            before = self.tasks.pop(changed.task_id, None)
            if before is not None:
                self._count(before, -1)
            if changed.status in OPEN:
                self.tasks[changed.task_id] = changed
                self._count(changed, 1)
        elif changed.deleted_at is None:
            self.agents[changed.agent_id] = changed
        else:
            self.agents.pop(changed.agent_id, None)

    def _count(self, task: RoutingTask, by: int) -> None:
        if task.status is TaskStatus.ASSIGNED and task.assigned_to is not None:
            self.loads[task.assigned_to] = self.load(task.assigned_to) + by


def skilled(agent: RoutingAgentRow, task: RoutingTask) -> bool:
    has = {skill.casefold() for skill in agent.capabilities}
    return all(skill.casefold() in has for skill in task.required_skills)


def choose(board: Board, task: RoutingTask) -> RoutingAgentRow | None:
    """Who gets the task; None while nobody fits."""
    able = [agent for agent in board.agents.values() if skilled(agent, task)]
    fitting = [agent for agent in able if _free(board, agent)]
    fresh = [agent for agent in fitting if agent.agent_id not in task.failed_agents]
    if not fresh and any(
        agent.agent_id not in task.failed_agents and agent.status is not RoutingStatus.OFFLINE for agent in able
    ):
        return None
    return min(
        fresh or fitting,
        key=lambda agent: (board.load(agent.agent_id), _last(agent), agent.agent_id),
        default=None,
    )


def assign(board: Board, now: datetime) -> None:
    """Give every waiting task that somebody fits to somebody."""
    waiting = [task for task in board.tasks.values() if task.status is TaskStatus.PENDING]
    for task in sorted(waiting, key=lambda each: (_URGENCY[each.urgency], each.created_at, each.task_id)):
        agent = choose(board, task)
        if agent is None:
            continue
        given = _replaced(task, now, status=TaskStatus.ASSIGNED, assigned_to=agent.agent_id, assigned_at=now)
        board.put(EventName.TASK_ASSIGNED, given)
        taken = msgspec.structs.replace(agent, last_assigned_at=now, updated_at=now)
        board.put(EventName.ROUTING_AGENT_UPDATED, taken)


def expire(board: Board, now: datetime) -> None:
    """Count every task as failed whose agent took too long."""
    for task in list(board.tasks.values()):
        if overdue(task, now):
            fail(board, task, f"No report within {task.timeout_seconds} s of the assignment.", now)


def overdue(task: RoutingTask, now: datetime) -> bool:
    assigned = task.assigned_at if task.status is TaskStatus.ASSIGNED else None
    return assigned is not None and now >= assigned + timedelta(seconds=task.timeout_seconds)


def succeed(board: Board, task: RoutingTask, result: Any, now: datetime) -> None:
    done = _replaced(task, now, status=TaskStatus.COMPLETED, result=result, error=None, completed_at=now)
    board.put(EventName.TASK_COMPLETED, done)


def fail(board: Board, task: RoutingTask, error: str | None, now: datetime, result: Any = None) -> None:
    count = task.retry_count + 1
    whom = [] if task.assigned_to is None else [task.assigned_to]
    tried = list(dict.fromkeys([*task.failed_agents, *whom]))
    members: dict[str, Any] = {"retry_count": count, "failed_agents": tried, "error": error, "result": result}
    if count > task.max_retries:
        ended = _replaced(task, now, status=TaskStatus.FAILED, completed_at=now, **members)
        board.put(EventName.TASK_COMPLETED, ended)
    else:
        again = _replaced(task, now, status=TaskStatus.PENDING, assigned_to=None, assigned_at=None, **members)
        board.put(EventName.TASK_UPDATED, again)


def leave(board: Board, agent: RoutingAgentRow, now: datetime) -> int:
    """Take an agent off the board; how many tasks it gave back."""
    board.put(EventName.ROUTING_AGENT_UPDATED, msgspec.structs.replace(agent, updated_at=now, deleted_at=now))
    returned = 0
    for task in list(board.tasks.values()):
        if task.status is TaskStatus.ASSIGNED and task.assigned_to == agent.agent_id:
            back = _replaced(task, now, status=TaskStatus.PENDING, assigned_to=None, assigned_at=None)
            board.put(EventName.TASK_UPDATED, back)
            returned += 1
    return returned


def unroutable(board: Board) -> list[str]:
    """The waiting tasks whose skills no agent has, whatever its status."""
    return [
        task.task_id
        for task in board.tasks.values()
        if task.status is TaskStatus.PENDING and not any(skilled(agent, task) for agent in board.agents.values())
    ]


def _free(board: Board, agent: RoutingAgentRow) -> bool:
    return agent.status is RoutingStatus.AVAILABLE and board.load(agent.agent_id) < agent.max_concurrent


def _last(agent: RoutingAgentRow) -> datetime:
    return agent.last_assigned_at or NEVER


def _replaced(task: RoutingTask, now: datetime, **members: Any) -> RoutingTask:
    return msgspec.structs.replace(task, updated_at=now, **members)
