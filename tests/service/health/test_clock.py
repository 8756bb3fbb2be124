"""A service whose machine's clock jumps: nobody is held up, nothing expires, and it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from assent.contract.control.actions import ActionStatus
from assent_service.app import Service, build
from assent_service.base.clock import HOUR, MINUTE, SECOND, SteadyClock, moment
from assent_service.core.settings import Settings
from assent_service.health import ClockWatch
from assent_service.health.clock import ClockJump
from tests.service.base.machine import Machine
from tests.service.control.actions.world import Hands, World


@pytest.fixture
def machine() -> Machine:
    return Machine()


@asynccontextmanager
async def opened(home: Path, machine: Machine) -> AsyncIterator[tuple[World, ClockWatch]]:
    clock = SteadyClock(machine.wall, machine.passed)
    service = build(Settings(home=str(home), approval_hours=24), clock=clock)
    service.ledger.start()
    world = World(service, Hands())
    try:
        await world.first()
        yield world, watch(service, clock)
    finally:
        await service.outside.client.aclose()
        service.ledger.close()


def watch(service: Service, clock: SteadyClock) -> ClockWatch:
    organizations = service.organizations.state.by_id
    return ClockWatch(service.ledger, clock, clock, lambda: list(organizations), service.guard.state.turn_back)


async def verdicts(world: World, machine: Machine, calls: int) -> list[str]:
    found = []
    for _ in range(calls):
        machine.go(SECOND)
        found.append((await world.act(agent_id="bot", action_type="mail")).status.value)
    return found


@pytest.mark.parametrize("jump", [48 * HOUR, -48 * HOUR])
async def test_a_jump_that_is_taken_back_changes_nothing(tmp_path: Path, machine: Machine, jump: int) -> None:
    async with opened(tmp_path, machine) as (world, jumps):
        limit = {"max_actions": 4, "window_minutes": 10, "action": "require_approval"}
        await world.policy("rate_limit", limit)
        await world.policy("require_approval", {"action_types": ["pay"]})
        waiting = await world.act(action_type="pay", agent_id="other")
        await verdicts(world, machine, 3)
        machine.jump(jump)
        await jumps.look()
        found = jumps.inspect()
        assert (found.name, found.status) == ("clock_jumps", "warn")
        assert f"has just jumped 172800 s {'ahead' if jump > 0 else 'back'}" in found.detail
        # The window holds on: three before and one now.
        assert await verdicts(world, machine, 2) == ["running", "pending_approval"]
        assert await world.service.approvals.expire_overdue() == 0
        machine.jump(-jump)
        await jumps.look()
        assert await world.service.approvals.expire_overdue() == 0
        machine.go(10 * MINUTE)
        assert await verdicts(world, machine, 1) == ["running"], "nobody is held up after it"
        assert (await world.decide(waiting, "allow")).status is ActionStatus.RUNNING
        (event,) = await world.events(kind="clock.jumped")
        told = msgspec.json.decode(event.data or b"", type=ClockJump)
        assert (told.seconds, told.believed) == (jump / SECOND, False)
        assert "was taken back after" in jumps.inspect().detail
        (row,) = await world.service.ledger.read("SELECT seconds, believed, created_at FROM clock_jumps")
        assert row[:2] == (jump / SECOND, False)


async def test_a_jump_back_that_stays_holds_nobody_up(tmp_path: Path, machine: Machine) -> None:
    async with opened(tmp_path, machine) as (world, jumps):
        limit = {"max_actions": 4, "window_minutes": 10, "action": "require_approval"}
        await world.policy("rate_limit", limit)
        await verdicts(world, machine, 3)
        machine.jump(-48 * HOUR)
        await jumps.look()
        machine.go(MINUTE)
        await jumps.look()
        assert "48" not in jumps.inspect().detail
        assert "jumped 172800 s back" in jumps.inspect().detail
        # As old as they were, no older: the window still holds them, and ten minutes later it does not.
        assert await verdicts(world, machine, 2) == ["running", "pending_approval"]
        machine.go(10 * MINUTE)
        assert await verdicts(world, machine, 1) == ["running"]
        newest = (await world.events())[-1]
        assert abs(newest.ts - machine.wall()) < MINUTE, "what is recorded carries the machine's time"


async def test_a_jump_ahead_that_stays_lets_things_expire(tmp_path: Path, machine: Machine) -> None:
    async with opened(tmp_path, machine) as (world, jumps):
        await world.policy("require_approval", {"action_types": ["pay"]})
        await world.act(action_type="pay", agent_id="other")
        machine.jump(48 * HOUR)
        await jumps.look()
        assert await world.service.approvals.expire_overdue() == 0
        machine.go(MINUTE)
        await jumps.look()
        assert await world.service.approvals.expire_overdue() == 1
        (event,) = await world.events(kind="clock.jumped")
        told = msgspec.json.decode(event.data or b"", type=ClockJump)
        assert (told.believed, told.lasted_seconds, moment(event.ts)) == (True, 60.0, told.created_at)


async def test_a_restart_after_the_clock_was_set_back_holds_nobody_up(tmp_path: Path, machine: Machine) -> None:
    async with opened(tmp_path, machine) as (world, _):
        await world.policy("rate_limit", {"max_actions": 4, "window_minutes": 10, "action": "require_approval"})
        await verdicts(world, machine, 4)
    machine.jump(-48 * HOUR)
    async with opened(tmp_path, machine) as (world, jumps):
        assert await verdicts(world, machine, 1) == ["pending_approval"], "it is not known how long ago they were"
        machine.go(11 * MINUTE)
        assert await verdicts(world, machine, 1) == ["running"]
        assert jumps.inspect().status == "pass"
