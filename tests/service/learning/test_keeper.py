"""The task behind the memory: it stops when it is told to, whatever comes at the same moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.live import WAIT
from tests.service.actions.world import World, opened


async def finish(world: World) -> None:
    action = await world.act(agent_id="bot")
    await world.report(action, None, status="completed")


@pytest.mark.parametrize("noun", ["keeper", "herald"])
async def test_a_stop_that_comes_with_news_ends_it(tmp_path: Path, noun: str) -> None:
    async with opened(tmp_path) as world:
        task = getattr(world.service, noun)
        await task.start()
        await asyncio.sleep(0.1)
        # The event wakes the task in the same turn of the loop that cancels it.
        await finish(world)
        async with asyncio.timeout(WAIT):
            await task.stop()
