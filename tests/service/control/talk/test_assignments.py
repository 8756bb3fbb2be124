"""Who takes care of a request: said by operators, for operators' keys alone, and never a restriction."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.control.actions import Action
from assent.contract.control.assignments import AssignAction, Assignment, AssignmentsQuery
from assent.contract.people.keys import CreateKey, Key
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.control.assignments import Assignments
from tests.service.control.actions.world import HOUR, MINUTE, World, locks_of, refused


@pytest.fixture
def assignments(world: World) -> Assignments:
    on = world.service
    return Assignments(on.ledger, world.clock, locks_of(on.ledger), on.actions, on.approvals, on.keys)


async def waiting(world: World) -> Action:
    await world.policy("require_approval", {"action_types": ["refund"]})
    return await world.act(agent_id="bot")


async def key_of(world: World, name: str, role: Role = Role.OPERATOR) -> Key:
    return (await world.service.keys.create(world.admin, CreateKey(name=name, role=role))).key


async def listed(world: World, assignments: Assignments, **query: Any) -> list[Assignment]:
    return (await assignments.page(world.admin, AssignmentsQuery(**query))).assignments


async def test_it_is_one_row_with_who_said_it_and_when(world: World, assignments: Assignments) -> None:
    action = await waiting(world)
    ben, cleo = await key_of(world, "Ben"), await key_of(world, "Cleo", Role.ADMIN)
    ann = world.operator("Ann")
    before = len(await world.events())
    made = await assignments.assign(ann, action.action_id, AssignAction(key_id=ben.key_id))
    assert (made.assigned_to, made.assigned_to_key, made.assigned_by_key) == ("Ben", ben.key_id, "key_Ann")
    assert await assignments.assign(world.admin, action.action_id, AssignAction(key_id=ben.key_id)) == made, "no news"
    assert await listed(world, assignments, current=True, assigned_to_key=ben.key_id) == [made]
    world.clock.turn(MINUTE)
    moved = await assignments.assign(world.admin, action.action_id, AssignAction(key_id=cleo.key_id))
    assert (moved.assignment_id, moved.created_at) == (made.assignment_id, made.created_at)
    assert (moved.assigned_to, moved.assigned_by, moved.updated_at > made.updated_at) == (
        "Cleo",
        world.admin.name,
        True,
    )
    assert await listed(world, assignments, assigned_to_key=ben.key_id) == []
    freed = await assignments.assign(ann, action.action_id, AssignAction())
    assert (freed.assigned_to, freed.assigned_to_key) == (None, None)
    assert await assignments.assign(ann, action.action_id, AssignAction()) == freed
    assert await listed(world, assignments, current=True) == []
    assert await listed(world, assignments, current=False) == [freed]
    events = (await world.events())[before:]
    assert [(each.type, each.actor, each.subject, each.action) for each in events] == [
        ("assignment.created", "key_Ann", made.assignment_id, action.action_id),
        ("assignment.updated", world.admin.key_id, made.assignment_id, action.action_id),
        ("assignment.updated", "key_Ann", made.assignment_id, action.action_id),
    ]


async def test_everybody_may_decide_as_before_and_what_has_ended_is_nobodys(
    world: World, assignments: Assignments
) -> None:
    action = await waiting(world)
    other = await world.act(agent_id="bot")
    ben = await key_of(world, "Ben")
    for each in (action, other):
        await assignments.assign(world.operator("Ann"), each.action_id, AssignAction(key_id=ben.key_id))
    assert await world.service.actions.visible(world.admin, action.action_id) == action, "nothing of it changes"
    decided = await world.decide(action, "allow", world.operator("Cleo"))
    assert decided.status == "running"
    assert [each.action_id for each in await listed(world, assignments, current=True)] == [other.action_id]
    assert [each.action_id for each in await listed(world, assignments, current=False)] == [action.action_id]
    async with refused(Code.ALREADY_DECIDED):
        await assignments.assign(world.admin, action.action_id, AssignAction())
    world.clock.turn(24 * HOUR)
    async with refused(Code.APPROVAL_EXPIRED):
        await assignments.assign(world.admin, other.action_id, AssignAction())


async def test_it_goes_to_valid_keys_of_the_organization_that_decide(world: World, assignments: Assignments) -> None:
    action = await waiting(world)
    stranger = await world.stranger()
    ben = await key_of(world, "Ben")
    await world.service.keys.revoke(world.admin, ben.key_id)
    for key_id in (stranger.key_id, ben.key_id, "key_nobody"):
        async with refused(Code.KEY_NOT_FOUND):
            await assignments.assign(world.admin, action.action_id, AssignAction(key_id=key_id))
    for role in (Role.AGENT, Role.AUDITOR):
        idle = await key_of(world, "idle", role)
        async with refused(Code.INVALID_BODY) as wrong:
            await assignments.assign(world.admin, action.action_id, AssignAction(key_id=idle.key_id))
        assert [each.place for each in wrong.value.errors] == ["key_id"]
    async with refused(Code.ACTION_NOT_FOUND):
        await assignments.assign(stranger, action.action_id, AssignAction(key_id=stranger.key_id))
    allowed = await world.act(action_type="look")
    async with refused(Code.NOT_AWAITING_APPROVAL):
        await assignments.assign(world.admin, allowed.action_id, AssignAction())
    assert await world.events(kind="assignment") == []
    assert (await assignments.page(stranger, AssignmentsQuery())).assignments == []


async def test_operators_are_the_valid_keys_that_decide_by_name(world: World) -> None:
    zoe, ann = await key_of(world, "Zoe"), await key_of(world, "Ann", Role.ADMIN)
    gone = await key_of(world, "Ben")
    for role in (Role.AGENT, Role.AUDITOR):
        await key_of(world, "idle", role)
    await world.service.keys.revoke(world.admin, gone.key_id)
    await world.stranger()
    found = world.service.keys.operators(world.org_id)
    assert [(each.key_id, each.name, each.role) for each in found] == [
        (ann.key_id, "Ann", "admin"),
        (world.admin.key_id, "First admin key", "admin"),
        (zoe.key_id, "Zoe", "operator"),
    ]
