"""Routing through the real clients that have it: 2.1.0 and 2.9.0."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import MIDDLE, OLDEST, only

pytestmark = only(OLDEST, MIDDLE)


def test_a_task_goes_to_who_can_do_it(agent: PublishedClient) -> None:
    writer = agent.register_routing_agent("writer", ["write"], max_concurrent=1)["agent"]
    coder = agent.register_routing_agent("coder", capabilities=["code", "write"], endpoint="https://c.example")["agent"]
    assert (writer["max_concurrent"], coder["max_concurrent"], coder["status"]) == (1, 3, "available")
    task = agent.submit_routing_task(
        "Fix it", description="Now", required_skills=["code"], urgency="high", timeout_seconds=60, max_retries=0
    )["task"]
    assert (task["status"], task["assigned_to"], task["timeout_seconds"]) == ("assigned", coder["agent_id"], 60)
    assert agent.get_routing_agent(coder["agent_id"])["agent"]["current_load"] == 1
    assert [each["task_id"] for each in agent.list_routing_tasks(assigned_to=coder["agent_id"])["tasks"]] == [
        task["task_id"]
    ]
    done = agent.complete_routing_task(task["task_id"], result={"patch": "ok"})["task"]
    assert (done["status"], done["result"]) == ("completed", {"patch": "ok"})
    with pytest.raises(PublishedError) as late:
        agent.complete_routing_task(task["task_id"])
    assert late.value.members["status"] == 409
    stats = agent.get_routing_stats()
    assert (stats["tasks"]["completed"], stats["agents"]["available"]) == (1, 2)


def test_what_nobody_can_do_waits(agent: PublishedClient) -> None:
    waiting = agent.submit_routing_task("Draw", required_skills=["draw"], callback_url="https://me.example")["task"]
    assert (waiting["status"], waiting["callback_url"]) == ("pending", "https://me.example")
    health = agent.get_routing_health()
    assert (health["status"], health["unroutable"]) == ("unhealthy", [waiting["task_id"]])
    painter = agent.register_routing_agent("painter", ["draw"])["agent_id"]
    assert agent.list_routing_tasks(status="assigned", limit=5)["tasks"][0]["assigned_to"] == painter
    assert agent.get_routing_health()["status"] == "healthy"
    assert agent.update_routing_agent_status(painter, "offline")["agent"]["status"] == "offline"
    assert agent.list_routing_agents(status="available")["agents"] == []
    assert agent.delete_routing_agent(painter) == {"deleted": True, "agent_id": painter, "returned": 1}
    assert agent.list_routing_agents()["total"] == 0
    failed = agent.complete_routing_task(waiting["task_id"], success=False, error="no paper")["task"]
    assert (failed["status"], failed["retry_count"], failed["error"]) == ("pending", 1, "no paper")
