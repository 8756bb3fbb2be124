"""PCAA over HTTP."""

from __future__ import annotations

import pytest

from assent.contract.roles import Role
from tests.service.control.actions.world import World

WINDOWED = ["/api/pcaa/health", "/api/pcaa/gaps", "/api/insight/approvals", "/api/insight/decisions"]
BAD_WINDOWS = ["0d", "-1d", "9999999d", "abc", "", "1", "d", "1.5d", "01d", "3651d", "1D", "7d ", "١d", "1w", "x" * 101]


async def test_the_default_is_thirty_days(world: World) -> None:
    await world.act()
    answer = await world.http("GET", "/api/pcaa/health", by=Role.AGENT)
    assert answer.status_code == 200
    body = answer.json()
    assert (body["window"], body["n"]["checkpointCoverage"], body["checkpointCoverage"]) == ("30d", 1, 100.0)
    assert [each["id"] for each in body["checkpoints"]] == [
        "pre_action_admissibility",
        "action_open",
        "assumption_capture",
        "approval",
        "outcome_closure",
    ]


@pytest.mark.parametrize(
    "path", ["/api/pcaa/health", "/api/pcaa/gaps", "/api/insight/approvals", "/api/insight/decisions"]
)
async def test_bad_windows_are_refused_and_named(world: World, path: str) -> None:
    for window in BAD_WINDOWS:
        answer = await world.http("GET", f"{path}?window={window}")
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query"), window
        assert [error["place"] for error in answer.json()["errors"]] == ["window"], window
    assert "give whole days from 1d to 3650d" in (await world.http("GET", f"{path}?window=0d")).json()["detail"]


@pytest.mark.parametrize(
    "path", ["/api/pcaa/health", "/api/pcaa/gaps", "/api/insight/approvals", "/api/insight/decisions"]
)
async def test_the_longest_window_is_fine(world: World, path: str) -> None:
    assert (await world.http("GET", f"{path}?window=3650d")).status_code == 200


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_may_ask_but_only_readers_for_approvals(world: World, role: Role) -> None:
    allowed = {
        path: (await world.http("GET", path, by=role)).status_code
        for path in ("/api/pcaa/health", "/api/insight/decisions", "/api/insight/approvals")
    }
    assert list(allowed.values()) == [200, 200, 403 if role is Role.AGENT else 200]
