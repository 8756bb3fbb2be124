"""Rate limits count for the key as well, since whoever holds one that is bound to nobody can call itself anything."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import ActionStatus, CreatedAction
from assent.contract.control.guard import Decision
from assent.contract.people.keys import CreateKey
from assent.contract.problems import Code
from assent.proof.policies import snapshot
from assent.proof.replay import replay
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from tests.service.control.actions.world import HOUR, World, opened

RULES = {"max_actions": 3, "window_minutes": 60, "action": "block"}
OF_AGENT = f"rate_limit {RULES}: 3 or more actions in 60 minutes"
OF_KEY = f"{OF_AGENT} with one key, which is bound to no agent"


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


async def key_of(world: World, **members: Any) -> Principal:
    """A new agents' key."""
    made = await world.service.keys.create(world.admin, CreateKey(name="a key", **members))
    principal = world.service.keys.authenticate(made.api_key)
    assert principal is not None
    return principal


async def reasons(world: World, by: Any, **members: Any) -> list[str]:
    """Why guard would stop it, nothing else happening."""
    return (await world.guard(by, **members)).reasons


async def test_a_new_name_for_each_action_does_not_help(world: World) -> None:
    policy = await world.policy("rate_limit", RULES)
    free, other = await key_of(world), await key_of(world)
    for number in range(3):
        await world.act(free, agent_id=f"bot-{number}")
    refused = await world.blocked(free, agent_id="bot-3")
    assert refused.extras["decision"]["reasons"] == [OF_KEY]
    assert await reasons(world, free) == [OF_KEY], "leaving the name out is no way around it"
    assert await reasons(world, other, agent_id="bot-3") == [], "another key has its own count"
    bound = await key_of(world, agent_id="bot-3")
    assert await reasons(world, bound) == [], "so has an agent with a key of its own"
    decided = await world.guard(free, agent_id="bot-9")
    (event,) = [
        each for each in await world.events(kind="guard.decision.created") if each.subject == decided.decision_id
    ]
    assert event.data is not None
    assert f'"limited_by_key":["{policy.policy_id}"]'.encode() in event.data
    world.clock.turn(HOUR)
    assert await reasons(world, free, agent_id="bot-3") == []


async def test_what_an_agent_reaches_itself_is_said_as_ever(world: World) -> None:
    await world.policy("rate_limit", RULES)
    free = await key_of(world)
    for _ in range(3):
        await world.act(free, agent_id="bot")
    assert await reasons(world, free, agent_id="bot") == [OF_AGENT]
    assert await reasons(world, free, agent_id="new") == [OF_KEY]


async def test_a_limit_for_some_agents_counts_those_alone(world: World) -> None:
    await world.policy("rate_limit", RULES, agent_ids=["a", "b"])
    free = await key_of(world)
    for _ in range(3):
        await world.act(free, agent_id="a")
    assert await reasons(world, free, agent_id="b") == []
    assert len(await reasons(world, free, agent_id="a")) == 1


async def test_operators_and_bound_keys_are_not_counted_for_themselves(world: World) -> None:
    await world.policy("rate_limit", RULES)
    for number in range(5):
        await world.act(world.admin, agent_id=f"bot-{number}")
    assert await reasons(world, world.admin, agent_id="new") == []


async def test_what_was_refused_or_not_recorded_does_not_count(world: World) -> None:
    await world.policy("rate_limit", RULES)
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    free = await key_of(world)
    for number in range(5):
        await world.blocked(free, agent_id=f"bot-{number}", action_type="wipe")
    files = world.break_disk()
    files.errors["write"] = 28
    for number in range(5):
        with pytest.raises(Refusal) as refused:
            await world.create(free, agent_id=f"bot-{number}")
        assert refused.value.code is Code.STORAGE_UNAVAILABLE
    files.errors.clear()
    for number in range(3):
        await world.act(free, agent_id=f"bot-{number}")
    await world.blocked(free, agent_id="bot-4")


async def test_the_count_outlives_a_restart_and_a_change_of_policies(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.policy("rate_limit", {**RULES, "max_actions": 2, "action": "warn"})
        free = await key_of(world)
        for number in range(4):
            await world.act(free, agent_id=f"bot-{number}")
        await world.policy("rate_limit", {**RULES, "max_actions": 4})
        (reason,) = await reasons(world, free, agent_id="new")
        assert "4 or more actions in 60 minutes with one key" in reason
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        (reason,) = await reasons(world, free, agent_id="newer")
        assert "4 or more actions in 60 minutes with one key" in reason


async def test_a_stranger_replays_what_the_key_s_count_did(world: World) -> None:
    await world.policy("rate_limit", RULES)
    await world.policy("rate_limit", {**RULES, "max_actions": 1, "action": "warn"}, mode="observe")
    free = await key_of(world)
    for number in range(3):
        await world.act(free, agent_id=f"bot-{number}")
    await world.guard(free, agent_id="new")
    event = (await world.events(kind="guard.decision.created"))[-1]
    policies = snapshot(world.service.policies.state.list(world.org_id))
    decision = msgspec.json.decode(event.data or b"")
    assert replay(decision, policies).agrees
    for forged in (
        decision | {"limited_by_key": []},
        decision | {"reasons": [OF_AGENT], "reason": OF_AGENT},
        decision | {"decision": "allow"},
    ):
        assert not replay(forged, policies).agrees


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("action", ["block", "require_approval"])
@pytest.mark.parametrize("bound", [False, True])
async def test_asking_guard_first_takes_no_place(world: World, bound: bool, action: str, at_once: bool) -> None:
    policy = await world.policy("rate_limit", {**RULES, "action": action})
    key = await key_of(world, agent_id="bot") if bound else await key_of(world)
    names = ["bot" if bound else f"bot-{number}" for number in range(8)]
    asked = [await world.guard(key, agent_id=name) for name in names]
    assert [each.decision for each in asked] == [Decision.ALLOW] * 8
    creations = [opened_as(world, key, name, each.decision_id) for name, each in zip(names, asked, strict=True)]
    statuses = list(await asyncio.gather(*creations)) if at_once else [await each for each in creations]
    late = ActionStatus.BLOCKED if action == "block" else ActionStatus.PENDING_APPROVAL
    assert Counter(statuses) == {ActionStatus.RUNNING: 3, late: 5}
    events = await world.events(kind="guard.decision.created")
    assert len(events) == 8 + 5, "what came late was decided anew"
    decision = msgspec.json.decode(events[-1].data or b"")
    policies = snapshot(world.service.policies.state.list(world.org_id))
    assert (decision["matched_policies"], replay(decision, policies).agrees) == ([policy.policy_id], True)
    world.clock.turn(HOUR)
    assert (await world.act(key, agent_id=names[0])).status is ActionStatus.RUNNING


async def opened_as(world: World, by: Principal, agent_id: str, decision_id: str) -> ActionStatus:
    """The status of an action that is created with a decision made before."""
    try:
        return (await world.act(by, agent_id=agent_id, decision_id=decision_id)).status
    except Refusal as refused:
        return ActionStatus(refused.extras["action"]["status"])


@pytest.mark.parametrize(("mode", "action"), [("enforce", "warn"), ("observe", "block")])
async def test_a_limit_that_the_decision_had_lets_it_be_used(world: World, mode: str, action: str) -> None:
    await world.policy("rate_limit", {**RULES, "action": action}, mode=mode)
    for _ in range(3):
        await world.act(agent_id="bot")
    asked = await world.guard(agent_id="bot")
    assert (await world.create(agent_id="bot", decision_id=asked.decision_id)).decision == asked


async def test_many_that_wait_for_a_webhook_take_no_more_places_than_there_are(world: World) -> None:
    await world.policy("rate_limit", RULES)
    rules = {"url": "https://hook.invalid/", "timeout_ms": 1000, "on_timeout": "allow"}
    await world.policy("webhook_check", rules)
    key = await key_of(world, agent_id="bot")
    made = await asyncio.gather(*(world.create(key) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(each, CreatedAction) for each in made) == 3
