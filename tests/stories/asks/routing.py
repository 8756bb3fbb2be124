"""Who may do what with routing: whoever acts takes part and hands out tasks, everybody looks."""

from __future__ import annotations

import itertools
from typing import Any

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

AGENTS, TASKS = "/api/routing/agents", "/api/routing/tasks"
_numbers = itertools.count(1)


def _agent(owner: Tenant, body: Any = None) -> Ask:
    made = owner.call("POST", AGENTS, {"name": f"agent {next(_numbers)}"})
    return Ask(f"{AGENTS}/{made['agent_id']}", body)


def _task(owner: Tenant) -> Ask:
    made = owner.call("POST", TASKS, {"title": "t"})
    return Ask(f"{TASKS}/{made['task_id']}/complete", {"result": 1})


ASKS: dict[str, Asking] = {
    "register_routing_agent": Asking("ao m", lambda _: Ask(AGENTS, {"name": "coder"})),
    "list_routing_agents": Asking("aoum", lambda _: Ask(AGENTS)),
    "get_routing_agent": Asking("aoum", _agent),
    "update_routing_agent_status": Asking("ao m", lambda owner: _agent(owner, {"status": "busy"})),
    "delete_routing_agent": Asking("ao m", _agent),
    "submit_routing_task": Asking("ao m", lambda _: Ask(TASKS, {"title": "t"})),
    "list_routing_tasks": Asking("aoum", lambda _: Ask(TASKS)),
    "complete_routing_task": Asking("ao m", _task),
    "get_routing_stats": Asking("aoum", lambda _: Ask("/api/routing/stats")),
    "get_routing_health": Asking("aoum", lambda _: Ask("/api/routing/health")),
}
