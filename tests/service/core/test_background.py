"""Threads that step back."""

import os
import threading

import pytest

from assent_service.core.background import NICE, background_pool


@pytest.mark.skipif(not hasattr(os, "getpriority"), reason="no priorities here")
def test_its_threads_have_a_lower_priority_than_the_rest() -> None:
    def priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    mine = priority()
    with background_pool(1, "some-work") as pool:
        assert pool.submit(priority).result() == max(mine, NICE)
        assert pool.submit(lambda: threading.current_thread().name).result().startswith("some-work")
    assert priority() == mine
