"""Telling of signals: once each, again after they went off, and nothing twice after a restart."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.signals import SignalsQuery
from assent.contract.problems import Code
from assent_service.base.clock import SECOND
from assent_service.base.problem import Refusal
from assent_service.core.settings import Levels, Thresholds
from tests.live import WAIT
from tests.service.control.actions.world import DAY, HOUR, MINUTE, Hands, World, opened
from tests.service.control.signals.test_signals import Agent, Heartbeats, leave


async def detected(world: World) -> list[dict[str, Any]]:
    events = await world.events(kind="signal.detected")
    return [msgspec.json.decode(event.data or b"") for event in events]


async def kinds(world: World) -> list[tuple[str, str]]:
    return [(each["type"], each["subject"]) for each in await detected(world)]


async def spike(world: World, number: int = 11) -> None:
    for _ in range(number):
        await world.act(agent_id="bot", status="completed")


async def test_a_detection_is_the_signal_as_a_row(world: World) -> None:
    action = await world.act(agent_id="bot", action_type="look", reversible=False, risk_score=95)
    assert await world.service.announcer.tell() == 1
    (event,) = await world.events(kind="signal.detected")
    (signal,) = world.service.signals.page(world.admin, SignalsQuery()).signals
    row = msgspec.json.decode(event.data or b"")
    assert row["signal_id"] == event.subject
    assert row["subject"] == event.action == action.action_id
    assert event.actor == "system"
    assert {name: row[name] for name in msgspec.to_builtins(signal)} == msgspec.to_builtins(signal)
    ((kind, subject),) = await world.service.ledger.read("SELECT type, subject FROM signals")
    assert (kind, subject) == ("high_impact_low_oversight", action.action_id)


async def test_once_while_it_is_on_and_again_after_it_was_off(world: World) -> None:
    tell = world.service.announcer.tell
    await spike(world, 10)
    assert await tell() == 0
    await spike(world, 1)
    assert await tell() == 1
    await spike(world, 30)
    assert (await tell(), await tell()) == (0, 0)
    world.clock.turn(2 * HOUR)
    await spike(world)
    assert await tell() == 1
    assert await kinds(world) == [("autonomy_spike", "bot")] * 2


async def test_a_pace_around_the_threshold_is_told_of_once_an_hour_at_most(world: World) -> None:
    for _ in range(60):
        await spike(world, 1)
        await world.service.announcer.tell()
        world.clock.turn(int(5.7 * MINUTE))
    # 342 minutes; at most one each hour.
    assert 1 <= len(await detected(world)) <= 6


async def test_failures_drift_and_what_nobody_allowed(world: World) -> None:
    tell = world.service.announcer.tell
    for _ in range(4):
        failed = await world.failed(agent_id="bot")
    assert await tell() == 1
    for _ in range(2):
        await world.judge(await world.believe(failed), False, "wrong")
    assert await tell() == 1
    await world.policy("require_approval", {"action_types": ["pay"]})
    action = await world.decide(await world.act(action_type="pay", agent_id="bot"), "deny")
    assert await tell() == 0
    await world.report(action, status="completed")
    assert await tell() == 1
    assert await kinds(world) == [
        ("repeated_failures", "bot"),
        ("assumption_drift", "bot"),
        ("outcome_without_approval", action.action_id),
    ]


async def test_what_is_off_again_by_then_is_not_told_of(world: World) -> None:
    action = await world.act(agent_id="bot", reversible=False, risk_score=100)
    await world.report(action, status="completed")
    assert await world.service.announcer.tell() == 0
    assert await detected(world) == []


async def test_time_brings_about_what_grows_stale(world: World) -> None:
    announcer, began = world.service.announcer, await world.act(agent_id="bot")
    loop_id, belief = await leave(world, began), await world.believe(began)
    assert await announcer.tell() == 0
    now = world.clock.now
    deadline = announcer.deadline(now)
    assert deadline is not None
    assert deadline == 4 * HOUR + 1 + round(began.created_at.timestamp() * 1e6)
    told = []
    for wait in (4 * HOUR, 44 * HOUR, 12 * DAY, 90 * DAY):
        world.clock.turn(wait)
        told.append(await announcer.tell())
        assert await announcer.tell() == 0
    assert told == [1, 1, 1, 0]
    assert await kinds(world) == [
        ("stale_running_action", began.action_id),
        ("stale_loop", loop_id),
        ("stale_assumption", belief.assumption_id),
    ]
    assert announcer.deadline(world.clock.now) is None


async def test_what_was_stale_already_when_it_began_is_told_of(world: World) -> None:
    assert await world.service.announcer.tell() == 0
    action = await world.act(agent_id="bot", status="completed")
    world.clock.turn(5 * HOUR)
    assert await world.service.announcer.tell() == 0
    await world.report(action, status="running")
    assert await world.service.announcer.tell() == 1


async def test_an_agent_that_falls_silent_again_is_told_of_again(world: World) -> None:
    first = world.clock.moment
    presence = world.service.signals.presence = Heartbeats(Agent("bot", first, None))
    assert (await world.service.announcer.tell(), await world.service.announcer.tell()) == (1, 0)
    world.clock.turn(HOUR)
    presence.agents = (Agent("bot", world.clock.moment, "t7"),)
    assert (await world.service.announcer.tell(), await world.service.announcer.tell()) == (1, 0)
    assert [(each["subject"], each["severity"]) for each in await detected(world)] == [("bot", "amber"), ("bot", "red")]


async def test_agents_are_looked_through_once_a_second_however_much_is_told_of(world: World) -> None:
    presence = world.service.signals.presence = Heartbeats(Agent("other", world.clock.moment, None))
    for number in range(3):
        await world.act(agent_id=f"bot-{number}", reversible=False, risk_score=100)
        assert await world.service.announcer.tell() == (2 if number == 0 else 1)
    assert len(presence.asked) == 1
    world.clock.turn(SECOND)
    await world.service.announcer.tell()
    assert len(presence.asked) == 2


async def test_telling_of_signals_makes_no_signal(world: World) -> None:
    for _ in range(30):
        await world.act(agent_id="bot", reversible=False, risk_score=100)
    assert await world.service.announcer.tell() == 31
    assert await world.service.announcer.tell() == 0


async def test_more_than_a_hundred_are_all_told_of(world: World) -> None:
    for number in range(250):
        await world.act(agent_id=f"a{number}", reversible=False, risk_score=100)
    assert await world.service.announcer.tell() == 250
    assert len(set(await kinds(world))) == 250


async def test_what_cannot_be_recorded_is_kept(world: World) -> None:
    await spike(world)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    for _ in range(2):
        with pytest.raises(Refusal) as found:
            await world.service.announcer.tell()
        assert found.value.code is Code.STORAGE_UNAVAILABLE
    files.errors.clear()
    assert (await world.service.announcer.tell(), await world.service.announcer.tell()) == (1, 0)


async def test_a_restart_repeats_nothing_and_loses_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await spike(world)
        stale = await world.act(agent_id="slow")
        world.clock.turn(5 * HOUR)
        await spike(world)
        await world.act(agent_id="bot", reversible=False, risk_score=100)
        assert await world.service.announcer.tell() == 3
        # The process ends before this one is told of.
        for _ in range(4):
            await world.failed(agent_id="other")
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        await _started(world)
        assert (await kinds(world))[3:] == [("repeated_failures", "other")]
    async with opened(tmp_path, Hands(clock.now)) as world:
        await _started(world)
        assert len(await detected(world)) == 4
        assert ("stale_running_action", stale.action_id) in await kinds(world)


async def _started(world: World) -> None:
    await world.service.announcer.start()
    await world.service.announcer.stop()
    await world.service.announcer.tell()


async def test_it_tells_by_itself_when_something_happens_and_when_the_time_has_come(tmp_path: Path) -> None:
    quick = Thresholds(stale_running_hours=Levels(amber=1 / 3600, red=1))
    async with opened(tmp_path, signals=quick) as world:
        await world.service.announcer.start()
        await world.act(agent_id="bot", reversible=False, risk_score=100)
        await _until(world, 1)
        # Nothing is recorded from here on; only time passes, and the announcer looks when the deadline is due.
        world.clock.turn(HOUR)
        await _until(world, 2)
        await world.service.announcer.stop()
        assert [kind for kind, _ in await kinds(world)] == ["high_impact_low_oversight", "stale_running_action"]


async def _until(world: World, number: int) -> None:
    heard = asyncio.Event()
    world.service.ledger.listen(lambda _: heard.set())
    async with asyncio.timeout(WAIT):
        while len(await detected(world)) < number:
            await heard.wait()
            heard.clear()
