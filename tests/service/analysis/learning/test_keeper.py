"""The task behind the memory: it stops when it is told to, whatever comes at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from assent_service.analysis.learning.keeper import GATHER
from assent_service.store.event import Event
from tests.live import WAIT
from tests.service.control.actions.world import opened


async def test_a_stop_that_comes_with_news_ends_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        keeper = world.service.keeper
        await keeper.start()
        await keeper.ready.wait()
        for _ in range(2):
            # Once to be read, and once more to wait until a reading is due again.
            await world.report(await world.act(agent_id="bot"), None, status="completed")
            await asyncio.sleep(2 * GATHER)
        action = await world.act(agent_id="bot")
        await asyncio.sleep(2 * GATHER)
        stops: list[asyncio.Task[None]] = []

        def stop(batch: Sequence[Event]) -> None:
            stops.append(asyncio.ensure_future(keeper.stop()))

        # Told after the keeper is: what has just woken its task is there before the cancellation.
        world.service.ledger.listen(stop)
        await world.report(action, None, status="completed")
        _, pending = await asyncio.wait(stops, timeout=WAIT / 3)
        assert not pending, "the task goes on after it was stopped"
