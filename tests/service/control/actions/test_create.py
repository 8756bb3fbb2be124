"""Creating actions on a running service, without HTTP: verdicts, ids, keys, limits, refused writes."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action, CreatedAction
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.store.database import Row
from tests.service.control.actions.world import DAY, HOUR, SECOND, World, opened, refused


async def stored(world: World, action_id: str) -> Action:
    """The action as the tables have it, past the memory."""
    page = await world.service.ledger.read(
        "SELECT count(*) FROM actions WHERE org_id = ? AND action_id = ?", [world.org_id, action_id]
    )
    assert page == [(1,)]
    return await world.service.actions.visible(world.admin, action_id)


async def counts(world: World) -> dict[str, int]:
    """How many decisions and actions are on record."""
    events = await world.events()
    kinds = [event.type for event in events]
    return {name: kinds.count(name) for name in ("guard.decision.created", "action.created")}


async def test_decision_and_action_are_one_write(world: World) -> None:
    made = await world.create(agent_id="bot", declared_goal="give it back", metadata={"order": 7})
    decision, action = (await world.events())[-2:]
    assert [decision.type, action.type] == ["guard.decision.created", "action.created"]
    assert decision.batch == action.batch
    assert (decision.subject, action.subject) == (made.decision.decision_id, made.action_id)
    assert (made.action.decision_id, made.action.status) == (made.decision.decision_id, "running")
    assert await stored(world, made.action_id) == made.action
    assert not made.idempotent_replay


async def test_a_blocked_attempt_is_refused_and_kept(world: World) -> None:
    policy = await world.policy("block_action_type", {"action_types": ["wire"]})
    refusal = await world.blocked(action_type="wire", agent_id="bot", declared_goal="send it all")
    decision, said = refusal.extras["decision"], refusal.extras["action"]
    assert (decision["decision"], decision["matched_policies"]) == ("block", [policy.policy_id])
    assert refusal.status == 403
    kept = await stored(world, said["action_id"])
    assert msgspec.to_builtins(kept) == said
    assert (kept.status, kept.error_message) == ("blocked", decision["reason"])
    assert kept.timestamp_end == kept.created_at


async def test_history_that_would_have_been_blocked_did_happen(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wire"]})
    then = (world.clock.moment - timedelta(days=3)).isoformat()
    made = await world.create(action_type="wire", source="import", occurred_at=then, status="completed")
    assert (made.action.status, made.action.decision) == ("completed", "block")
    assert made.action.timestamp_start.isoformat() == then


@pytest.mark.parametrize("role", [Role.AGENT, Role.OPERATOR])
async def test_history_takes_an_admin_key(world: World, role: Role) -> None:
    action = await world.act()
    members: dict[str, Any]
    for members in ({"source": "import"}, {"occurred_at": world.clock.moment.isoformat()}):
        async with refused(Code.FORBIDDEN):
            await world.create(world.somebody(role), **members)
        async with refused(Code.FORBIDDEN):
            await world.report(action, world.somebody(role), status="completed", **members)


# Ids of one's own


async def test_an_id_of_ones_own_is_taken_within_the_organization_only(world: World) -> None:
    stranger = await world.stranger()
    mine = await world.act(action_id="a-1", declared_goal="mine")
    theirs = await world.act(stranger, action_id="a-1", declared_goal="theirs")
    async with refused(Code.ACTION_EXISTS):
        await world.create(action_id="a-1")
    await world.report("a-1", stranger, status="failed")
    assert await stored(world, "a-1") == mine
    found = await world.service.actions.visible(stranger, "a-1")
    assert (found.declared_goal, found.status, theirs.status) == ("theirs", "failed", "running")


async def test_of_two_that_want_the_same_id_at_once_one_gets_it(world: World) -> None:
    answers = await asyncio.gather(*(world.create(action_id="a-1") for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(answer, CreatedAction) for answer in answers) == 1
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.ACTION_EXISTS] * 5
    assert (await counts(world))["action.created"] == 1


@pytest.mark.parametrize("days", [-1.01, 1.01, -400, 400])
async def test_a_live_action_begins_now(world: World, days: float) -> None:
    before = await counts(world)
    there = (world.clock.moment + timedelta(days=days)).isoformat()
    async with refused(Code.INVALID_BODY) as found:
        await world.create(timestamp_start=there)
    assert [error.place for error in found.value.errors] == ["timestamp_start"]
    assert there in found.value.detail
    assert await counts(world) == before, "nothing was recorded"
    then = (world.clock.moment - timedelta(days=400)).isoformat()
    made = await world.create(source="import", occurred_at=then, timestamp_start=then)
    assert made.action.timestamp_start.isoformat() == then


@pytest.mark.parametrize("hours", [-23.9, 23.9])
async def test_a_clock_that_is_a_little_off_is_no_reason_to_refuse(world: World, hours: float) -> None:
    there = world.clock.moment + timedelta(hours=hours)
    made = await world.create(timestamp_start=there.isoformat())
    assert made.action.timestamp_start == min(there, world.clock.moment), "nothing begins in the future"


# Idempotency keys


async def test_the_same_key_and_body_is_the_same_action(world: World) -> None:
    body: dict[str, Any] = {"agent_id": "bot", "declared_goal": "give it back", "metadata": {"b": 1, "a": [1.0, None]}}
    first = await world.create(key="k1", **body)
    before = await counts(world)
    world.clock.turn(HOUR)
    again = await world.create(key="k1", **body | {"timestamp_start": world.clock.moment.isoformat()})
    assert again.idempotent_replay
    assert (again.action, again.decision, again.approval) == (first.action, first.decision, None)
    # In the body the key means the same.
    assert (await world.create(idempotency_key="k1", **body)).action_id == first.action_id
    assert await counts(world) == before
    done = await world.report(first.action, status="completed")
    assert (await world.create(key="k1", **body)).action == done


@pytest.mark.parametrize("other", [{"declared_goal": "keep it"}, {"action_id": "a"}, {"extra": 1}])
async def test_the_same_key_with_another_body_is_a_mistake(world: World, other: dict[str, Any]) -> None:
    body: dict[str, Any] = {"agent_id": "bot", "declared_goal": "give it back"}
    first = await world.create(key="k1", **body)
    before = await counts(world)
    async with refused(Code.IDEMPOTENCY_MISMATCH) as found:
        await world.create(key="k1", **body | other)
    assert found.value.status == 422
    assert first.action_id in found.value.detail
    assert await counts(world) == before


async def test_repeats_at_once_are_one_action(world: World) -> None:
    answers = await asyncio.gather(*(world.create(key="k1", agent_id="bot") for _ in range(8)))
    assert len({answer.action_id for answer in answers}) == 1
    assert sorted(answer.idempotent_replay for answer in answers) == [False] + [True] * 7
    assert (await counts(world)) == {"guard.decision.created": 1, "action.created": 1}


async def test_a_repeated_block_is_refused_again_and_recorded_once(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wire"]})
    first = await world.blocked(action_type="wire", key="k1")
    again = await world.blocked(action_type="wire", key="k1")
    assert again.extras["action"]["action_id"] == first.extras["action"]["action_id"]
    assert again.extras["decision"] == first.extras["decision"]
    assert (await counts(world))["action.created"] == 1


async def test_a_key_counts_for_a_day_and_for_history_for_good(world: World) -> None:
    old = (world.clock.moment - timedelta(days=9)).isoformat()
    history: dict[str, Any] = {"source": "import", "occurred_at": old}
    live, imported = await world.create(key="k1"), await world.create(key="k2", **history)
    world.clock.turn(DAY - SECOND)
    assert (await world.create(key="k1")).action_id == live.action_id
    world.clock.turn(2 * SECOND)
    fresh = await world.create(key="k1")
    assert not fresh.idempotent_replay
    assert fresh.action_id != live.action_id
    world.clock.turn(90 * DAY)
    assert (await world.create(key="k2", **history)).action_id == imported.action_id


async def test_organizations_do_not_share_keys(world: World) -> None:
    stranger = await world.stranger()
    mine, theirs = await world.create(key="k1"), await world.create(stranger, key="k1")
    assert not theirs.idempotent_replay
    assert mine.action_id != theirs.action_id


async def test_keys_are_separate_for_each_agent(tmp_path: Path) -> None:
    old = "2026-02-01T00:00:00+00:00"
    history: dict[str, Any] = {"source": "import", "occurred_at": old}
    async with opened(tmp_path) as world:
        bound = world.somebody(agent_id="a")
        made = [await world.create(key="k1", agent_id=agent) for agent in ("a", "b", None)]
        brought = [await world.create(key="k2", agent_id=agent, **history) for agent in ("a", "b", None)]
        assert len({each.action_id for each in made + brought}) == 6
        assert not any(each.idempotent_replay for each in made + brought)
        assert (await world.create(bound, key="k1", agent_id="a")).action_id == made[0].action_id
        async with refused(Code.IDEMPOTENCY_MISMATCH):
            await world.create(key="k1", agent_id="b", declared_goal="another")
        clock = world.clock
        await world.service.ledger.caught_up()
    async with opened(tmp_path, clock) as world:
        for agent, live, imported in zip(("a", "b", None), made, brought, strict=True):
            assert (await world.create(key="k1", agent_id=agent)).action_id == live.action_id
            assert (await world.create(key="k2", agent_id=agent, **history)).action_id == imported.action_id


# Rate limits, and writes that the log refuses


async def limited(world: World, most: int = 2) -> None:
    await world.policy("rate_limit", {"max_actions": most, "window_minutes": 60, "action": "block"})


async def test_actions_at_once_count_one_another(world: World) -> None:
    await limited(world)
    answers = await asyncio.gather(*(world.create(agent_id="bot") for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(answer, CreatedAction) for answer in answers) == 2
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.ACTION_BLOCKED] * 4
    await world.create(agent_id="other")
    world.clock.turn(HOUR)
    await world.create(agent_id="bot")


async def test_what_the_log_refused_does_not_count_and_did_not_happen(world: World) -> None:
    await limited(world)
    before = await world.events()
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    answers = await asyncio.gather(
        *(world.create(agent_id="bot", action_id=f"a-{n}", key=f"k-{n}") for n in range(2)), return_exceptions=True
    )
    assert [answer.code for answer in answers if isinstance(answer, Refusal)] == [Code.STORAGE_UNAVAILABLE] * 2
    files.errors.clear()
    assert await world.events() == before
    for number in range(2):
        made = await world.create(agent_id="bot", action_id=f"a-{number}", key=f"k-{number}")
        assert not made.idempotent_replay
    await world.blocked(agent_id="bot")


async def test_a_decision_whose_creation_was_refused_by_the_disk_is_still_there(world: World) -> None:
    said = await world.guard(agent_id="bot")
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    async with refused(Code.STORAGE_UNAVAILABLE):
        await world.create(agent_id="bot", decision_id=said.decision_id)
    files.errors.clear()
    assert (await world.create(agent_id="bot", decision_id=said.decision_id)).decision == said


async def test_a_log_that_went_read_only_says_so(world: World) -> None:
    action = await world.act()
    files = world.break_disk()
    files.errors["fdatasync"] = errno.EIO
    async with refused(Code.READ_ONLY):
        await world.create()
    files.errors.clear()
    async with refused(Code.READ_ONLY):
        await world.report(action, status="completed")
    assert await stored(world, action.action_id) == action


async def test_a_limit_set_later_counts_what_happened_before(world: World) -> None:
    await world.act(agent_id="bot")
    await world.act(agent_id="bot")
    await limited(world, 3)
    await world.act(agent_id="bot")
    await world.blocked(agent_id="bot")


async def test_an_action_that_comes_while_the_new_limit_is_filled_in_counts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.act(agent_id="bot")
    read = world.service.ledger.read

    async def read_slowly(sql: str, parameters: Sequence[object] = (), *, remembered: int = 0) -> list[Row]:
        rows = await read(sql, parameters, remembered=remembered)
        if "row_number" in sql:
            await world.act(agent_id="bot")
        return rows

    monkeypatch.setattr(world.service.ledger, "read", read_slowly)
    await limited(world, 3)
    await world.act(agent_id="bot")
    await world.blocked(agent_id="bot")
