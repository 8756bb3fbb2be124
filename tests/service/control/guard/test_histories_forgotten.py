"""Histories that memory has no room for are counted in the tables, and guard decides alike."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.base import memory as memory_module
from assent_service.base.problem import refuse
from assent_service.control.guard.history import NO_HISTORY, DayCount, Histories, RiskTrack
from assent_service.control.guard.risk import RiskHistory
from tests.service.control.actions.world import DAY, HOUR, MINUTE, START, World, opened, refused

AGENTS = [f"agent-{number}" for number in range(12)]


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for about three histories."""
    monkeypatch.setitem(memory_module.SHARES, "histories", 4_000 / (1024 * memory_module.MEGABYTE))


async def act(world: World) -> None:
    """Each agent acts as often as its number says, and every third time it fails."""
    for often in range(3):
        for number, agent in enumerate(AGENTS):
            for _ in range(number % 4 + 1):
                world.clock.turn(MINUTE)
                action = await world.act(agent_id=agent, action_type="mail", risk_score=8 * number)
                if (number + often) % 3 == 0:
                    await world.report(action, status="failed")
        world.clock.turn(DAY + HOUR)


async def seen(world: World) -> dict[str, tuple[float, int, int, float, int]]:
    """What guard makes of each agent: its risk, and the history that it rests on."""
    found = {}
    for agent in AGENTS:
        decision = await world.guard(agent_id=agent, action_type="mail", risk_score=40)
        key = (world.org_id, agent, "mail")
        history = world.service.guard.state.histories.of(*key, world.clock.now)
        assert history is not None, "it is in memory once it was asked for"
        mean = round(history.mean_risk or 0.0, 6)
        found[agent] = (decision.risk_score, history.total, history.failed, mean, history.last_hour)
    return found


async def test_guard_decides_alike_with_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path / "much") as world:
        await act(world)
        due = await seen(world)
        whole = world.service.guard.state.histories.snapshot(world.clock.now)
    assert len(set(due.values())) > 6, "the histories differ"
    monkeypatch.setitem(memory_module.SHARES, "histories", 4_000 / (1024 * memory_module.MEGABYTE))
    async with opened(tmp_path / "little") as world:
        await act(world)
        assert len(world.service.guard.state.histories.snapshot(world.clock.now)) < len(AGENTS)
        assert await seen(world) == due
    # After a start, too: what did not fit while the tables were loaded is unknown, not new.
    async with opened(tmp_path / "much", clock=world.clock) as again:
        assert len(again.service.guard.state.histories.snapshot(again.clock.now)) < len(whole)
        assert {agent: found[:4] for agent, found in (await seen(again)).items()} == {
            agent: found[:4] for agent, found in due.items()
        }


async def test_every_spelling_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As rows of an older version hold them: capitals, inner white space, and letters that only look like ASCII."""
    monkeypatch.setitem(memory_module.SHARES, "histories", 0)
    async with opened(tmp_path) as world:
        for agent, kind in (("bot", "send mail"), ("Bot", "Send  Mail"), ("b\u043et", "send mail"), ("bot", "other")):
            action = await world.act(agent_id="bot", action_type="x")
            await world.service.ledger.caught_up()
            row = [agent, kind, action.action_id]
            sql = "UPDATE actions SET agent_id = ?, action_type = ? WHERE action_id = ?"
            world.service.ledger._projector.database.writer.execute(sql, row)
        histories = world.service.guard.state.histories
        assert histories.of(world.org_id, "bot", "send mail", world.clock.now) is None
        monkeypatch.setattr(histories._tracks, "_budget", 100_000)
        await world.guard(agent_id="bot", action_type="send mail")
        found = histories.of(world.org_id, "BOT", "Send Mail", world.clock.now)
        assert found is not None
        assert found.total == 3


@pytest.mark.usefixtures("little")
async def test_what_happens_while_it_is_counted_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as world:
        await act(world)
        agent = next(
            agent
            for agent in AGENTS
            if world.service.guard.state.histories.of(world.org_id, agent, "mail", world.clock.now) is None
        )
        number = AGENTS.index(agent)
        read, held, go = world.service.ledger.read, asyncio.Event(), asyncio.Event()

        async def slowly(sql: str, *more: object, **others: object) -> object:
            rows = await read(sql, *more, **others)  # type: ignore[arg-type]  # passed through
            if "GROUP BY ALL" in sql and not held.is_set():
                held.set()
                await go.wait()
            return rows

        monkeypatch.setattr(world.service.ledger, "read", slowly)
        asked = asyncio.create_task(world.guard(agent_id=agent, action_type="mail"))
        await held.wait()
        # Created by a second question's way: it counts while the first one has read the tables already.
        await world.act(agent_id=agent, action_type="mail")
        go.set()
        await asked
        history = world.service.guard.state.histories.of(world.org_id, agent, "mail", world.clock.now)
        assert history is not None
        assert history.total == 3 * (number % 4 + 1) + 1


@pytest.mark.usefixtures("little")
async def test_without_the_tables_nothing_unknown_is_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as world:
        await act(world)

        async def behind(*_: object, **__: object) -> object:
            raise refuse(Code.PROJECTION_BEHIND, "The tables stand still.")

        monkeypatch.setattr(world.service.ledger, "read", behind)
        histories = world.service.guard.state.histories
        states = {a: histories.of(world.org_id, a, "mail", world.clock.now) for a in AGENTS}
        known = next(agent for agent, history in states.items() if history is not None)
        unknown = next(agent for agent, history in states.items() if history is None)
        assert (await world.guard(agent_id=known, action_type="mail")).decision == "allow"
        before = len(await world.events(kind="guard."))
        async with refused(Code.PROJECTION_BEHIND):
            await world.guard(agent_id=unknown, action_type="mail")
        assert len(await world.events(kind="guard.")) == before


def test_a_stranger_who_names_a_million_agents_takes_no_more_than_the_budget() -> None:
    histories = Histories(memory_module.MemoryBudget(64))
    for number in range(30_000):
        histories.add(("org", f"agent {number}", "x"), START, total=1, failed=0, risk=1.0)
    assert histories._tracks.bytes <= memory_module.MemoryBudget(64).of("histories")
    assert 2_000 < len(histories._tracks) < 20_000
    assert histories.of("org", "agent 1", "x", START) == RiskHistory(total=1, failed=0, mean_risk=1.0, last_hour=1)
    assert histories.of("org", "agent 29999", "x", START) is None, "it is in the tables only, and not taken for new"


def test_until_something_was_forgotten_an_unknown_agent_is_a_new_one() -> None:
    histories = Histories()
    assert histories.of("org", "bot", "x", START) is NO_HISTORY


def test_two_who_count_at_once_agree_on_what_is_kept() -> None:
    histories = Histories(memory_module.MemoryBudget(64))
    histories._tracks.forgotten = 1
    key = ("org", "bot", "x")
    first, second = histories.recall(key), histories.recall(key)
    histories.add(key, START, total=1, failed=0, risk=1.0)
    third = histories.recall(key)
    stale, fresh = RiskTrack(), RiskTrack({START // DAY: DayCount(1, 0, 1.0)})
    assert not histories.recalled(first, stale)
    assert histories.recalled(third, fresh)
    assert not histories.recalled(second, stale)
    found = histories.of(*key, START)
    assert found is not None
    assert found.total == 1
    assert histories._recalls == {}
