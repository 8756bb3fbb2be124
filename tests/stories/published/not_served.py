"""What the published clients have and this service does not do: how a test calls it, and what it is told to use.

Some of it comes with a change of its own; the rest is done elsewhere, by whoever runs agents and tools.
"""

from __future__ import annotations

from typing import Any, NamedTuple

EXPORTS = "compliance exports, schedules and trends"
LATER = (EXPORTS,)
"""The changes to come."""
ELSEWHERE = "done elsewhere"


class Call(NamedTuple):
    """The arguments, a word of what the answer says to use instead, and which of the above it is."""

    args: tuple[Any, ...]
    instead: str
    group: str


CALLS: dict[str, Call] = {
    "invoke_capability": Call(("cap_1",), "create_action", ELSEWHERE),
    "test_capability": Call(("cap_1",), "create_action", ELSEWHERE),
    "get_capability_health": Call(("cap_1",), "get_actions", ELSEWHERE),
    "list_capability_health": Call((), "get_actions", ELSEWHERE),
    "get_capability_history": Call(("cap_1",), "get_actions", ELSEWHERE),
    "invoke_registered_agent": Call(("rag_1", "cap_1"), "create_action", ELSEWHERE),
    "complete_with_strategy": Call(("mst_1", []), "update_outcome", ELSEWHERE),
    "execute_workflow_template": Call(("wf_1",), "launch_workflow_template", ELSEWHERE),
    "get_agent_env": Call((), "environment", ELSEWHERE),
    "get_agent_reputation": Call(("bot",), "get_guard_decisions", ELSEWHERE),
    "list_agent_reputation_events": Call(("bot",), "get_guard_decisions", ELSEWHERE),
    "recompute_agent_reputation": Call(("bot",), "get_guard_decisions", ELSEWHERE),
    "get_agent_reputation_receipt": Call(("bot",), "get_guard_decisions", ELSEWHERE),
    "verify_reputation_receipt": Call(({},), "get_guard_decisions", ELSEWHERE),
    "create_compliance_export": Call((["soc2"],), "get_compliance_evidence", EXPORTS),
    "list_compliance_exports": Call((), "get_compliance_evidence", EXPORTS),
    "get_compliance_export": Call(("ce_1",), "get_compliance_evidence", EXPORTS),
    "download_compliance_export": Call(("ce_1",), "get_compliance_evidence", EXPORTS),
    "delete_compliance_export": Call(("ce_1",), "get_compliance_evidence", EXPORTS),
    "create_compliance_schedule": Call((["soc2"], "0 0 * * *"), "get_compliance_evidence", EXPORTS),
    "list_compliance_schedules": Call((), "get_compliance_evidence", EXPORTS),
    "update_compliance_schedule": Call(("cs_1",), "get_compliance_evidence", EXPORTS),
    "delete_compliance_schedule": Call(("cs_1",), "get_compliance_evidence", EXPORTS),
    "get_compliance_trends": Call((), "get_compliance_evidence", EXPORTS),
}
