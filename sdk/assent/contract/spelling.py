"""Other spellings of member names that the specification and the published clients use, accepted at the door.

One table for every body and query; words that a guard context may use for something of its own (`to`, `from`, `type`)
are not in it and belong to the noun that needs them. A member keeps its published name in answers. Where a body
carries both spellings, the published one wins.
"""

from __future__ import annotations

from typing import Any

PUBLISHED: dict[str, str] = {
    "actionId": "action_id",
    "actionType": "action_type",
    "agentId": "agent_id",
    "agentName": "agent_name",
    "agentIds": "agent_ids",
    "approvalId": "approval_id",
    "artifactsCreated": "artifacts_created",
    "authorizationScope": "authorization_scope",
    "assumptionId": "assumption_id",
    "bundleId": "bundle_id",
    "closeIfRunning": "close_if_running",
    "costEstimate": "cost_estimate",
    "decisionId": "decision_id",
    "declaredGoal": "declared_goal",
    "durationMs": "duration_ms",
    "entryType": "entry_type",
    "errorMessage": "error_message",
    "idempotencyKey": "idempotency_key",
    "inputSummary": "input_summary",
    "invalidatedReason": "invalidated_reason",
    "loopId": "loop_id",
    "loopType": "loop_type",
    "messageType": "message_type",
    "occurredAt": "occurred_at",
    "outputSummary": "output_summary",
    "parentActionId": "parent_action_id",
    "policyId": "policy_id",
    "policyType": "policy_type",
    "riskScore": "risk_score",
    "sessionId": "session_id",
    "sideEffects": "side_effects",
    "swarmId": "swarm_id",
    "systemsTouched": "systems_touched",
    "threadId": "thread_id",
    "timestampEnd": "timestamp_end",
    "timestampStart": "timestamp_start",
    "tokensIn": "tokens_in",
    "tokensOut": "tokens_out",
}
"""Spelling -> published name, for every body."""

OF_GUARD: dict[str, str] = {"action": "action_type", "intent": "declared_goal"}
"""What published guard calls also say."""


def respell(members: dict[str, Any], also: dict[str, str] | None = None) -> dict[str, Any]:
    """`members` with published names; the same object when there is nothing to rename."""
    found = [name for name in members if name in PUBLISHED or (also is not None and name in also)]
    if not found:
        return members
    renamed = dict(members)
    for name in found:
        value = renamed.pop(name)
        published = PUBLISHED.get(name) or (also or {})[name]
        if renamed.get(published) is None:
            renamed[published] = value
    return renamed
