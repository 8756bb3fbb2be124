"""Agents over HTTP: every spelling, and every call that shows that an agent is there."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.people.keys import CreateKey
from assent.contract.roles import Role
from tests.service.control.actions.world import MINUTE, World

BEAT = "/api/agents/heartbeat"


async def agents(world: World, query: str = "") -> dict[str, Any]:
    found = await world.http("GET", f"/api/agents{query}", by=Role.AUDITOR)
    assert found.status_code == 200
    return dict(found.json())


async def there(world: World) -> list[str]:
    return [each["agent_id"] for each in (await agents(world))["agents"]]


async def test_a_heartbeat_in_both_spellings(world: World) -> None:
    nulls = {"agent_id": "bot", "agent_name": None, "status": "online", "current_task_id": None, "metadata": None}
    answer = await world.http("POST", BEAT, nulls, Role.AGENT)
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert answer.json()["timestamp"].startswith("2026-03-02T09:00:")
    camel = {"agentId": "bot", "agentName": "Bot", "currentTaskId": "t-1", "metadata": {"load": 0.5}}
    await world.http("POST", BEAT, camel, Role.AGENT)
    world.clock.turn(11 * MINUTE)
    (row,) = (await agents(world))["agents"]
    assert row["status"] == "offline"
    assert {name: row[name] for name in ("agent_name", "said", "current_task_id", "metadata", "actions")} == {
        "agent_name": "Bot",
        "said": "online",
        "current_task_id": "t-1",
        "metadata": {"load": 0.5},
        "actions": None,
    }
    assert 660 < row["silent_seconds"] < 661


async def test_any_call_for_an_agent_shows_that_it_is_there(world: World) -> None:
    calls: list[tuple[str, str, Any]] = [
        ("POST", "/api/guard", {"action_type": "look", "agent_id": "guarded"}),
        ("POST", "/api/actions", {"action_type": "look", "agentId": "acting"}),
        ("POST", "/api/handoffs", {"summary": "done", "agent_id": "leaving"}),
        # Even one that is refused: its agent is alive.
        ("POST", "/api/assumptions", {"action_id": "act_no", "assumption": "so", "agent_id": "wrong"}),
    ]
    for method, path, body in calls:
        await world.http(method, path, body, Role.AGENT)
    assert await there(world) == ["wrong", "leaving", "acting", "guarded"]
    assert {each["last_heartbeat"] for each in (await agents(world))["agents"]} == {None}
    counted = await agents(world, "?with_actions=true&agent_id=acting")
    assert [each["actions"] for each in counted["agents"]] == [1]


async def test_what_shows_nobody(world: World) -> None:
    history = {"action_type": "look", "agent_id": "of old"}
    for more in ({"source": "import"}, {"source": "simulated"}, {"occurred_at": "2026-01-01T00:00:00Z"}):
        await world.http("POST", "/api/actions", history | more)
        await world.http("POST", "/api/guard", history | more)
    # Who makes a key for an agent, or asks about one, is not that agent; and what cannot be read names nobody.
    await world.http("POST", "/api/keys", {"name": "k", "agent_id": "keyed"})
    await world.http("GET", "/api/actions?agent_id=asked")
    await world.http("POST", "/api/actions", {"action_type": 7, "agent_id": "garbled"})
    await world.http("POST", "/api/actions", {"action_type": "look", "agent_id": ""})
    assert await there(world) == []


async def test_a_bound_key_shows_its_own_agent_with_whatever_call_and_no_other(world: World) -> None:
    import httpx

    made = await world.service.keys.create(world.admin, CreateKey(name="bound", agent_id="bot"))
    transport = httpx.ASGITransport(app=world.service.app)  # type: ignore[arg-type]  # Litestar types scopes narrower
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        headers = {"x-api-key": made.api_key}
        other = await client.post("/api/actions", json={"action_type": "a", "agent_id": "other"}, headers=headers)
        assert other.status_code == 403
        assert await there(world) == ["bot"]
        world.clock.turn(11 * MINUTE)
        assert (await agents(world))["online"] == 0
        await client.get("/api/halt", headers=headers)
        assert (await agents(world))["online"] == 1
        assert (await client.get("/api/agents?agent_id=other", headers=headers)).json()["agents"] == []


@pytest.mark.parametrize(
    ("method", "path", "body", "place"),
    [
        ("POST", BEAT, {}, "agent_id"),
        ("POST", BEAT, {"agent_id": "x" * 129}, "agent_id"),
        ("POST", BEAT, {"agent_id": "bot", "status": ""}, "status"),
        ("POST", BEAT, {"agent_id": "bot", "status": "x" * 65}, "status"),
        ("POST", BEAT, {"agent_id": "bot", "metadata": "much"}, "metadata"),
        ("POST", BEAT, {"agent_id": "bot", "metadata": {"a": "x" * 10_000}}, "metadata"),
        ("POST", BEAT, {"agent_id": "bot", "current_task_id": 7}, "current_task_id"),
        ("POST", "/api/agents/connections", {"agent_id": "bot"}, "body"),
        ("POST", "/api/agents/connections", {"connections": {"provider": "acme"}}, "connections"),
        ("POST", "/api/agents/connections", {"connections": [{}] * 1001}, "connections"),
        ("GET", "/api/agents?status=busy", None, "status"),
        ("GET", "/api/agents?limit=201", None, "limit"),
        ("GET", "/api/agents/connections?cursor=nonsense", None, "cursor"),
    ],
)
async def test_what_is_refused(world: World, method: str, path: str, body: Any, place: str) -> None:
    answer = await world.http(method, path, body)
    assert answer.status_code == 400
    assert answer.json()["code"] == ("invalid_query" if method == "GET" else "invalid_body")
    assert [error["place"] for error in answer.json()["errors"]] == [place]


async def test_connections_over_http(world: World) -> None:
    said = {"agentId": "bot", "connections": [{"provider": "acme", "authType": "oauth"}, {"provider": 7}]}
    answer = await world.http("POST", "/api/agents/connections", said, Role.AGENT)
    assert (answer.status_code, answer.json()["created"]) == (200, 1)
    assert [error["index"] for error in answer.json()["errors"]] == [1]
    listed = (await world.http("GET", "/api/agents/connections?agent_id=bot", by=Role.AUDITOR)).json()
    assert listed["connections"] == answer.json()["connections"]
    assert listed["total"] == 1
    assert (await world.http("POST", "/api/agents/connections", said, Role.AUDITOR)).status_code == 403
