"""Which action came of a decision."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Actions, ActionsQuery
from assent_service.control.actions.lookup import list_actions
from assent_service.core.principal import Principal
from tests.service.control.actions.world import MINUTE, SECOND, World


async def page(world: World, decision_id: str, by: Principal | None = None, **query: Any) -> Actions:
    asked = msgspec.convert({"decision_id": decision_id, **query}, ActionsQuery)
    return await list_actions(world.service.ledger, by or world.admin, asked, world.clock())


async def test_a_decision_has_the_action_that_was_created_with_it(world: World) -> None:
    made = [await world.act(risk_score=10 * number) for number in range(3)]
    for action in made:
        found = await page(world, action.decision_id)
        assert found.actions == [action]
        assert (found.total, found.stats.total, found.next_cursor) == (1, 1, None)
    assert (await page(world, made[0].decision_id, status="failed")).actions == []


async def test_a_blocked_attempt_came_of_its_decision(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wire"]})
    refusal = await world.blocked(action_type="wire")
    decision: Any = refusal.extras["decision"]
    (found,) = (await page(world, decision["decision_id"])).actions
    assert (found.action_type, found.status) == ("wire", "blocked")


@pytest.mark.parametrize("wait", [0, 5 * MINUTE - SECOND, -2 * MINUTE], ids=["at once", "late", "clock set back"])
async def test_a_decision_that_was_brought_along_has_its_action(world: World, wait: int) -> None:
    said = await world.guard(agent_id="bot")
    assert (await page(world, said.decision_id)).actions == []
    world.clock.turn(wait)
    made = await world.act(agent_id="bot", decision_id=said.decision_id)
    await world.act(agent_id="bot")
    assert (await page(world, said.decision_id)).actions == [made]


async def test_nobody_finds_what_they_may_not_see(world: World) -> None:
    action = await world.act(agent_id="bot")
    assert (await page(world, action.decision_id, world.somebody(agent_id="bot"))).total == 1
    assert (await page(world, action.decision_id, world.somebody(agent_id="other"))).total == 0
    assert (await page(world, action.decision_id, await world.stranger())).total == 0


@pytest.mark.parametrize("many", [3, 4, 5])
async def test_pages_end_with_the_last_row_even_where_the_last_is_full(world: World, many: int) -> None:
    made = [await world.act() for _ in range(many)]
    found, cursor, pages = [], None, 0
    while pages == 0 or cursor is not None:
        asked = ActionsQuery(limit=2, cursor=cursor)
        listed = await list_actions(world.service.ledger, world.admin, asked, world.clock())
        found += listed.actions
        cursor, pages = listed.next_cursor, pages + 1
    assert found == made[::-1]
    assert pages == (many + 1) // 2
