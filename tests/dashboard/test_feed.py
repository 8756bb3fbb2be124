"""The feed: it counts what happens, and knows when it cannot."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx

from assent import Client
from assent_dashboard.feed import APPROVALS, SETTLED_SECONDS, Feed
from tests.live import ADMIN_KEY, WAIT, LiveService
from tests.stories.tenant import Tenant


def reached(condition: Callable[[], bool]) -> bool:
    """Whether it comes true while a test may take."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


def open_stream(feed: Feed, house: Tenant) -> None:
    """Wait until it is open, which it is once it has told of something."""
    before = feed.version(APPROVALS)
    assert reached(lambda: bool(house.create("pay", key="admin")) and feed.version(APPROVALS) > before)


@contextmanager
def following(base_url: str, key: str, clock: Callable[[], float] = time.monotonic) -> Iterator[Feed]:
    feed = Feed(lambda sleep: Client(base_url, key, retries=0, say=lambda _: None, sleep=sleep), clock)
    feed.start()
    try:
        yield feed
    finally:
        feed.stop()


def test_it_counts_what_happens_to_approvals_and_nothing_else(house: Tenant) -> None:
    with following(house.service.base_url, house.keys["operator"]) as feed:
        open_stream(feed, house)
        house.create("look")
        before = feed.version(APPROVALS)
        action_id = house.create("pay")
        assert reached(lambda: feed.version(APPROVALS) > before)
        asked = feed.version(APPROVALS)
        house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"})
        assert reached(lambda: feed.version(APPROVALS) == asked + 1)


def test_it_is_trusted_once_the_stream_has_held_for_a_while(house: Tenant) -> None:
    now = 0.0
    with following(house.service.base_url, house.keys["operator"], lambda: now) as feed:
        open_stream(feed, house)
        assert not feed.live
        now += SETTLED_SECONDS
        assert feed.live


def test_a_revoked_key_is_not_tried_for_ever(house: Tenant) -> None:
    now = 0.0
    others = set(threading.enumerate())
    with following(house.service.base_url, "assent_revoked", lambda: now) as feed:
        threads = {each for each in threading.enumerate() if each.name == "assent-feed"} - others
        assert reached(lambda: not any(thread.is_alive() for thread in threads))
        now += SETTLED_SECONDS
        assert not feed.live, "nothing arrives by itself any more"


def test_it_knows_that_the_service_is_gone(live_service: LiveService) -> None:
    now = 100.0
    with httpx.Client(timeout=WAIT) as http, following(live_service.base_url, ADMIN_KEY, lambda: now) as feed:
        house = Tenant(live_service, http)
        house.keys["admin"] = ADMIN_KEY
        house.governed()
        open_stream(feed, house)
        now += SETTLED_SECONDS
        assert feed.live
        live_service.kill()
        assert reached(lambda: not feed.live)
