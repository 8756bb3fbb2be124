"""The dashboard at any of several services: what was asked at one waits on the page of another, and is decided
there."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Verdict
from assent_dashboard.feed import APPROVALS
from assent_dashboard.inbox.changes import Press
from assent_dashboard.inbox.desk import Desk
from tests.backend import WALLET_KEY
from tests.dashboard.conftest import components_read_once, own_main
from tests.dashboard.control.approval_items import pay
from tests.dashboard.looker import Looker
from tests.dashboard.test_feed import following, open_stream, reached
from tests.engine.server import Server
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

__all__ = ("components_read_once", "own_main")
pytestmark = deep("two services and a page")
GOAL = "Pay 5 EUR to the supplier"


@pytest.fixture
def pair(tmp_path: Path, server: Server, database: str) -> Iterator[tuple[Tenant, Tenant]]:
    """One organization, as it is met at each of two services."""
    given: dict[str, Any] = {"ASSENT_LOG": server.dsn(database), "ASSENT_WALLET_KEY": WALLET_KEY}
    with (
        start_service(tmp_path / "a", **given) as one,
        start_service(tmp_path / "b", **given) as two,
        httpx.Client(timeout=WAIT, trust_env=False) as http,
    ):
        tenant = Tenant(one, http)
        tenant.governed()
        yield tenant, at(tenant, two)


def at(tenant: Tenant, service: LiveService) -> Tenant:
    found = copy.copy(tenant)
    found.service = service
    return found


def test_an_approval_that_was_asked_for_at_one_is_seen_and_decided_at_another(pair: tuple[Tenant, Tenant]) -> None:
    here, there = pair
    looker = Looker.of(there, "approvals", "operator")
    try:
        assert looker.draw().title == "Approvals"
        desk = looker.session.desk
        assert desk.snapshot().items == []
        action_id = pay(here, GOAL)
        looker.feed.count += 1
        (row,) = desk.snapshot().items
        assert (row.id, row.goal) == (action_id, GOAL)
        desk.decide([Press(key="one", id=action_id, verdict=Verdict.ALLOW, reason="Seen here")])
        assert desk.close()
        desk.finish(WAIT)
        decided = here.call("GET", f"/api/actions/{action_id}")
        assert decided["approval"]["state"] == "approved"
        assert decided["approval"]["decided_by"] == "the operator"
        # And whoever decided here meanwhile is the one that the page there names.
        other = pay(there, "Pay the other one")
        here.call("POST", f"/api/actions/{other}/approve", {"decision": "deny", "reasoning": "I was first"})
        with there.client("operator") as client:
            late = Desk(client, looker.session.feed, looker.session.key).decide(
                [Press(key="two", id=other, verdict=Verdict.ALLOW)]
            )["two"]
        assert (late.ok, late.state, late.why) == (False, "denied", "I was first")
    finally:
        looker.close()


def test_the_pages_stream_tells_of_what_is_recorded_elsewhere(pair: tuple[Tenant, Tenant]) -> None:
    here, there = pair
    with following(there.service.base_url, there.keys["operator"]) as feed:
        open_stream(feed, there)
        before = feed.version(APPROVALS)
        action_id = pay(here)
        assert reached(lambda: feed.version(APPROVALS) == before + 1)
        here.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"})
        assert reached(lambda: feed.version(APPROVALS) == before + 2)
