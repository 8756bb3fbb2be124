"""What the published clients have and this service does not do: how a test calls it, and what it is told to use.

It is done elsewhere, by whoever runs agents and tools.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Call(NamedTuple):
    """The arguments, and a word of what the answer says to use instead."""

    args: tuple[Any, ...]
    instead: str


CALLS: dict[str, Call] = {
    "invoke_capability": Call(("cap_1",), "create_action"),
    "test_capability": Call(("cap_1",), "create_action"),
    "get_capability_health": Call(("cap_1",), "get_actions"),
    "list_capability_health": Call((), "get_actions"),
    "get_capability_history": Call(("cap_1",), "get_actions"),
    "invoke_registered_agent": Call(("rag_1", "cap_1"), "create_action"),
    "complete_with_strategy": Call(("mst_1", []), "update_outcome"),
    "execute_workflow_template": Call(("wf_1",), "launch_workflow_template"),
    "get_agent_env": Call((), "environment"),
    "get_agent_reputation": Call(("bot",), "get_guard_decisions"),
    "list_agent_reputation_events": Call(("bot",), "get_guard_decisions"),
    "recompute_agent_reputation": Call(("bot",), "get_guard_decisions"),
    "get_agent_reputation_receipt": Call(("bot",), "get_guard_decisions"),
    "verify_reputation_receipt": Call(({},), "get_guard_decisions"),
}
