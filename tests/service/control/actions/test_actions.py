"""Reading and reporting on a running service, without HTTP."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action, Actions, ActionsQuery, ActionStatus
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.control.actions.lookup import list_actions
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, SECOND, World, opened, refused


async def page(world: World, by: Principal | None = None, **query: Any) -> Actions:
    asked = msgspec.convert(query, ActionsQuery)
    return await list_actions(world.service.ledger, by or world.admin, asked, world.clock())


async def test_an_outcome_and_its_correction(world: World) -> None:
    action = await world.act()
    world.clock.turn(3 * SECOND)
    done = await world.report(action, status="completed", output_summary="sent", cost_estimate=0.25)
    assert (done.status, done.output_summary, done.cost_estimate, done.revision) == ("completed", "sent", 0.25, 1)
    assert done.duration_ms is not None
    assert 3000 <= done.duration_ms < 3100
    failed = await world.report(action, status="failed", error_message="it came back")
    assert (failed.status, failed.output_summary, failed.revision) == ("failed", "sent", 2)
    assert failed.timestamp_end == done.timestamp_end
    assert await world.service.actions.visible(world.admin, action.action_id) == failed


async def test_a_report_that_changes_nothing_leaves_no_event(world: World) -> None:
    action = await world.act(metadata={"order": 7})
    done = await world.report(action, status="completed", side_effects=["mail"], metadata={"try": 1})
    count = len(await world.events())
    for members in (
        {"status": "completed"},
        {"side_effects": ["mail"]},
        {"metadata": {"order": 7}},
        {"status": "completed", "side_effects": ["mail"], "metadata": {"try": 1}},
    ):
        assert await world.report(action, **members) == done
    assert len(await world.events()) == count
    async with refused(Code.INVALID_BODY):
        await world.report(action)


async def test_closing_touches_only_what_is_running(world: World) -> None:
    action = await world.act()
    done = await world.report(action, status="completed", close_if_running=True)
    assert done.status == "completed"
    assert await world.report(action, status="failed", close_if_running=True) == done
    pending = await world.act(status="pending")
    assert await world.report(pending, status="failed", close_if_running=True) == pending


async def test_reports_at_once_are_all_kept(world: World) -> None:
    action = await world.act()
    await asyncio.gather(*(world.report(action, metadata={f"m{n}": n}) for n in range(10)))
    found = await world.service.actions.visible(world.admin, action.action_id)
    assert found.metadata == {f"m{n}": n for n in range(10)}
    assert found.revision == 10


async def test_what_the_log_refuses_was_not_reported(world: World) -> None:
    action = await world.act()
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    async with refused(Code.STORAGE_UNAVAILABLE):
        await world.report(action, status="completed")
    files.errors.clear()
    assert await world.service.actions.visible(world.admin, action.action_id) == action
    assert (await world.report(action, status="failed")).revision == 1


@pytest.mark.parametrize("role", list(Role))
async def test_only_an_agents_bound_key_is_shut_in(world: World, role: Role) -> None:
    bot = world.somebody(role, "bot")
    mine, theirs = await world.act(agent_id="bot"), await world.act(agent_id="other")
    nobodys = await world.act()
    shut_in = role is Role.AGENT
    seen = [each.action_id for each in (await page(world, bot)).actions]
    assert seen == [each.action_id for each in ([mine] if shut_in else [nobodys, theirs, mine])]
    assert (await page(world, bot)).stats.total == len(seen)
    assert await world.service.actions.visible(bot, mine.action_id) == mine
    for hidden in (theirs, nobodys):
        if shut_in:
            async with refused(Code.ACTION_NOT_FOUND):
                await world.service.actions.visible(bot, hidden.action_id)
            async with refused(Code.ACTION_NOT_FOUND):
                await world.report(hidden, bot, status="failed")
        else:
            assert await world.service.actions.visible(bot, hidden.action_id) == hidden


async def test_a_bound_key_speaks_for_its_own_agent_only(world: World) -> None:
    bot = world.somebody(agent_id="bot")
    assert (await world.act(bot)).agent_id == "bot"
    async with refused(Code.AGENT_MISMATCH):
        await world.create(bot, agent_id="other")
    async with refused(Code.AGENT_MISMATCH):
        await world.guard(bot, agent_id="other")


async def test_a_foreign_action_is_as_unknown_as_one_that_is_not_there(world: World) -> None:
    action = await world.act()
    stranger = await world.stranger()
    details = []
    for action_id in (action.action_id, "act_nobody"):
        async with refused(Code.ACTION_NOT_FOUND) as found:
            await world.service.actions.visible(stranger, action_id)
        details.append(found.value.detail.replace(action_id, "ID"))
        async with refused(Code.ACTION_NOT_FOUND):
            await world.report(action_id, stranger, status="failed")
    assert details[0] == details[1]
    assert (await page(world, stranger)).actions == []


async def test_the_list_filters_counts_and_pages(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wire"]})
    old = await world.act(agent_id="a", status="completed", cost_estimate=1.5)
    world.clock.turn(2 * DAY)
    made: list[Action] = [old]
    for number in range(4):
        made.append(await world.act(agent_id="b", session_id=f"s{number % 2}", risk_score=20 * number + 15))
    made[2] = await world.report(made[2], status="failed", cost_estimate=0.5)
    await world.blocked(agent_id="b", action_type="wire")
    everything = await page(world)
    assert everything.actions[1:] == list(reversed(made))
    assert everything.actions[0].status == "blocked"
    stats = everything.stats
    assert (stats.total, stats.completed, stats.failed, stats.running) == (6, 1, 1, 3)
    assert stats.total_cost == 2.0
    assert stats.high_risk == sum(each.risk_score >= 70 for each in everything.actions) > 0
    assert stats.avg_risk == pytest.approx(sum(each.risk_score for each in everything.actions) / 6)

    async def found(**query: Any) -> list[Action]:
        return (await page(world, **query)).actions

    assert await found(agent_id="a") == await found(status="completed") == [old]
    assert await found(action_type="wire") == await found(decision="block") == await found(status="blocked")
    assert await found(session_id="s0") == [made[3], made[1]]
    assert old not in await found(days=1)
    assert old in await found(days=3)
    assert [each.status for each in await found(exclude_status=ActionStatus.RUNNING.value)] == [
        "blocked",
        "failed",
        "completed",
    ]
    assert await found(limit=2, offset=2) == everything.actions[2:4]
    seen: list[Action] = []
    cursor = None
    while True:
        part = await page(world, limit=4, cursor=cursor)
        seen += part.actions
        assert part.total == 6 + (cursor is not None)
        if part.next_cursor is None:
            break
        cursor = part.next_cursor
        # What is created in between comes before the first page and shifts none.
        await world.act()
    assert seen == everything.actions


# Reports that are sent again


async def test_a_report_that_is_sent_again_changes_nothing(world: World) -> None:
    action = await world.act()
    said: dict[str, Any] = {"status": "completed", "metadata": {"rows": 3}}
    first = await world.report(action, key="k1", **said)
    corrected = await world.report(action, status="failed")
    assert await world.report(action, key="k1", **said) == corrected, "the correction stands"
    assert (first.status, corrected.status) == ("completed", "failed")
    assert len(await world.events(kind="action.updated")) == 2
    # Said once more on purpose, under a key of its own, it is another correction.
    assert (await world.report(action, key="k2", **said)).status == "completed"
    async with refused(Code.IDEMPOTENCY_MISMATCH):
        await world.report(action, key="k1", status="failed")


async def test_a_restart_knows_a_report_that_is_sent_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act()
        await world.report(action, key="k1", status="completed")
        corrected, clock = await world.report(action, status="failed"), world.clock
        await world.service.ledger.caught_up()
    clock.turn(90 * DAY)
    async with opened(tmp_path, clock) as world:
        assert await world.report(action, key="k1", status="completed") == corrected
        assert len(await world.events(kind="action.updated")) == 2


async def test_as_many_reports_are_known_as_are_said(world: World) -> None:
    action = await world.act()
    for number in range(10):
        await world.report(action, key=f"k{number}", tokens_in=number)
    for number in range(2, 10):
        assert (await world.report(action, key=f"k{number}", tokens_in=number)).revision == 10
    assert (await world.report(action, key="k1", tokens_in=1)).revision == 11
