"""Routing on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

AGENT: dict[str, Any] = {
    "org_id": "org_1",
    "agent_id": "ra_1",
    "name": "coder",
    "capabilities": ["code"],
    "max_concurrent": 2,
    "current_load": 1,
    "status": "available",
    "endpoint": None,
    "owner_id": None,
    "last_assigned_at": samples.NOW,
    "created_by": "key_1",
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
}
TASK: dict[str, Any] = {
    "org_id": "org_1",
    "task_id": "task_1",
    "title": "Fix",
    "description": None,
    "required_skills": ["code"],
    "urgency": "high",
    "timeout_seconds": 60,
    "max_retries": 0,
    "retry_count": 0,
    "callback_url": None,
    "status": "assigned",
    "assigned_to": "ra_1",
    "failed_agents": [],
    "result": None,
    "error": None,
    "submitted_by": None,
    "created_by": "key_1",
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
    "assigned_at": samples.NOW,
    "completed_at": None,
}
ONE = {"agent": AGENT, "agent_id": "ra_1"}
ASSIGNED = {"task": TASK, "task_id": "task_1", "agent": AGENT}
STATS = {
    "agents": {"total": 1, "available": 1, "busy": 0, "offline": 0},
    "tasks": {"total": 1, "pending": 0, "assigned": 1, "completed": 0, "failed": 0},
    "capacity": 2,
    "load": 1,
    "average_seconds": None,
}
HEALTH = {
    "status": "healthy",
    "agents_available": 1,
    "pending_tasks": 0,
    "unroutable_tasks": 0,
    "unroutable": [],
    "checked_at": samples.NOW,
}

CASES = [
    Case(
        "register_routing_agent",
        "POST",
        "/api/routing/agents",
        {"name": "coder", "capabilities": ["code"], "max_concurrent": 2},
        ONE,
        ("coder", ("code",), 2),
        status=201,
    ),
    Case(
        "list_routing_agents",
        "GET",
        "/api/routing/agents?status=busy",
        answer={"agents": [AGENT], "total": 1},
        args=("busy",),
    ),
    Case("get_routing_agent", "GET", "/api/routing/agents/ra_1", answer=ONE, args=("ra_1",)),
    Case(
        "update_routing_agent_status",
        "PATCH",
        "/api/routing/agents/ra_1",
        {"status": "offline"},
        ONE,
        ("ra_1", "offline"),
    ),
    Case(
        "delete_routing_agent",
        "DELETE",
        "/api/routing/agents/ra_1",
        answer={"deleted": True, "agent_id": "ra_1", "returned": 0},
        args=("ra_1",),
    ),
    Case(
        "submit_routing_task",
        "POST",
        "/api/routing/tasks",
        {"title": "Fix", "required_skills": ["code"], "urgency": "high", "timeout_seconds": 60, "max_retries": 0},
        ASSIGNED,
        ("Fix",),
        {"required_skills": ["code"], "urgency": "high", "timeout_seconds": 60, "max_retries": 0},
        status=201,
    ),
    Case(
        "list_routing_tasks",
        "GET",
        "/api/routing/tasks?status=failed&limit=5",
        answer={"tasks": [TASK], "total": 1, "next_cursor": None},
        args=("failed",),
        kwargs={"limit": 5},
    ),
    Case(
        "complete_routing_task",
        "POST",
        "/api/routing/tasks/task_1/complete",
        {"success": False, "error": "no"},
        ASSIGNED,
        ("task_1", False),
        {"error": "no"},
    ),
    Case("get_routing_stats", "GET", "/api/routing/stats", answer=STATS),
    Case("get_routing_health", "GET", "/api/routing/health", answer=HEALTH),
]
