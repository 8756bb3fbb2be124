"""Histories with a change in them, and a follower that reads them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.analysis.drift import DriftAlert
from assent_service.analysis.drift.follower import Follower
from assent_service.base.clock import moment
from tests.live import WAIT
from tests.service.control.actions.world import START, Hands, World, opened

BEGAN = moment(START) - timedelta(days=20)
STABLE = [33, 35, 37] * 20
CHANGED = [51, 53, 55] * 10
"""Risks of the same score (31 to 60 adds nothing to it), so that no other metric changes with them; also where guard
adds the 5 of an agent without history."""

HINTED = [*STABLE, *CHANGED[:12]]
"""Enough of them for a hint, and too few for it to be established."""


def at(number: int) -> datetime:
    """When the value of this number happened: one an hour."""
    return BEGAN + timedelta(hours=number)


async def history(world: World, risks: Iterable[float], start: int = 0, **members: Any) -> None:
    """Imported actions of `bot`, one an hour, each with a risk."""
    told = {"agent_id": "bot", "action_type": "look", "status": "completed", "source": "import"} | members
    for number, risk in enumerate(risks, start):
        await world.create(risk_score=risk, occurred_at=at(number).isoformat(), **told)


async def caught_up(world: World) -> None:
    """Wait for a follower that was started; nothing tells that it has nothing more to do."""
    async with asyncio.timeout(WAIT):
        while not follower(world).caught_up():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def recorded(world: World) -> list[float]:
    """The risks, which guard may have raised."""
    rows = await world.service.ledger.read("SELECT risk_score FROM actions ORDER BY timestamp_start")
    return [float(str(risk)) for (risk,) in rows]


async def alerts(world: World) -> list[DriftAlert]:
    """What the follower has recorded, in order, after it has read everything."""
    await follower(world).follow()
    events = await world.events(kind="drift.alert")
    return [msgspec.json.decode(event.data or b"", type=DriftAlert) for event in events]


def follower(world: World) -> Follower:
    return world.service.drift.follower


@asynccontextmanager
async def watching(home: Path, clock: Hands | None = None, **settings: Any) -> AsyncIterator[World]:
    """A service whose follower has taken up where it stood."""
    async with opened(home, clock, **settings) as world:
        await follower(world).load()
        try:
            yield world
        finally:
            await follower(world).stop()
