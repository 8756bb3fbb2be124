"""Approvals with their actions: what waits, what was decided, and who may see it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import STANDINGS, Action, standing
from assent.contract.control.inbox import Approvals, ApprovalsQuery
from assent_service.control.actions.lookup import list_approvals
from assent_service.core.principal import Principal
from tests.service.control.actions.world import HOUR, MINUTE, World


async def page(world: World, by: Principal | None = None, **query: Any) -> Approvals:
    asked = msgspec.convert(query, ApprovalsQuery)
    return await list_approvals(world.service.ledger, by or world.admin, asked, world.clock())


async def ask(world: World, agent_id: str = "bot") -> Action:
    world.clock.turn(MINUTE)
    return await world.act(agent_id=agent_id, status="pending_approval")


def ids(found: Approvals) -> list[str]:
    return [each.action.action_id for each in found.approvals]


async def test_what_waits_comes_with_its_action_newest_first(world: World) -> None:
    await world.act(agent_id="bot")
    first, second = await ask(world), await ask(world)
    found = await page(world, state="awaiting")
    assert [each.action for each in found.approvals] == [second, first]
    assert [each.approval for each in found.approvals] == [
        await world.service.actions.approval(second),
        await world.service.actions.approval(first),
    ]
    assert (found.total, found.next_cursor) == (2, None)


async def test_what_was_decided_is_told_as_it_is_now(world: World) -> None:
    allowed, denied, waits = await ask(world), await ask(world), await ask(world)
    await world.decide(allowed, "allow", world.operator("Ann"))
    await world.report(allowed, status="completed")
    await world.decide(denied, "deny", world.operator("Bo"), why="too much")
    found = await page(world, exclude_state="awaiting")
    assert [
        (each.action.action_id, each.action.status, each.approval.state, each.approval.decided_by)
        for each in found.approvals
    ] == [
        (denied.action_id, "cancelled", "denied", "Bo"),
        (allowed.action_id, "completed", "approved", "Ann"),
    ]
    assert ids(await page(world, state="denied")) == [denied.action_id]
    assert ids(await page(world, state="awaiting")) == [waits.action_id]


async def test_what_was_not_allowed_is_said_as_what_it_is(world: World) -> None:
    denied, quietly, expired, withdrawn, cancelled = [await ask(world) for _ in range(5)]
    assert standing(denied) == "pending_approval"
    denied = await world.decide(denied, "deny", why="too much")
    quietly = await world.decide(quietly, "deny")
    withdrawn = (await world.withdraw(withdrawn)).action
    cancelled = await world.report(await world.decide(cancelled, "allow"), status="cancelled")
    world.clock.turn(1000 * HOUR)
    await world.service.approvals.expire_overdue()
    found = await world.service.actions.find(expired.org_id, expired.action_id)
    assert found is not None
    assert [standing(each) for each in (denied, quietly, found, withdrawn, cancelled)] == [
        "denied", "denied", "expired", "withdrawn", "cancelled",
    ]  # fmt: skip
    assert {standing(each) for each in (denied, found, withdrawn, cancelled)} <= set(STANDINGS)


async def test_it_can_be_narrowed_by_agent_type_and_time(world: World) -> None:
    early = await ask(world)
    world.clock.turn(25 * HOUR)
    bot, other = await ask(world), await ask(world, "other")
    assert ids(await page(world, agent_id="other")) == [other.action_id]
    assert ids(await page(world, action_type=bot.action_type)) == [other.action_id, bot.action_id, early.action_id]
    assert ids(await page(world, action_type="nobody does this")) == []
    assert ids(await page(world, days=1)) == [other.action_id, bot.action_id]
    assert (await page(world, agent_id="bot")).total == 2


@pytest.mark.parametrize("how", ["cursor", "offset"])
async def test_pages_follow_each_other_and_leave_nothing_out(world: World, how: str) -> None:
    made = [(await ask(world)).action_id for _ in range(5)]
    seen: list[str] = []
    query: dict[str, Any] = {}
    while True:
        found = await page(world, limit=2, **query)
        assert found.total == 5
        seen += ids(found)
        if found.next_cursor is None:
            break
        query = {"cursor": found.next_cursor} if how == "cursor" else {"offset": len(seen)}
    assert seen == made[::-1]


async def test_nobody_finds_what_they_may_not_see(world: World) -> None:
    await ask(world)
    assert (await page(world, world.somebody(agent_id="bot"))).total == 1
    hidden = await page(world, world.somebody(agent_id="other"))
    assert (hidden.total, hidden.approvals) == (0, [])
    assert (await page(world, await world.stranger())).total == 0


async def test_alike_requests_have_the_same_digest_whoever_asked_and_when(world: World) -> None:
    async def digest(**sent: Any) -> str | None:
        made = await world.act(status="pending_approval", **sent)
        (found,) = (await page(world, limit=1)).approvals
        assert found.action == made
        return found.context_digest

    first = await digest(agent_id="bot", amount=5, parameters={"to": "A"})
    world.clock.turn(MINUTE)
    assert await digest(agent_id="other", amount=5, parameters={"to": "A"}, session_id="s") == first
    assert first is not None
    assert await digest(agent_id="bot", amount=500, parameters={"to": "A"}) != first
    assert await digest(agent_id="bot", amount=5, parameters={"to": "B"}) != first
    assert await digest(agent_id="bot", amount=5, parameters={"to": "A"}, metadata={"x": 1}) != first
