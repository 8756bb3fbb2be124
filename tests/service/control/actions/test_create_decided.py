"""Creating an action with a decision that guard made before: when it counts, once, and when it does not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assent.contract.control.actions import CreatedAction
from assent.contract.problems import Code
from tests.service.control.actions.world import MINUTE, SECOND, World, refused


async def test_a_decision_is_used_once(world: World) -> None:
    said = await world.guard(agent_id="bot", declared_goal="give it back")
    body: dict[str, Any] = {"agent_id": "bot", "declared_goal": "give it back", "decision_id": said.decision_id}
    made = await world.create(**body, confidence=90, trigger="mail")
    assert made.decision == said
    assert made.action.decision_id == said.decision_id
    kinds = [event.type for event in await world.events()]
    assert (kinds.count("guard.decision.created"), kinds.count("action.created")) == (1, 1)
    async with refused(Code.DECISION_UNUSABLE):
        await world.create(**body)
    answers = await _race_for_one_decision(world)
    assert sum(isinstance(answer, CreatedAction) for answer in answers) == 1


async def _race_for_one_decision(world: World) -> list[object]:
    said = await world.guard(agent_id="bot")
    creations = (world.create(agent_id="bot", decision_id=said.decision_id) for _ in range(5))
    return list(await asyncio.gather(*creations, return_exceptions=True))


async def test_a_decision_lives_five_minutes(world: World) -> None:
    for wait, usable in ((5 * MINUTE - SECOND, True), (5 * MINUTE, False)):
        said = await world.guard(agent_id="bot")
        world.clock.turn(wait)
        if usable:
            await world.create(agent_id="bot", decision_id=said.decision_id)
        else:
            async with refused(Code.DECISION_UNUSABLE):
                await world.create(agent_id="bot", decision_id=said.decision_id)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"agent_id": "bob"}, "made for agent 'bot'"),
        ({"declared_goal": "keep it"}, "another context"),
        ({"action_type": "wire"}, "another context"),
        ({"metadata": {"order": 8}}, "another context"),
        ({"amount": 1}, "another context"),
        ({"decision_id": "dec_nobody"}, "unknown"),
    ],
)
async def test_a_decision_fits_its_own_question_only(world: World, other: dict[str, Any], why: str) -> None:
    context: dict[str, Any] = {"agent_id": "bot", "declared_goal": "give it back", "metadata": {"order": 7}}
    said = await world.guard(**context)
    async with refused(Code.DECISION_UNUSABLE) as found:
        await world.create(**context | {"decision_id": said.decision_id} | other)
    assert why in found.value.detail
    # The refused attempt has not used it up.
    await world.create(**context, decision_id=said.decision_id)


async def test_a_decision_under_older_policies_does_not_count(world: World) -> None:
    said = await world.guard(agent_id="bot")
    await world.policy("block_action_type", {"action_types": ["wire"]})
    async with refused(Code.DECISION_UNUSABLE) as found:
        await world.create(agent_id="bot", decision_id=said.decision_id)
    assert "policies have changed" in found.value.detail


async def test_a_decision_of_another_organization_is_unknown(world: World) -> None:
    said = await world.guard(await world.stranger())
    async with refused(Code.DECISION_UNUSABLE):
        await world.create(decision_id=said.decision_id)


async def test_the_kill_switch_beats_a_decision(world: World) -> None:
    said = await world.guard(agent_id="bot")
    await world.service.halts.halt(world.admin, "something is wrong")
    refusal = await world.blocked(agent_id="bot", decision_id=said.decision_id)
    assert refusal.extras["decision"]["decision_id"] != said.decision_id
    assert "something is wrong" in refusal.extras["decision"]["reason"]
    await world.service.halts.resume(world.admin)
    await world.create(agent_id="bot", decision_id=said.decision_id)


async def test_a_decision_to_block_or_to_ask_is_carried_out(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wire"]})
    await world.policy("require_approval", {"action_types": ["refund"]})
    said = await world.guard(action_type="wire")
    refusal = await world.blocked(action_type="wire", decision_id=said.decision_id)
    assert refusal.extras["decision"]["decision_id"] == said.decision_id
    said = await world.guard()
    made = await world.create(decision_id=said.decision_id)
    assert made.action.status == "pending_approval"
    assert made.approval is not None


async def test_a_decision_that_memory_has_let_go_is_found_in_the_tables_and_used_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.service.guard.state.recent._payloads, "_most", 2)
    first = await world.guard(agent_id="bot")
    for _ in range(3):
        await world.guard(agent_id="bot", declared_goal="something else")
    recent = world.service.guard.state.recent
    assert recent.get(world.org_id, first.decision_id, world.clock()) is None
    made = await world.create(agent_id="bot", decision_id=first.decision_id)
    assert made.decision == first
    async with refused(Code.DECISION_UNUSABLE):
        await world.create(agent_id="bot", decision_id=first.decision_id)
    world.clock.turn(5 * MINUTE)
    async with refused(Code.DECISION_UNUSABLE):
        await world.create(agent_id="bot", decision_id=first.decision_id)
