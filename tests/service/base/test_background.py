"""Threads that step back, and how late a real event loop is, in time and held up."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import pytest

from assent_service.base.background import NICE, TICK, Lag, background_pool
from assent_service.base.pace import LATE


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="no priorities here")
def test_its_threads_have_a_lower_priority_than_the_rest() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    mine = priority()
    with background_pool(1, "some-work") as pool:
        assert pool.submit(priority).result() == max(mine, NICE)
        assert pool.submit(lambda: threading.current_thread().name).result().startswith("some-work")
    assert priority() == mine


async def in_time(lag: Lag) -> None:
    deadline = time.monotonic() + 20
    while lag.seconds() >= LATE:
        assert time.monotonic() < deadline
        await asyncio.sleep(TICK)


async def test_a_loop_at_rest_is_in_time_and_one_that_was_held_up_is_late_for_a_moment() -> None:
    lag = Lag()
    assert lag.seconds() == 0
    lag.start()
    try:
        await asyncio.sleep(TICK)
        await in_time(lag)  # other programs may hold it up now and then, not always
        await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251 - somebody holds the loop
        assert lag.seconds() > 0.15, "it is seen before the loop comes to say so"
        await asyncio.sleep(0.001)
        assert lag.seconds() > 0.1
        await in_time(lag)
    finally:
        lag.stop()
    assert lag.seconds() == 0
    time.sleep(2 * TICK)  # noqa: ASYNC251 - as above
    assert lag.seconds() == 0, "nothing runs any more"
