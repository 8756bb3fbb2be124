"""Tasks and the agents that take them. Everything of one organization happens under one lock, so that two submissions
never see the same free agent.

Nobody watches the clock: whoever asks or reports has what is overdue by then counted as failed first. A report on an
overdue task comes before that, since late work is work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.routing import (
    AgentCounts,
    CompleteRoutingTask,
    DeletedRoutingAgent,
    RegisterRoutingAgent,
    RoutingAgent,
    RoutingAgents,
    RoutingHealth,
    RoutingHealthState,
    RoutingStats,
    RoutingStatus,
    RoutingTask,
    RoutingTaskAnswer,
    RoutingTasks,
    RoutingTasksQuery,
    SubmitRoutingTask,
    TaskStatus,
)
from assent_service.core.clock import Clock, microseconds, moment, new_id
from assent_service.core.faithful import digest_of
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.routing import queries, rules
from assent_service.routing.rules import Board, RoutingAgentRow
from assent_service.routing.state import RoutingState
from assent_service.routing.tables import ROUTING_TASKS
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

SYSTEM = "system"
NAMED = 20


class Routing:
    """The routing of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = RoutingState()

    async def register(self, principal: Principal, said: RegisterRoutingAgent) -> tuple[RoutingAgent, bool]:
        """The agent, and whether it is new. Raises `agent_mismatch` for a name that is another agent's."""
        async with self._turn(principal) as (board, now):
            known = next((each for each in board.agents.values() if each.name == said.name), None)
            if known is not None:
                _check_owner(principal, known)
            agent = RoutingAgentRow(
                org_id=principal.org_id,
                agent_id=new_id("ra_", microseconds(now)) if known is None else known.agent_id,
                name=said.name,
                capabilities=list(dict.fromkeys(said.capabilities or ())),
                max_concurrent=said.max_concurrent,
                status=RoutingStatus.AVAILABLE,
                endpoint=said.endpoint,
                owner_id=principal.agent_id if known is None else known.owner_id,
                last_assigned_at=None if known is None else known.last_assigned_at,
                created_by=principal.key_id if known is None else known.created_by,
                created_at=now if known is None else known.created_at,
                updated_at=now,
            )
            name = EventName.ROUTING_AGENT_CREATED if known is None else EventName.ROUTING_AGENT_UPDATED
            board.put(name, agent)
        return self._shown(board, agent.agent_id), known is None

    async def agents(self, principal: Principal, status: RoutingStatus | None) -> RoutingAgents:
        await self._look(principal)
        board = self.state.board(principal.org_id)
        found = [
            self._shown(board, agent_id)
            for agent_id, agent in board.agents.items()
            if status is None or agent.status is status
        ]
        return RoutingAgents(agents=found, total=len(found))

    async def agent(self, principal: Principal, agent_id: str) -> RoutingAgent:
        """Raises `agent_not_found`."""
        await self._look(principal)
        board = self.state.board(principal.org_id)
        return self._shown(board, _known(board, agent_id).agent_id)

    async def turn(self, principal: Principal, agent_id: str, status: RoutingStatus) -> RoutingAgent:
        """Raises `agent_not_found` and `agent_mismatch`."""
        async with self._turn(principal) as (board, now):
            agent = _known(board, agent_id)
            _check_owner(principal, agent)
            if agent.status is not status:
                turned = msgspec.structs.replace(agent, status=status, updated_at=now)
                board.put(EventName.ROUTING_AGENT_UPDATED, turned)
        return self._shown(board, agent_id)

    async def delete(self, principal: Principal, agent_id: str) -> DeletedRoutingAgent:
        """Raises `agent_not_found` and `agent_mismatch`."""
        async with self._turn(principal) as (board, now):
            agent = _known(board, agent_id)
            _check_owner(principal, agent)
            returned = rules.leave(board, agent, now)
        return DeletedRoutingAgent(deleted=True, agent_id=agent_id, returned=returned)

    async def submit(self, principal: Principal, said: SubmitRoutingTask) -> RoutingTaskAnswer:
        async with self._turn(principal) as (board, now):
            task = RoutingTask(
                org_id=principal.org_id,
                task_id=new_id("task_", microseconds(now)),
                title=said.title,
                description=said.description,
                required_skills=list(dict.fromkeys(said.required_skills or ())),
                urgency=said.urgency,
                timeout_seconds=said.timeout_seconds,
                max_retries=said.max_retries,
                retry_count=0,
                callback_url=said.callback_url,
                status=TaskStatus.PENDING,
                assigned_to=None,
                failed_agents=[],
                result=None,
                error=None,
                submitted_by=principal.agent_id,
                created_by=principal.key_id,
                created_at=now,
                updated_at=now,
                assigned_at=None,
                completed_at=None,
            )
            board.put(EventName.TASK_CREATED, task)
        return self._answer(board, board.tasks[task.task_id])

    async def complete(self, principal: Principal, task_id: str, said: CompleteRoutingTask) -> RoutingTaskAnswer:
        """Raises `task_not_found`, `task_done` and `agent_mismatch`; `invalid_body` for a result that cannot be
        recorded faithfully."""
        digest_of(said.result, "result")
        async with self._turn(principal, first=task_id) as (board, now):
            task = board.tasks.get(task_id)
            if task is None:
                raise await self._ended(principal, task_id)
            agent = board.agents.get(task.assigned_to or "")
            if agent is not None:
                _check_owner(principal, agent)
            if said.success:
                rules.succeed(board, task, said.result, now)
            else:
                rules.fail(board, task, said.error, now, said.result)
        after = [changed for _, changed in board.changes if isinstance(changed, RoutingTask)]
        return self._answer(board, [each for each in after if each.task_id == task_id][-1])

    async def tasks(self, principal: Principal, query: RoutingTasksQuery) -> RoutingTasks:
        await self._look(principal)
        return await queries.list_tasks(self._ledger, principal.org_id, query)

    async def stats(self, principal: Principal) -> RoutingStats:
        await self._look(principal)
        board = self.state.board(principal.org_id)
        by_status = {status.value: 0 for status in RoutingStatus}
        for agent in board.agents.values():
            by_status[agent.status.value] += 1
        available = [each for each in board.agents.values() if each.status is RoutingStatus.AVAILABLE]
        return RoutingStats(
            agents=AgentCounts(total=len(board.agents), **by_status),
            tasks=await queries.count_tasks(self._ledger, principal.org_id),
            capacity=sum(agent.max_concurrent for agent in available),
            load=sum(board.load(agent.agent_id) for agent in available),
            average_seconds=await queries.average_seconds(self._ledger, principal.org_id),
        )

    async def health(self, principal: Principal) -> RoutingHealth:
        await self._look(principal)
        board = self.state.board(principal.org_id)
        nobodys = rules.unroutable(board)
        pending = sum(task.status is TaskStatus.PENDING for task in board.tasks.values())
        waiting = RoutingHealthState.DEGRADED if pending else RoutingHealthState.HEALTHY
        return RoutingHealth(
            status=RoutingHealthState.UNHEALTHY if nobodys else waiting,
            agents_available=sum(each.status is RoutingStatus.AVAILABLE for each in board.agents.values()),
            pending_tasks=pending,
            unroutable_tasks=len(nobodys),
            unroutable=nobodys[:NAMED],
            checked_at=moment(self._clock()),
        )

    @asynccontextmanager
    async def _turn(self, principal: Principal, first: str | None = None) -> AsyncIterator[tuple[Board, datetime]]:
        """A board to change under the organization's lock. What is overdue fails before, but for the task `first`;
        what waits is assigned after; then all of it is recorded at once, or none."""
        async with self._locks.hold(f"routing:{principal.org_id}"):
            board, now = self.state.board(principal.org_id), moment(self._clock())
            spared = board.tasks.get(first or "")
            if spared is None:
                rules.expire(board, now)
            yield board, now
            if spared is not None:
                rules.expire(board, now)
            rules.assign(board, now)
            await self._record(board, principal.key_id, now)

    async def _look(self, principal: Principal) -> None:
        """Before somebody reads: what is overdue has failed. A store that cannot be written to is no reason not to
        read."""
        now = moment(self._clock())
        if not any(rules.overdue(task, now) for task in self.state.board(principal.org_id).tasks.values()):
            return
        async with self._locks.hold(f"routing:{principal.org_id}"):
            board = self.state.board(principal.org_id)
            rules.expire(board, now)
            rules.assign(board, now)
            try:
                await self._record(board, SYSTEM, now)
            except Refusal:
                return

    async def _record(self, board: Board, actor: str, now: datetime) -> None:
        drafts = [
            Draft(
                org=changed.org_id,
                type=name.value,
                ts=microseconds(now),
                subject=changed.task_id if isinstance(changed, RoutingTask) else changed.agent_id,
                actor=actor,
                data=encode(changed),
            )
            for name, changed in board.changes
        ]
        if drafts:
            await self._ledger.append(*drafts)

    async def _ended(self, principal: Principal, task_id: str) -> Refusal:
        found = await find_row(self._ledger, ROUTING_TASKS, RoutingTask, principal.org_id, task_id)
        if found is None:
            return refuse(Code.TASK_NOT_FOUND, f"There is no task {task_id[:128]!r} in this organization.")
        ended = found.completed_at
        at = "" if ended is None else f" since {ended.isoformat()}"
        return refuse(
            Code.TASK_DONE, f"Task {task_id} is {found.status}{at}; submit another one if it is to be redone."
        )

    def _shown(self, board: Board, agent_id: str) -> RoutingAgent:
        agent = board.agents[agent_id]
        members = msgspec.structs.asdict(agent)
        del members["deleted_at"]
        return RoutingAgent(**members, current_load=board.load(agent_id))

    def _answer(self, board: Board, task: RoutingTask) -> RoutingTaskAnswer:
        agent_id = task.assigned_to if task.status is TaskStatus.ASSIGNED else None
        agent = None if agent_id is None else self._shown(board, agent_id)
        return RoutingTaskAnswer(task=task, task_id=task.task_id, agent=agent)


def _known(board: Board, agent_id: str) -> RoutingAgentRow:
    found = board.agents.get(agent_id)
    if found is None:
        raise refuse(Code.AGENT_NOT_FOUND, f"There is no routing agent {agent_id[:128]!r} in this organization.")
    return found


def _check_owner(principal: Principal, agent: RoutingAgentRow) -> None:
    """A key that is bound to an agent speaks for its own routing agents, and for those that are nobody's."""
    if agent.owner_id is not None:
        principal.speaks_for(agent.owner_id)
