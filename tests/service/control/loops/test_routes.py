"""Open loops over HTTP: every path and spelling, and what is refused at the door."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.roles import Role
from tests.service.control.actions.world import World

LOOP: dict[str, Any] = {"loop_type": "question", "description": "which account?"}


@pytest.mark.parametrize("path", ["/api/actions/loops", "/api/loops"])
async def test_both_paths_register_list_and_close(world: World, path: str) -> None:
    action = await world.act(agent_id="bot")
    made = await world.http("POST", path, LOOP | {"action_id": action.action_id, "tool": "unknown"}, Role.AGENT)
    assert made.status_code == 201
    loop = made.json()["loop"]
    assert made.json()["loop_id"] == loop["loop_id"]
    assert (loop["loop_type"], loop["status"], loop["agent_id"]) == ("question", "open", "bot")
    listed = (await world.http("GET", f"{path}?status=open&limit=5&type=question", by=Role.AUDITOR)).json()
    assert [each["loop_id"] for each in listed["loops"]] == [loop["loop_id"]]
    assert listed["stats"] == {
        "open_count": 1,
        "resolved_count": 0,
        "cancelled_count": 0,
        "critical_open": 0,
        "high_open": 0,
    }
    body = {"status": "resolved", "res": "the second one"}
    closed = await world.http("PATCH", f"{path}/{loop['loop_id']}", body, Role.AGENT)
    assert (closed.status_code, closed.json()["loop"]["resolution"]) == (200, "the second one")
    again = await world.http("PATCH", f"{path}/{loop['loop_id']}", {"status": "cancelled", "resolution": None})
    assert (again.status_code, again.json()["code"]) == (409, "loop_closed")


async def test_the_spellings_of_the_specification(world: World) -> None:
    action = await world.act()
    body = {"actionId": action.action_id, "type": "review", "desc": "look again", "loopId": "l1"}
    loop = (await world.http("POST", "/api/actions/loops", body)).json()["loop"]
    assert (loop["loop_id"], loop["loop_type"], loop["description"]) == ("l1", "review", "look again")


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"loop_type": "worry"}, "loop_type"),
        ({"description": ""}, "description"),
        ({"description": "x" * 2001}, "description"),
        ({"description": 7}, "description"),
        ({"priority": "urgent"}, "priority"),
        ({"owner": "x" * 257}, "owner"),
        ({"loop_id": "a/b"}, "loop_id"),
        ({"metadata": []}, "metadata"),
    ],
)
async def test_a_loop_that_cannot_be_is_refused(world: World, changed: dict[str, Any], place: str) -> None:
    action = await world.act()
    body = LOOP | {"action_id": action.action_id} | changed
    reply = await world.http("POST", "/api/actions/loops", body)
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid_body")
    assert reply.json()["errors"][0]["place"] == place
    assert await world.events(kind="loop.") == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"resolution": "done"},
        {"status": "open"},
        {"status": "resolved"},
        {"status": "resolved", "resolution": "x" * 2001},
    ],
)
async def test_a_loop_is_not_closed_by_a_body_that_does_not_say_how(world: World, body: dict[str, Any]) -> None:
    action = await world.act()
    made = (await world.http("POST", "/api/loops", LOOP | {"action_id": action.action_id})).json()["loop"]
    reply = await world.http("PATCH", f"/api/loops/{made['loop_id']}", body)
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid_body")
    assert await world.events(kind="loop.updated") == []


@pytest.mark.parametrize("query", ["status=done", "loop_type=worry", "priority=1", "limit=201", "limit=0"])
async def test_a_filter_that_nothing_can_fit_is_refused(world: World, query: str) -> None:
    reply = await world.http("GET", f"/api/actions/loops?{query}")
    assert (reply.status_code, reply.json()["code"]) == (400, "invalid_query")
