"""How deliveries give way to guard, when there are many webhooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from assent_service.exchange.webhooks import dispatcher as couriers
from assent_service.exchange.webhooks import open_webhooks
from tests.service.control.actions.world import locks_of
from tests.service.exchange.webhooks.receiver import Post, Receiver

HOOKS = 5
PAUSE = 1000.0


class AlwaysRests:
    """The others record much, all the time."""

    def __init__(self, others: Callable[[], int]) -> None:
        self._others = others

    def rest(self) -> float:
        return PAUSE

    def resume(self) -> None:
        """Nothing is counted here."""


async def test_the_rests_of_all_webhooks_come_one_after_the_other(
    post: Post, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rested: list[float] = []
    enough = asyncio.Event()

    async def wait(event: asyncio.Event, seconds: float) -> None:
        """Rests are noted and last for ever, other waits are as they are."""
        if seconds > couriers.LOOK_AGAIN:
            rested.append(seconds)
            if len(rested) == HOOKS:
                enough.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(event.wait(), min(seconds, 60))

    monkeypatch.setattr(couriers, "_wait", wait)
    world = post.world
    hooks = open_webhooks(
        world.service.ledger,
        world.clock,
        locks_of(world.service.ledger),
        tmp_path / "home",
        allow_private=True,
        make_throttle=AlwaysRests,
        state=post.state,
    )
    for _ in range(HOOKS):
        await post.create(receiver.url, ["action.created"])
    await world.act()
    await world.service.ledger.caught_up()
    hooks.dispatcher.start()
    try:
        async with asyncio.timeout(60):
            await enough.wait()
    finally:
        await hooks.dispatcher.stop()
    assert len(receiver.sent) == HOOKS
    assert [round(seconds / PAUSE, 1) for seconds in rested] == [1, 2, 3, 4, 5]
