"""Guard asked again with the same idempotency key: one decision, whoever was in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from assent.contract.problems import Code
from assent_service.control.guard import recent as module
from assent_service.control.guard.recent import KEEP, Repeats, scope
from tests.service.control.actions.world import MINUTE, World, opened, refused


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as found:
        yield found


async def decisions(world: World) -> int:
    return len(await world.events(kind="guard.decision.created"))


async def test_the_same_question_again_is_the_same_decision(world: World) -> None:
    first = await world.guard(key="k", agent_id="bot", metadata={"n": 1})
    again = await world.guard(key="k", agent_id="bot", metadata={"n": 1})
    assert again == first
    assert await decisions(world) == 1
    # Used by an action it is no longer in memory, and answers all the same.
    await world.create(agent_id="bot", metadata={"n": 1}, decision_id=first.decision_id)
    assert await world.guard(key="k", agent_id="bot", metadata={"n": 1}) == first
    assert await decisions(world) == 1


async def test_a_refusal_is_repeated_as_well(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    first = await world.guard(key="k", action_type="wipe")
    assert (first.decision, await world.guard(key="k", action_type="wipe")) == ("block", first)


@pytest.mark.parametrize("other", [{"action_type": "wire"}, {"session_id": "s"}, {"runtime": "coding_agent"}])
async def test_another_question_under_the_same_key_is_refused(world: World, other: dict[str, Any]) -> None:
    await world.guard(key="k", agent_id="bot")
    async with refused(Code.IDEMPOTENCY_MISMATCH):
        await world.guard(key="k", agent_id="bot", **other)
    assert await decisions(world) == 1


async def test_keys_are_separate_for_each_agent_and_organization(world: World) -> None:
    stranger = await world.stranger()
    answers = [
        await world.guard(key="k", agent_id="a"),
        await world.guard(key="k", agent_id="b"),
        await world.guard(key="k"),
        await world.guard(stranger, key="k", agent_id="a"),
    ]
    assert len({each.decision_id for each in answers}) == 4
    bound = world.somebody(agent_id="a")
    assert await world.guard(bound, key="k") == answers[0], "who speaks counts, not how the agent was named"


async def test_of_many_at_once_one_decides(world: World) -> None:
    answers = await asyncio.gather(*(world.guard(key="k", agent_id="bot") for _ in range(16)))
    assert len({each.decision_id for each in answers}) == 1
    assert await decisions(world) == 1


async def test_a_key_answers_for_five_minutes(world: World) -> None:
    first = await world.guard(key="k")
    world.clock.turn(4 * MINUTE)
    assert await world.guard(key="k") == first
    world.clock.turn(2 * MINUTE)
    assert (await world.guard(key="k")).decision_id != first.decision_id


async def test_a_halt_is_stronger_than_a_key(world: World) -> None:
    first = await world.guard(key="k")
    await world.service.halts.halt(world.admin, "stop")
    halted = await world.guard(key="k")
    assert (first.decision, halted.decision) == ("allow", "block")


@pytest.mark.parametrize("folded", [True, False], ids=["folded from the log", "loaded from the tables"])
async def test_a_restart_knows_the_keys(tmp_path: Path, folded: bool) -> None:
    async with opened(tmp_path) as world:
        first, clock = await world.guard(key="k", agent_id="bot"), world.clock
        if not folded:
            await world.service.ledger.caught_up()
    if folded:
        (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        assert await world.guard(key="k", agent_id="bot") == first
        async with refused(Code.IDEMPOTENCY_MISMATCH):
            await world.guard(key="k", agent_id="bot", action_type="wire")
        assert await decisions(world) == 1


def test_memory_is_bounded_and_keeps_the_newest_half(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST_REPEATS", 10)
    repeats = Repeats()
    for number in range(1000):
        repeats.add(scope("org", None, f"k{number}"), number, f"dec_{number}")
        assert len(repeats.snapshot(number)) <= 10
    held = [number for number in range(1000) if repeats.get(scope("org", None, f"k{number}"), 1000) is not None]
    assert held[-5:] == [995, 996, 997, 998, 999]


def test_a_key_answers_while_newer_ones_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEWEST_REPEATS", 4)
    repeats = Repeats()
    for number in range(3):
        repeats.add(b"k%d" % number, number, f"dec_{number}")
    assert [repeats.get(b"k%d" % number, 3) for number in range(3)] == ["dec_0", "dec_1", "dec_2"]


def test_a_key_that_was_used_anew_names_the_newer_decision() -> None:
    repeats = Repeats()
    repeats.add(b"k", 0, "dec_1")
    repeats.add(b"k", KEEP + 1, "dec_2")
    assert repeats.get(b"k", KEEP + 2) == "dec_2"


def test_no_two_scopes_are_written_alike() -> None:
    scopes = [
        scope(org, agent, key)
        for org in ("a", "b")
        for agent in (None, "", "x", "=x", "k\n=x", "\ud800")
        for key in ("k", "=", "k=x", "x")
    ]
    assert len(set(scopes)) == len(scopes)
