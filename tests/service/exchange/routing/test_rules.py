"""Who gets which task, decided on boards made by hand and made up by hypothesis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.events import EventName
from assent.contract.exchange.routing import RoutingAgentRow, RoutingStatus, RoutingTask, TaskStatus, Urgency
from assent_service.exchange.routing import rules
from assent_service.exchange.routing.rules import Board

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def agent(agent_id: str, *skills: str, most: int = 1, status: str = "available", last: int | None = None) -> Any:
    """`last` is how many minutes ago it was given a task."""
    return RoutingAgentRow(
        org_id="o",
        agent_id=agent_id,
        name=agent_id,
        capabilities=list(skills),
        max_concurrent=most,
        status=RoutingStatus(status),
        endpoint=None,
        owner_id=None,
        last_assigned_at=None if last is None else NOW - timedelta(minutes=last),
        created_by="key",
        created_at=NOW,
        updated_at=NOW,
    )


def task(task_id: str, *skills: str, to: str | None = None, age: int = 0, **members: Any) -> RoutingTask:
    """Assigned to `to`, `age` minutes ago."""
    at = NOW - timedelta(minutes=age)
    whole: dict[str, Any] = {
        "org_id": "o",
        "task_id": task_id,
        "title": task_id,
        "description": None,
        "required_skills": list(skills),
        "urgency": Urgency.NORMAL,
        "timeout_seconds": 3600,
        "max_retries": 2,
        "retry_count": 0,
        "callback_url": None,
        "status": TaskStatus.PENDING if to is None else TaskStatus.ASSIGNED,
        "assigned_to": to,
        "failed_agents": [],
        "result": None,
        "error": None,
        "submitted_by": None,
        "created_by": "key",
        "created_at": at,
        "updated_at": at,
        "assigned_at": None if to is None else at,
        "completed_at": None,
    }
    return RoutingTask(**(whole | members))


def board(*things: Any) -> Board:
    agents = {each.agent_id: each for each in things if isinstance(each, RoutingAgentRow)}
    return Board(agents, {each.task_id: each for each in things if isinstance(each, RoutingTask)})


@pytest.mark.parametrize(
    ("agents", "expected"),
    [
        ((agent("a", "code"), agent("b", "code", "draw")), "b"),
        ((agent("a", "Code", "DRAW"),), "a"),
        ((agent("a", "code", "draw", status="busy"),), None),
        ((agent("a", "code", "draw", status="offline"),), None),
        ((agent("b", "code", "draw", last=9), agent("a", "code", "draw", last=5)), "b"),
        ((agent("b", "code", "draw"), agent("a", "code", "draw", last=99)), "b"),
        ((agent("b", "code", "draw", last=5), agent("a", "code", "draw", last=5)), "a"),
        ((), None),
    ],
)
def test_who_fits(agents: tuple[Any, ...], expected: str | None) -> None:
    chosen = rules.choose(board(*agents), task("t", "code", "draw"))
    assert (None if chosen is None else chosen.agent_id) == expected


def test_the_least_loaded_comes_before_the_longest_idle() -> None:
    busy, idle = agent("a", most=9, last=500), agent("b", most=9, last=1)
    chosen = rules.choose(board(busy, idle, task("x", to="a")), task("t"))
    assert chosen is idle


def test_a_full_agent_gets_nothing() -> None:
    assert rules.choose(board(agent("a"), task("x", to="a")), task("t")) is None


def test_a_failed_task_goes_to_another_and_waits_for_one_that_is_only_full() -> None:
    failed = task("t", failed_agents=["a"])
    assert rules.choose(board(agent("a"), agent("b", most=9, last=1)), failed) == agent("b", most=9, last=1)
    assert rules.choose(board(agent("a"), agent("b"), task("x", to="b")), failed) is None
    assert rules.choose(board(agent("a"), agent("b", status="offline")), failed) == agent("a")
    assert rules.choose(board(agent("a")), failed) == agent("a")


def test_the_urgent_and_the_old_are_first_and_nobody_waits_for_what_nobody_can() -> None:
    tasks = [
        task("late", age=1),
        task("early", age=9),
        task("urgent", urgency=Urgency.CRITICAL),
        task("impossible", "fly", urgency=Urgency.CRITICAL, age=99),
    ]
    found = board(agent("a", most=2), *tasks)
    rules.assign(found, NOW)
    given_ = [each.task_id for name, each in found.changes if name is EventName.TASK_ASSIGNED]  # type: ignore[union-attr]  # an assignment is of a task
    assert given_ == ["urgent", "early"]
    assert rules.unroutable(found) == ["impossible"]


@pytest.mark.parametrize(("minutes", "out"), [(59, False), (60, True), (61, True)])
def test_a_task_is_overdue_from_its_timeout_on(minutes: int, out: bool) -> None:
    assert rules.overdue(task("t", to="a", age=minutes), NOW) is out
    assert not rules.overdue(task("t", age=minutes), NOW)


def test_failures_are_counted_until_no_retry_is_left() -> None:
    found = board(agent("a"), task("t", to="a", max_retries=1))
    rules.fail(found, found.tasks["t"], "first", NOW)
    assert (found.tasks["t"].status, found.tasks["t"].failed_agents, found.load("a")) == (TaskStatus.PENDING, ["a"], 0)
    rules.assign(found, NOW)
    rules.fail(found, found.tasks["t"], "second", NOW)
    assert "t" not in found.tasks
    name, ended = found.changes[-1]
    assert isinstance(ended, RoutingTask)
    assert (name, ended.status, ended.error, ended.retry_count) == (
        EventName.TASK_COMPLETED,
        TaskStatus.FAILED,
        "second",
        2,
    )


def test_who_leaves_gives_back_what_it_had() -> None:
    found = board(agent("a", most=2), task("t", to="a"), task("u", to="a"), task("v"))
    assert rules.leave(found, found.agents["a"], NOW) == 2
    assert {each.status for each in found.tasks.values()} == {TaskStatus.PENDING}
    assert {each.retry_count for each in found.tasks.values()} == {0}


SKILLS = st.lists(st.sampled_from(["code", "draw", "write"]), max_size=2, unique=True)


@given(
    st.lists(st.tuples(SKILLS, st.integers(1, 3), st.sampled_from(list(RoutingStatus))), max_size=4),
    st.lists(st.tuples(SKILLS, st.sampled_from(list(Urgency))), max_size=8),
)
def test_nobody_has_too_much_and_nobody_waits_in_vain(agents: list[Any], tasks: list[Any]) -> None:
    made = [
        agent(f"a{number}", *skills, most=most, status=status) for number, (skills, most, status) in enumerate(agents)
    ]
    waiting = [task(f"t{number}", *skills, urgency=urgency) for number, (skills, urgency) in enumerate(tasks)]
    found = board(*made, *waiting)
    rules.assign(found, NOW)
    loads = {each.agent_id: 0 for each in made}
    for each in found.tasks.values():
        if each.status is TaskStatus.ASSIGNED:
            whose = found.agents[str(each.assigned_to)]
            loads[whose.agent_id] += 1
            assert set(each.required_skills) <= set(whose.capabilities)
            assert whose.status is RoutingStatus.AVAILABLE
    assert all(loads[each.agent_id] <= each.max_concurrent for each in made)
    assert all(loads[each.agent_id] == found.load(each.agent_id) for each in made)
    for each in found.tasks.values():
        if each.status is TaskStatus.PENDING:
            able = [
                a
                for a in made
                if a.status is RoutingStatus.AVAILABLE and set(each.required_skills) <= set(a.capabilities)
            ]
            assert all(loads[a.agent_id] == a.max_concurrent for a in able)
