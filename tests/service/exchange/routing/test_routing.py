"""Routing as a service: races, overdue tasks, restarts, and who may do what to whose agent."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest

from assent.contract.exchange.routing import (
    CompleteRoutingTask,
    RegisterRoutingAgent,
    RoutingStatus,
    RoutingTasksQuery,
    SubmitRoutingTask,
    TaskStatus,
)
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.exchange.routing import Routing
from assent_service.exchange.routing.state import RoutingState
from tests.service.control.actions.world import MINUTE, World, locks_of, opened, refused


@pytest.fixture
def routing(world: World) -> Routing:
    return routing_of(world)


def routing_of(world: World) -> Routing:
    (state,) = [each for each in world.service.memories if isinstance(each, RoutingState)]
    made = Routing(world.service.ledger, world.clock, locks_of(world.service.ledger))
    made.state = state
    return made


async def test_fifty_submissions_race_for_three_agents(world: World, routing: Routing) -> None:
    for number in (1, 2, 3):
        await routing.register(world.admin, RegisterRoutingAgent(name=f"a{number}", max_concurrent=number))
    made = await asyncio.gather(
        *(routing.submit(world.admin, SubmitRoutingTask(title=str(number))) for number in range(50))
    )
    assert sum(each.task.status is TaskStatus.ASSIGNED for each in made) == 6
    agents = (await routing.agents(world.admin, None)).agents
    assert [each.current_load for each in agents] == [1, 2, 3]
    done: set[str] = set()
    while len(done) < 50:
        page = await routing.tasks(world.admin, RoutingTasksQuery(status=TaskStatus.ASSIGNED, limit=200))
        assert 0 < page.total <= 6
        ids = [each.task_id for each in page.tasks]
        await asyncio.gather(*(routing.complete(world.admin, each, CompleteRoutingTask()) for each in ids))
        assert not done & set(ids)
        done |= set(ids)
        assert all(
            each.current_load <= each.max_concurrent for each in (await routing.agents(world.admin, None)).agents
        )
    stats = await routing.stats(world.admin)
    assert (stats.tasks.completed, stats.tasks.total, stats.load, stats.capacity) == (50, 50, 0, 6)


async def test_one_report_of_two_at_once_wins(world: World, routing: Routing) -> None:
    await routing.register(world.admin, RegisterRoutingAgent(name="a"))
    task_id = (await routing.submit(world.admin, SubmitRoutingTask(title="t"))).task_id
    both = await asyncio.gather(
        *(routing.complete(world.admin, task_id, CompleteRoutingTask(result=n)) for n in (1, 2)), return_exceptions=True
    )
    assert sum(isinstance(each, Exception) for each in both) == 1


async def test_what_is_overdue_goes_to_another_when_somebody_looks(world: World, routing: Routing) -> None:
    first, _ = await routing.register(world.admin, RegisterRoutingAgent(name="first"))
    said = SubmitRoutingTask(title="t", timeout_seconds=60, max_retries=1)
    task_id = (await routing.submit(world.admin, said)).task_id
    second, _ = await routing.register(world.admin, RegisterRoutingAgent(name="second"))
    world.clock.turn(MINUTE)
    (task,) = (await routing.tasks(world.admin, RoutingTasksQuery())).tasks
    assert (task.assigned_to, task.retry_count, task.failed_agents) == (second.agent_id, 1, [first.agent_id])
    assert task.error == "No report within 60 s of the assignment."
    world.clock.turn(MINUTE)
    (task,) = (await routing.tasks(world.admin, RoutingTasksQuery())).tasks
    assert (task.status, task.retry_count) == (TaskStatus.FAILED, 2)
    async with refused(Code.TASK_DONE):
        await routing.complete(world.admin, task_id, CompleteRoutingTask())
    types = [event.type for event in await world.events(kind="task.")]
    assert types == [
        *("task.created", "task.assigned"),
        *("task.updated", "task.assigned"),
        "task.completed",
    ]


async def test_late_work_is_work(world: World, routing: Routing) -> None:
    await routing.register(world.admin, RegisterRoutingAgent(name="a"))
    task_id = (await routing.submit(world.admin, SubmitRoutingTask(title="t", timeout_seconds=60))).task_id
    world.clock.turn(5 * MINUTE)
    done = await routing.complete(world.admin, task_id, CompleteRoutingTask(result={"n": 1}))
    assert (done.task.status, done.task.result, done.task.retry_count) == (TaskStatus.COMPLETED, {"n": 1}, 0)


async def test_memory_after_a_restart_is_what_it_was(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        routing = routing_of(world)
        await routing.register(world.admin, RegisterRoutingAgent(name="a", capabilities=["code"], max_concurrent=1))
        gone, _ = await routing.register(world.admin, RegisterRoutingAgent(name="b"))
        for number in range(4):
            await routing.submit(world.admin, SubmitRoutingTask(title=str(number), required_skills=["code"]))
        await routing.delete(world.admin, gone.agent_id)
        page = await routing.tasks(world.admin, RoutingTasksQuery(status=TaskStatus.ASSIGNED))
        await routing.complete(world.admin, page.tasks[0].task_id, CompleteRoutingTask(success=False, error="no"))
        before = routing.state.board(world.org_id)
        clock, org_id = world.clock, world.org_id
    async with opened(tmp_path, clock) as world:
        after = routing_of(world).state.board(org_id)
        assert (after.agents, after.tasks, after.loads) == (before.agents, before.tasks, before.loads)
        fresh = RoutingState()
        fresh.load(lambda sql, parameters: world.service.ledger.read_now(sql, parameters))
        loaded = fresh.board(org_id)
        assert (loaded.agents, loaded.tasks, loaded.loads) == (before.agents, before.tasks, before.loads)


async def test_a_name_is_one_agent_and_a_bound_key_speaks_for_its_own(world: World, routing: Routing) -> None:
    ada, eve = world.somebody(agent_id="ada"), world.somebody(agent_id="eve")
    made, new = await routing.register(ada, RegisterRoutingAgent(name="ada", capabilities=["x"]))
    again, newer = await routing.register(ada, RegisterRoutingAgent(name="ada", capabilities=["y"]))
    assert (new, newer, again.agent_id, again.capabilities) == (True, False, made.agent_id, ["y"])
    async with refused(Code.AGENT_MISMATCH):
        await routing.register(eve, RegisterRoutingAgent(name="ada"))
    async with refused(Code.AGENT_MISMATCH):
        await routing.turn(eve, made.agent_id, RoutingStatus.BUSY)
    async with refused(Code.AGENT_MISMATCH):
        await routing.delete(eve, made.agent_id)
    task_id = (await routing.submit(eve, SubmitRoutingTask(title="t", required_skills=["y"]))).task_id
    async with refused(Code.AGENT_MISMATCH):
        await routing.complete(eve, task_id, CompleteRoutingTask())
    assert (await routing.complete(ada, task_id, CompleteRoutingTask())).task.submitted_by == "eve"


async def test_another_organization_is_another_world(world: World, routing: Routing) -> None:
    stranger = await world.stranger()
    mine, _ = await routing.register(world.admin, RegisterRoutingAgent(name="a"))
    theirs = await routing.submit(stranger, SubmitRoutingTask(title="t"))
    assert theirs.task.status is TaskStatus.PENDING
    async with refused(Code.AGENT_NOT_FOUND):
        await routing.agent(stranger, mine.agent_id)
    async with refused(Code.TASK_NOT_FOUND):
        await routing.complete(world.admin, theirs.task_id, CompleteRoutingTask())
    assert (await routing.agents(stranger, None)).total == 0


async def test_a_full_disk_does_not_keep_anybody_from_reading(world: World, routing: Routing) -> None:
    await routing.register(world.admin, RegisterRoutingAgent(name="a"))
    await routing.submit(world.admin, SubmitRoutingTask(title="t", timeout_seconds=1))
    world.clock.turn(MINUTE)
    world.break_disk().errors["write"] = errno.ENOSPC
    (task,) = (await routing.tasks(world.admin, RoutingTasksQuery())).tasks
    assert task.status is TaskStatus.ASSIGNED
    async with refused(Code.STORAGE_UNAVAILABLE):
        await routing.submit(world.admin, SubmitRoutingTask(title="t"))
    assert len((await routing.tasks(world.admin, RoutingTasksQuery())).tasks) == 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "agents", {}, 400, "invalid_body"),
        ("POST", "agents", {"name": "a", "maxConcurrent": 0}, 400, "invalid_body"),
        ("POST", "agents", {"name": "a", "capabilities": "code"}, 400, "invalid_body"),
        ("PATCH", "agents/ra_1", {"status": "asleep"}, 400, "invalid_body"),
        ("PATCH", "agents/ra_1", {"status": "busy"}, 404, "agent_not_found"),
        ("DELETE", "agents/ra_1", None, 404, "agent_not_found"),
        ("GET", "agents?status=asleep", None, 400, "invalid_query"),
        ("POST", "tasks", {"title": ""}, 400, "invalid_body"),
        ("POST", "tasks", {"title": "t", "urgency": "now"}, 400, "invalid_body"),
        ("POST", "tasks", {"title": "t", "timeoutSeconds": 0}, 400, "invalid_body"),
        ("POST", "tasks", {"title": "t", "maxRetries": -1}, 400, "invalid_body"),
        ("GET", "tasks?status=late", None, 400, "invalid_query"),
        ("POST", "tasks/task_1/complete", {}, 404, "task_not_found"),
        ("POST", "tasks/task_1/complete", {"result": 2**60}, 400, "invalid_body"),
    ],
)
async def test_what_is_refused_and_how(
    world: World, method: str, path: str, body: object, status: int, code: str
) -> None:
    answer = await world.http(method, f"/api/routing/{path}", body, Role.AGENT)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await world.events(kind="task.") == []
