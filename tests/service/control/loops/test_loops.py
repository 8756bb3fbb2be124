"""Open loops on a running service, without HTTP."""

from __future__ import annotations

import asyncio
import errno
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.loops import Loops, LoopsQuery, OpenLoop, RegisterOpenLoop, ResolveOpenLoop
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from tests.service.control.actions.world import HOUR, World, opened, refused


async def leave(world: World, action: Action | str, by: Principal | None = None, **members: Any) -> OpenLoop:
    action_id = action if isinstance(action, str) else action.action_id
    said = {"action_id": action_id, "loop_type": "dependency", "description": "the bank's answer"} | members
    return await world.service.loops.register(by or world.admin, msgspec.convert(said, RegisterOpenLoop))


async def close(
    world: World,
    loop: OpenLoop | str,
    status: str = "resolved",
    how: str | None = "it came",
    by: Principal | None = None,
) -> OpenLoop:
    loop_id = loop if isinstance(loop, str) else loop.loop_id
    said = msgspec.convert({"status": status, "resolution": how}, ResolveOpenLoop)
    return await world.service.loops.resolve(by or world.admin, loop_id, said)


async def page(world: World, by: Principal | None = None, **query: object) -> Loops:
    return await world.service.loops.page(by or world.admin, msgspec.convert(query, LoopsQuery))


async def test_registering_and_closing_leaves_one_event_each(world: World) -> None:
    action = await world.act(agent_id="bot", agent_name="Bot", action_type="pay", declared_goal="Pay it")
    made = await leave(world, action, owner="finance", priority="high", metadata={"ticket": 7})
    assert made.loop_id.startswith("loop_")
    assert (made.agent_id, made.agent_name, made.declared_goal, made.action_type) == ("bot", "Bot", "Pay it", "pay")
    assert (made.status, made.priority, made.owner, made.metadata) == ("open", "high", "finance", {"ticket": 7})
    assert (made.resolution, made.resolved_at, made.resolved_by, made.source) == (None, None, None, "live")
    assert await world.service.loops.of(action) == [made]
    done = await close(world, made, by=world.operator("Eve"))
    assert (done.status, done.resolution, done.resolved_by) == ("resolved", "it came", "Eve")
    assert done.resolved_at == done.updated_at > made.created_at
    assert await world.service.loops.of(action) == [done]
    events = await world.events(kind="loop.")
    assert [(event.type, event.subject, event.action) for event in events] == [
        ("loop.created", made.loop_id, action.action_id),
        ("loop.updated", made.loop_id, action.action_id),
    ]
    assert [msgspec.json.decode(event.data or b"", type=OpenLoop) for event in events] == [made, done]


async def test_without_words_it_is_of_medium_priority_and_nobodys(world: World) -> None:
    made = await leave(world, await world.act())
    assert (made.priority, made.owner, made.metadata, made.agent_id) == ("medium", None, {}, None)


@pytest.mark.parametrize("first", ["resolved", "cancelled"])
@pytest.mark.parametrize("second", ["resolved", "cancelled"])
async def test_what_is_closed_stays_closed(world: World, first: str, second: str) -> None:
    made = await leave(world, await world.act())
    done = await close(world, made, first, by=world.operator("Eve"))
    async with refused(Code.LOOP_CLOSED) as found:
        await close(world, made, second, "again")
    assert first in found.value.detail
    assert "Eve" in found.value.detail
    assert (await page(world)).loops == [done]
    assert len(await world.events(kind="loop.updated")) == 1


@pytest.mark.parametrize("how", [None, "", "  \n"])
async def test_a_resolved_loop_says_how_and_a_cancelled_one_need_not(world: World, how: str | None) -> None:
    made = await leave(world, await world.act())
    async with refused(Code.INVALID_BODY) as found:
        await close(world, made, "resolved", how)
    assert [error.place for error in found.value.errors] == ["resolution"]
    assert (await close(world, made, "cancelled", how)).status == "cancelled"


async def test_of_two_that_close_it_at_once_one_does(world: World) -> None:
    made = await leave(world, await world.act())
    answers = await asyncio.gather(*(close(world, made, how=f"{n}") for n in range(5)), return_exceptions=True)
    kept = [answer for answer in answers if isinstance(answer, OpenLoop)]
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.LOOP_CLOSED] * 4
    assert (await page(world)).loops == kept


async def test_an_id_of_ones_own_is_taken_within_the_organization_only(world: World) -> None:
    other = await world.stranger()
    mine, theirs = await world.act(), await world.act(other)
    first = await leave(world, mine, loop_id="loop-7")
    await leave(world, theirs, other, loop_id="loop-7", description="something else")
    async with refused(Code.LOOP_EXISTS):
        await leave(world, mine, loop_id="loop-7", description="a third thing")
    await close(world, "loop-7", by=other)
    assert (await page(world)).loops == [first]
    assert (await page(world, other)).loops[0].resolved_by == other.name


async def test_of_two_that_want_the_same_id_at_once_one_gets_it(world: World) -> None:
    action = await world.act()
    made = (leave(world, action, loop_id="loop-1", description=f"{n}") for n in range(5))
    answers = await asyncio.gather(*made, return_exceptions=True)
    kept = [answer for answer in answers if isinstance(answer, OpenLoop)]
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.LOOP_EXISTS] * 4
    assert await world.service.loops.of(action) == kept


async def test_metadata_that_cannot_be_kept_as_it_is_is_refused(world: World) -> None:
    action = await world.act()
    async with refused(Code.INVALID_BODY) as found:
        await leave(world, action, metadata={"n": 2**60})
    assert found.value.errors[0].place == "metadata.n"
    assert await world.events(kind="loop.") == []


@pytest.mark.parametrize(("source", "kept"), [("import", "live"), ("simulated", "simulated")])
async def test_only_a_made_up_action_has_made_up_loops(world: World, source: str, kept: str) -> None:
    then = (world.clock.moment - timedelta(days=2)).isoformat()
    made = await leave(world, await world.act(source=source, occurred_at=then))
    assert made.source == kept


async def test_the_list_filters_and_counts(world: World) -> None:
    one, two = await world.act(agent_id="a"), await world.act(agent_id="b")
    made = [await leave(world, one, priority=priority) for priority in ("critical", "high", "low", "high")]
    made += [await leave(world, two, loop_type="question")]
    await close(world, made[1])
    await close(world, made[2], "cancelled", None)
    everything = await page(world)
    assert [each.loop_id for each in everything.loops] == [each.loop_id for each in reversed(made)]
    stats = everything.stats
    assert (everything.total, stats.open_count, stats.resolved_count, stats.cancelled_count) == (5, 3, 1, 1)
    assert (stats.critical_open, stats.high_open) == (1, 1)

    async def ids(**query: Any) -> list[str]:
        return [each.loop_id for each in (await page(world, **query)).loops]

    numbered = [each.loop_id for each in made]
    assert await ids(agent_id="b") == await ids(action_id=two.action_id) == await ids(loop_type="question")
    assert await ids(agent_id="b") == [numbered[4]]
    assert await ids(status="open") == [numbered[4], numbered[3], numbered[0]]
    assert await ids(status="cancelled") == [numbered[2]]
    assert await ids(priority="high", status="open") == [numbered[3]]


async def test_the_actions_trace_and_the_action_have_them(world: World) -> None:
    action = await world.act()
    made = [await leave(world, action, description=f"{n}") for n in range(3)]
    done = await close(world, made[0])
    await close(world, made[1], "cancelled", None)
    loops = (await world.trace(action)).trace.loops
    assert (loops.total, loops.open, loops.resolved, loops.cancelled) == (3, 1, 1, 1)
    assert [item.loop_id for item in loops.items] == [each.loop_id for each in made]
    assert loops.items[0] == done
    detail = (await world.http("GET", f"/api/actions/{action.action_id}")).json()
    assert [each["loop_id"] for each in detail["open_loops"]] == [made[2].loop_id]


async def test_an_open_dependency_is_a_cause(world: World) -> None:
    action = await world.failed()
    made = await leave(world, action, priority="critical")
    (cause,) = await world.causes(action)
    assert (cause.type, cause.severity, cause.detail[0]["loop_id"]) == ("open_dependency", "high", made.loop_id)
    await close(world, made)
    assert await world.causes(action) == []


async def test_what_the_log_refuses_was_neither_registered_nor_closed(world: World) -> None:
    action = await world.act()
    made = await leave(world, action)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    async with refused(Code.STORAGE_UNAVAILABLE):
        await leave(world, action, loop_id="loop-1")
    async with refused(Code.STORAGE_UNAVAILABLE):
        await close(world, made)
    files.errors.clear()
    assert await world.service.loops.of(action) == [made]
    assert (await close(world, made)).status == "resolved"


async def test_they_are_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act()
        done = await close(world, await leave(world, action))
        world.clock.turn(HOUR)
        open_one = await leave(world, action)
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        assert await world.service.loops.of(action) == [done, open_one]
