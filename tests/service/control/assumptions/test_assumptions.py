"""Assumptions on a running service, without HTTP."""

from __future__ import annotations

import asyncio
import errno
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from assent.contract.control.assumptions import Assumption, Assumptions, AssumptionsQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from tests.service.control.actions.world import DAY, MINUTE, World, opened, refused


async def page(world: World, **query: object) -> Assumptions:
    return await world.service.assumptions.page(world.admin, msgspec.convert(query, AssumptionsQuery))


async def test_recording_and_judging_leaves_one_event_each(world: World) -> None:
    action = await world.act(agent_id="bot", action_type="refund")
    made = await world.believe(action, basis="the ledger")
    assert made.assumption_id.startswith("asm_")
    assert (made.agent_id, made.action_type) == ("bot", "refund")
    assert await world.service.assumptions.visible(world.admin, made.assumption_id) == made
    wrong = await world.judge(made, False, "it bounced")
    assert await world.judge(made, False, "it bounced") == wrong
    again = await world.judge(made, False, "the card was stolen")
    assert await world.service.assumptions.visible(world.admin, made.assumption_id) == again
    events = await world.events(kind="assumption.")
    assert [event.type for event in events] == ["assumption.created", "assumption.updated", "assumption.updated"]
    assert {(event.subject, event.action) for event in events} == {(made.assumption_id, action.action_id)}
    assert [msgspec.json.decode(event.data or b"", type=Assumption) for event in events] == [made, wrong, again]


async def test_an_id_of_ones_own_is_taken_within_the_organization_only(world: World) -> None:
    other = await world.stranger()
    mine, theirs = await world.act(), await world.act(other)
    first = await world.believe(mine, assumption_id="asm-7")
    second = await world.believe(theirs, other, assumption_id="asm-7", assumption="something else")
    async with refused(Code.ASSUMPTION_EXISTS):
        await world.believe(mine, assumption_id="asm-7", assumption="a third thing")
    await world.judge("asm-7", False, "wrong here", by=other)
    found = world.service.assumptions
    assert await found.visible(world.admin, "asm-7") == first
    assert (await found.visible(other, "asm-7")).invalidated_reason == "wrong here"
    assert (await found.visible(other, "asm-7")).assumption == second.assumption == "something else"
    assert [each.assumption for each in await found.of(mine)] == ["the order was paid"]


async def test_of_two_that_want_the_same_id_at_once_one_gets_it(world: World) -> None:
    action = await world.act()
    answers = await asyncio.gather(
        *(world.believe(action, assumption_id="asm-1", assumption=f"belief {n}") for n in range(6)),
        return_exceptions=True,
    )
    kept = [answer for answer in answers if isinstance(answer, Assumption)]
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.ASSUMPTION_EXISTS] * 5
    assert await world.service.assumptions.of(action) == kept


@pytest.mark.parametrize("role", [Role.AGENT, Role.OPERATOR])
async def test_history_takes_an_admin_key(world: World, role: Role) -> None:
    action = await world.act()
    yesterday = (world.clock.moment - timedelta(days=1)).isoformat()
    for members in ({"source": "import"}, {"occurred_at": yesterday}):
        async with refused(Code.FORBIDDEN):
            await world.believe(action, world.somebody(role), **members)
    made = await world.believe(action, source="import", occurred_at=yesterday)
    assert (made.source, made.occurred_at.isoformat()) == ("import", yesterday)
    assert made.created_at > made.occurred_at


async def test_the_list_filters_pages_and_counts(world: World) -> None:
    one, two = await world.act(agent_id="a"), await world.act(agent_id="b")
    old = (world.clock.moment - timedelta(days=20)).isoformat()
    made = [await world.believe(one, assumption=f"belief {n}") for n in range(4)]
    made += [await world.believe(two, assumption="old", source="import", occurred_at=old)]
    await world.judge(made[0], True)
    await world.judge(made[1], False, "wrong")
    everything = await page(world)
    assert [each.assumption_id for each in everything.assumptions] == [each.assumption_id for each in reversed(made)]
    summary = everything.drift_summary
    counts = (summary.total, summary.at_risk, summary.validated, summary.invalidated, summary.unvalidated)
    assert counts == (5, 1, 1, 1, 3)

    async def ids(**query: object) -> list[str]:
        return [each.assumption_id for each in (await page(world, **query)).assumptions]

    numbered = [each.assumption_id for each in made]
    assert await ids(agent_id="b") == await ids(action_id=two.action_id) == [numbered[4]]
    assert await ids(validated=True) == [numbered[0]]
    assert await ids(invalidated=True) == [numbered[1]]
    assert await ids(validated=False, invalidated=False) == [numbered[4], numbered[3], numbered[2]]
    assert await ids(limit=2, offset=3) == [numbered[1], numbered[0]]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        part = await page(world, limit=2, cursor=cursor)
        seen += [each.assumption_id for each in part.assumptions]
        assert part.total == 5
        cursor = part.next_cursor
        if cursor is None:
            break
        # What comes in between belongs to no page any more, and moves none.
        await world.judge(made[2], True)
    assert seen == list(reversed(numbered))


async def test_a_belief_is_at_risk_after_fourteen_days_and_not_before(world: World) -> None:
    made = await world.believe(await world.act())
    world.clock.now = 14 * DAY + int(made.occurred_at.timestamp() * 1_000_000) - 1000
    assert (await page(world)).drift_summary.at_risk == 0
    assert (await page(world)).drift_summary.at_risk == 1
    await world.judge(made, True)
    assert (await page(world)).drift_summary.at_risk == 0


async def test_what_the_log_refuses_was_neither_recorded_nor_judged(world: World) -> None:
    action = await world.act()
    made = await world.believe(action)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    async with refused(Code.STORAGE_UNAVAILABLE):
        await world.believe(action, assumption_id="asm-1")
    async with refused(Code.STORAGE_UNAVAILABLE):
        await world.judge(made, True)
    files.errors.clear()
    assert await world.service.assumptions.of(action) == [made]
    assert (await world.believe(action, assumption_id="asm-1")).assumption_id == "asm-1"
    assert (await world.judge(made, True)).validated


async def test_they_are_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act()
        wrong = await world.judge(await world.believe(action), False, "it bounced")
        world.clock.turn(MINUTE)
        open_one = await world.believe(action)
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        assert await world.service.assumptions.of(action) == [wrong, open_one]
