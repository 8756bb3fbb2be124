"""What an operator puts off: until when, for whom, and that it is back before it expires."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.snoozes import Snooze, SnoozeAction, SnoozesQuery, last_return
from assent.contract.problems import Code
from assent_service.base.clock import moment
from assent_service.control.snoozes import Snoozes
from tests.sdk.client import samples
from tests.service.control.actions.world import HOUR, MINUTE, START, World, locks_of, refused

AT = moment(START)
HALF_AN_HOUR = timedelta(minutes=30)


@pytest.fixture
def snoozes(world: World) -> Snoozes:
    on = world.service
    return Snoozes(on.ledger, world.clock, locks_of(on.ledger), on.actions, on.approvals)


async def waiting(world: World) -> Action:
    await world.policy("require_approval", {"action_types": ["refund"]})
    return await world.act(agent_id="bot")


async def current(world: World, snoozes: Snoozes, **query: Any) -> list[Snooze]:
    return (await snoozes.page(world.admin, SnoozesQuery(current=True, **query))).snoozes


async def test_it_is_put_off_for_one_key_and_back_at_that_time(world: World, snoozes: Snoozes) -> None:
    action = await waiting(world)
    ann, ben = world.operator("Ann"), world.operator("Ben")
    before = len(await world.events())
    until = world.clock.moment + HALF_AN_HOUR
    put = await snoozes.put_off(ann, action.action_id, SnoozeAction(until=until))
    assert (put.snoozed_by_key, put.until, put.returns_at) == ("key_Ann", until, until)
    assert await snoozes.put_off(ann, action.action_id, SnoozeAction(until=until)) == put, "the same again"
    assert await current(world, snoozes, snoozed_by_key="key_Ann") == [put]
    assert await current(world, snoozes, snoozed_by_key="key_Ben") == []
    assert await world.service.actions.visible(world.admin, action.action_id) == action
    world.clock.turn(30 * MINUTE)
    assert await current(world, snoozes) == []
    later = await snoozes.put_off(ann, action.action_id, SnoozeAction(until=until + HALF_AN_HOUR))
    assert (later.snooze_id, later.created_at, later.returns_at) == (
        put.snooze_id, put.created_at, until + HALF_AN_HOUR,
    )  # fmt: skip
    back = await snoozes.put_off(ann, action.action_id, SnoozeAction())
    assert (back.until, back.returns_at) == (None, back.updated_at)
    assert await snoozes.put_off(ann, action.action_id, SnoozeAction()) == back
    other = await snoozes.put_off(ben, action.action_id, SnoozeAction(until=world.clock.moment + HALF_AN_HOUR))
    assert other.snooze_id != put.snooze_id
    events = (await world.events())[before:]
    assert [(each.type, each.actor) for each in events] == [
        ("snooze.created", "key_Ann"),
        ("snooze.updated", "key_Ann"),
        ("snooze.updated", "key_Ann"),
        ("snooze.created", "key_Ben"),
    ]
    everything = await snoozes.page(world.admin, SnoozesQuery())
    assert [each.snooze_id for each in everything.snoozes] == [other.snooze_id, put.snooze_id]
    await world.decide(action, "allow", ann)  # who has put it off decides all the same
    async with refused(Code.ALREADY_DECIDED):
        await snoozes.put_off(ben, action.action_id, SnoozeAction())


async def test_it_is_back_before_it_expires_and_cannot_be_put_off_then(world: World, snoozes: Snoozes) -> None:
    """An approval of 24 hours: back 15 minutes before its end, whatever was asked for."""
    action = await waiting(world)
    approval = await world.service.approvals.of(action)
    assert approval is not None
    assert approval.expires_at - approval.requested_at == timedelta(hours=24)
    end = approval.expires_at - timedelta(minutes=15)
    put = await snoozes.put_off(world.admin, action.action_id, SnoozeAction(until=end + timedelta(days=400)))
    assert (put.until, put.returns_at) == (end + timedelta(days=400), end)
    world.clock.turn(24 * HOUR - 14 * MINUTE)
    assert await current(world, snoozes) == []
    async with refused(Code.EXPIRES_SOON):
        await snoozes.put_off(world.admin, action.action_id, SnoozeAction(until=approval.expires_at))
    world.clock.turn(14 * MINUTE)
    async with refused(Code.APPROVAL_EXPIRED):
        await snoozes.put_off(world.admin, action.action_id, SnoozeAction(until=end + timedelta(days=1)))


async def test_what_does_not_wait_and_what_lies_behind_cannot_be_put_off(world: World, snoozes: Snoozes) -> None:
    action = await waiting(world)
    async with refused(Code.INVALID_BODY) as past:
        await snoozes.put_off(world.admin, action.action_id, SnoozeAction(until=AT))
    assert [each.place for each in past.value.errors] == ["until"]
    allowed = await world.act(action_type="look")
    async with refused(Code.NOT_AWAITING_APPROVAL):
        await snoozes.put_off(world.admin, allowed.action_id, SnoozeAction(until=AT + timedelta(days=1)))
    async with refused(Code.ACTION_NOT_FOUND):
        await snoozes.put_off(await world.stranger(), action.action_id, SnoozeAction(until=AT + timedelta(days=1)))
    assert await world.events(kind="snooze") == []


@pytest.mark.parametrize(
    ("lasts", "last"),
    [
        (timedelta(hours=24), timedelta(hours=23, minutes=45)),
        (timedelta(hours=1), timedelta(minutes=45)),
        (timedelta(minutes=20), timedelta(minutes=15)),
        (timedelta(minutes=1), timedelta(seconds=45)),
    ],
)
def test_the_last_moment_by_hand(lasts: timedelta, last: timedelta) -> None:
    approval = msgspec.convert(samples.approval("awaiting"), Approval)
    asked = msgspec.structs.replace(approval, requested_at=AT, expires_at=AT + lasts)
    assert last_return(asked) == AT + last
