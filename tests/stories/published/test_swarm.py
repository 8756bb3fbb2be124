"""Presence and connections, with the published clients: all three versions send them alike."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.live import WAIT
from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.tenant import Tenant


def listed(tenant: Tenant, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tenant.call("GET", f"/api/agents{query}", key="auditor")["agents"]
    return found


def test_heartbeat(agent: PublishedClient, asking: Tenant) -> None:
    answer = agent.heartbeat()
    assert answer["status"] == "ok"
    assert answer["timestamp"].endswith("Z")
    (row,) = listed(asking)
    assert (row["agent_id"], row["status"], row["said"], row["current_task_id"]) == ("bot", "online", "online", None)
    agent.heartbeat("busy", "task-7", {"load": 0.5})
    (row,) = listed(asking)
    assert (row["said"], row["current_task_id"], row["metadata"]) == ("busy", "task-7", {"load": 0.5})
    assert row["last_heartbeat"] == row["last_seen"] > row["first_seen"]
    agent.heartbeat(status="offline")
    assert [each["status"] for each in listed(asking)] == ["offline"]


def test_heartbeats_by_themselves(agent: PublishedClient, asking: Tenant) -> None:
    agent.start_heartbeat(interval=0.02, status="idle")
    beats: set[str] = set()
    deadline = time.monotonic() + WAIT
    while len(beats) < 3:
        assert time.monotonic() < deadline
        beats |= {each["last_heartbeat"] for each in listed(asking) if each["said"] == "idle"}
    agent.stop_heartbeat()
    stopped = listed(asking)[0]["last_heartbeat"]
    time.sleep(0.2)
    assert listed(asking)[0]["last_heartbeat"] == stopped


def test_any_call_is_a_sign_of_life(agent: PublishedClient, asking: Tenant) -> None:
    agent.guard({"action_type": "look"})
    agent.create_action("look", "See")
    (row,) = listed(asking, "?with_actions=true")
    assert (row["agent_id"], row["status"], row["last_heartbeat"], row["actions"]) == ("bot", "online", None, 1)


def test_connections(agent: PublishedClient, asking: Tenant) -> None:
    answer = agent.report_connections(
        [
            {"provider": "acme", "authType": "oauth", "planName": "team", "metadata": {"seats": 3}},
            {"provider": "brand"},
            {"auth_type": "oauth"},
            {"provider": "magic", "auth_type": "spell"},
        ]
    )
    assert answer["created"] == 2
    assert [
        (each["provider"], each["auth_type"], each["plan_name"], each["status"]) for each in answer["connections"]
    ] == [
        ("acme", "oauth", "team", "active"),
        ("brand", "api_key", None, "active"),
    ]
    assert answer["connections"][0]["metadata"] == {"seats": 3}
    assert [(each["index"], each["provider"]) for each in answer["errors"]] == [(2, None), (3, "magic")]
    again = agent.report_connections([{"provider": "acme", "status": "error"}])
    assert again["connections"][0]["id"] == answer["connections"][0]["id"]
    found = asking.call("GET", "/api/agents/connections?agent_id=bot", key="auditor")
    assert found["total"] == 2
    assert {each["provider"]: each["status"] for each in found["connections"]} == {"acme": "error", "brand": "active"}


def test_what_is_wrong_with_a_heartbeat_is_said_in_their_own_error(agent: PublishedClient) -> None:
    with pytest.raises(PublishedError) as wrong:
        agent.heartbeat(metadata={"a": "x" * 10_000})
    assert wrong.value.members["status"] == 400
    assert "metadata" in wrong.value.text
