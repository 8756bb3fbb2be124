"""Routing of tasks to agents: registering agents, submitting and completing tasks, their lists and numbers.

Everything of one organization happens under one lock, so that two submissions never see the same free agent.

Nobody watches the clock: whoever asks or reports has what is overdue by then counted as failed first. A report on an
overdue task comes before that, since late work is work.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import msgspec

from assent.contract.events import EventName
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
    AgentCounts,
    CompleteRoutingTask,
    DeletedRoutingAgent,
    RegisterRoutingAgent,
    RoutingAgent,
    RoutingAgentAnswer,
    RoutingAgentRow,
    RoutingAgents,
    RoutingAgentsQuery,
    RoutingHealth,
    RoutingHealthState,
    RoutingStats,
    RoutingStatus,
    RoutingTask,
    RoutingTaskAnswer,
    RoutingTasks,
    RoutingTasksQuery,
    SubmitRoutingTask,
    TaskCounts,
    TaskStatus,
    UpdateRoutingAgentStatus,
)
from assent.contract.problems import Code
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Answer, Call
from assent_service.core.carry import carry
from assent_service.core.faithful import digest_of
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, Filters, find_row, list_rows
from assent_service.exchange.routing import rules
from assent_service.exchange.routing.rules import Board
from assent_service.exchange.routing.state import ROUTING_TASKS, RoutingState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

# Tasks from the tables: pages, one by its id, and counts.


FILTERS = Filters(ROUTING_TASKS, RoutingTasksQuery)
_TOOK = "avg(extract(epoch FROM (completed_at - assigned_at)))"


async def list_tasks(ledger: Ledger, org_id: str, query: RoutingTasksQuery) -> RoutingTasks:
    chosen = Filter(org_id)
    FILTERS.narrow(chosen, query)
    page = await list_rows(ledger, ROUTING_TASKS, RoutingTask, chosen, query)
    return RoutingTasks(tasks=page.rows, total=page.total, next_cursor=page.next_cursor)


async def count_tasks(ledger: Ledger, org_id: str) -> TaskCounts:
    rows = await ledger.read("SELECT status, count(*) FROM routing_tasks WHERE org_id = ? GROUP BY status", [org_id])
    counts = {TaskStatus(str(status)): int(str(n)) for status, n in rows}
    return TaskCounts(total=sum(counts.values()), **{status.value: counts.get(status, 0) for status in TaskStatus})


async def average_seconds(ledger: Ledger, org_id: str) -> float | None:
    """From assignment to completion, over the tasks that were completed by an agent."""
    ((took,),) = await ledger.read(
        f"SELECT {_TOOK} FROM routing_tasks WHERE org_id = ? AND status = 'completed' AND assigned_at IS NOT NULL",
        [org_id],
    )
    return None if took is None else float(str(took))


ROUTING_FENCE = Fence("routing")
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
            agent = carry(
                RoutingAgentRow,
                said,
                org_id=principal.org_id,
                agent_id=new_id("ra_", microseconds(now)) if known is None else known.agent_id,
                capabilities=list(dict.fromkeys(said.capabilities or ())),
                status=RoutingStatus.AVAILABLE,
                owner_id=principal.agent_id if known is None else known.owner_id,
                last_assigned_at=None if known is None else known.last_assigned_at,
                created_by=principal.key_id if known is None else known.created_by,
                created_at=now if known is None else known.created_at,
                updated_at=now,
            )
            name = EventName.ROUTING_AGENT_CREATED if known is None else EventName.ROUTING_AGENT_UPDATED
            board.put(name, agent)
        return self._agent_answer(board, agent.agent_id), known is None

    async def agents(self, principal: Principal, status: RoutingStatus | None) -> RoutingAgents:
        await self._look(principal)
        board = self.state.board(principal.org_id)
        found = [
            self._agent_answer(board, agent_id)
            for agent_id, agent in board.agents.items()
            if status is None or agent.status is status
        ]
        return RoutingAgents(agents=found, total=len(found))

    async def agent(self, principal: Principal, agent_id: str) -> RoutingAgent:
        """Raises `agent_not_found`."""
        await self._look(principal)
        board = self.state.board(principal.org_id)
        return self._agent_answer(board, _known(board, agent_id).agent_id)

    async def turn(self, principal: Principal, agent_id: str, status: RoutingStatus) -> RoutingAgent:
        """Raises `agent_not_found` and `agent_mismatch`."""
        async with self._turn(principal) as (board, now):
            agent = _known(board, agent_id)
            _check_owner(principal, agent)
            if agent.status is not status:
                turned = msgspec.structs.replace(agent, status=status, updated_at=now)
                board.put(EventName.ROUTING_AGENT_UPDATED, turned)
        return self._agent_answer(board, agent_id)

    async def delete(self, principal: Principal, agent_id: str) -> DeletedRoutingAgent:
        """Raises `agent_not_found` and `agent_mismatch`."""
        async with self._turn(principal) as (board, now):
            agent = _known(board, agent_id)
            _check_owner(principal, agent)
            returned = rules.leave(board, agent, now)
        return DeletedRoutingAgent(deleted=True, agent_id=agent_id, returned=returned)

    async def submit(self, principal: Principal, said: SubmitRoutingTask) -> RoutingTaskAnswer:
        async with self._turn(principal) as (board, now):
            task = carry(
                RoutingTask,
                said,
                org_id=principal.org_id,
                task_id=new_id("task_", microseconds(now)),
                required_skills=list(dict.fromkeys(said.required_skills or ())),
                retry_count=0,
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
            else:
                principal.check_owner(task.submitted_by, f"Task {task_id}, which nobody is at,")
            if said.success:
                rules.succeed(board, task, said.result, now)
            else:
                rules.fail(board, task, said.error, now, said.result)
        after = [changed for _, changed in board.changes if isinstance(changed, RoutingTask)]
        return self._answer(board, [each for each in after if each.task_id == task_id][-1])

    async def tasks(self, principal: Principal, query: RoutingTasksQuery) -> RoutingTasks:
        await self._look(principal)
        return await list_tasks(self._ledger, principal.org_id, query)

    async def stats(self, principal: Principal) -> RoutingStats:
        await self._look(principal)
        board = self.state.board(principal.org_id)
        by_status = {status.value: 0 for status in RoutingStatus}
        for agent in board.agents.values():
            by_status[agent.status.value] += 1
        available = [each for each in board.agents.values() if each.status is RoutingStatus.AVAILABLE]
        return RoutingStats(
            agents=AgentCounts(total=len(board.agents), **by_status),
            tasks=await count_tasks(self._ledger, principal.org_id),
            capacity=sum(agent.max_concurrent for agent in available),
            load=sum(board.load(agent.agent_id) for agent in available),
            average_seconds=await average_seconds(self._ledger, principal.org_id),
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
        async with self._locks.hold(ROUTING_FENCE.of(principal.org_id)):
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
        async with self._locks.hold(ROUTING_FENCE.of(principal.org_id)):
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

    def _agent_answer(self, board: Board, agent_id: str) -> RoutingAgent:
        agent = board.agents[agent_id]
        members = msgspec.structs.asdict(agent)
        del members["deleted_at"]
        return RoutingAgent(**members, current_load=board.load(agent_id))

    def _answer(self, board: Board, task: RoutingTask) -> RoutingTaskAnswer:
        agent_id = task.assigned_to if task.status is TaskStatus.ASSIGNED else None
        agent = None if agent_id is None else self._agent_answer(board, agent_id)
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


def routes(routing: Routing) -> tuple[Route, ...]:
    return (*_agents(routing), *_tasks(routing))


def _agents(routing: Routing) -> tuple[Route, ...]:
    @serves(REGISTER_ROUTING_AGENT, holds=(ROUTING_FENCE,))
    async def register(call: Call[RegisterRoutingAgent, None]) -> Answer[RoutingAgentAnswer]:
        agent, new = await routing.register(call.principal, call.body)
        return Answer(RoutingAgentAnswer(agent=agent, agent_id=agent.agent_id), 201 if new else 200)

    @serves(LIST_ROUTING_AGENTS)
    async def list_all(call: Call[None, RoutingAgentsQuery]) -> RoutingAgents:
        return await routing.agents(call.principal, call.query.status)

    @serves(GET_ROUTING_AGENT)
    async def get(call: Call[None, None], agent_id: str) -> RoutingAgentAnswer:
        agent = await routing.agent(call.principal, agent_id)
        return RoutingAgentAnswer(agent=agent, agent_id=agent.agent_id)

    @serves(UPDATE_ROUTING_AGENT_STATUS, holds=(ROUTING_FENCE,))
    async def turn(call: Call[UpdateRoutingAgentStatus, None], agent_id: str) -> RoutingAgentAnswer:
        agent = await routing.turn(call.principal, agent_id, call.body.status)
        return RoutingAgentAnswer(agent=agent, agent_id=agent.agent_id)

    @serves(DELETE_ROUTING_AGENT, holds=(ROUTING_FENCE,))
    async def delete(call: Call[None, None], agent_id: str) -> DeletedRoutingAgent:
        return await routing.delete(call.principal, agent_id)

    return register, list_all, get, turn, delete


def _tasks(routing: Routing) -> tuple[Route, ...]:
    @serves(SUBMIT_ROUTING_TASK, holds=(ROUTING_FENCE,))
    async def submit(call: Call[SubmitRoutingTask, None]) -> RoutingTaskAnswer:
        return await routing.submit(call.principal, call.body)

    @serves(LIST_ROUTING_TASKS)
    async def list_all(call: Call[None, RoutingTasksQuery]) -> RoutingTasks:
        return await routing.tasks(call.principal, call.query)

    @serves(COMPLETE_ROUTING_TASK, holds=(ROUTING_FENCE,))
    async def complete(call: Call[CompleteRoutingTask, None], task_id: str) -> RoutingTaskAnswer:
        return await routing.complete(call.principal, task_id, call.body)

    @serves(GET_ROUTING_STATS)
    async def stats(call: Call[None, None]) -> RoutingStats:
        return await routing.stats(call.principal)

    @serves(GET_ROUTING_HEALTH)
    async def health(call: Call[None, None]) -> RoutingHealth:
        return await routing.health(call.principal)

    return submit, list_all, complete, stats, health
