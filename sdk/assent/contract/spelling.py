"""Other spellings of member names that the specification and the published clients use, accepted at the door.

One table for every body and query; words that a guard context may use for something of its own (`to`, `from`, `type`)
are not in it and belong to the noun that needs them. A member keeps its published name in answers. Where a body
carries both spellings, the published one wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PUBLISHED: dict[str, str] = {
    "actionFilters": "action_filters",
    "actionId": "action_id",
    "actionType": "action_type",
    "actorId": "actor_id",
    "agentId": "agent_id",
    "agentIds": "agent_ids",
    "agentName": "agent_name",
    "approvalId": "approval_id",
    "artifactsCreated": "artifacts_created",
    "assumptionId": "assumption_id",
    "attachmentId": "attachment_id",
    "authorizationScope": "authorization_scope",
    "authType": "auth_type",
    "bundleId": "bundle_id",
    "callbackUrl": "callback_url",
    "closeIfRunning": "close_if_running",
    "contentType": "content_type",
    "costEstimate": "cost_estimate",
    "currentTaskId": "current_task_id",
    "decisionId": "decision_id",
    "declaredGoal": "declared_goal",
    "docRef": "doc_ref",
    "durationMs": "duration_ms",
    "endTime": "end_time",
    "entryId": "entry_id",
    "entryType": "entry_type",
    "errorMessage": "error_message",
    "evaluatedBy": "evaluated_by",
    "feedbackId": "feedback_id",
    "fromAgentId": "from_agent_id",
    "goalId": "goal_id",
    "handoffId": "handoff_id",
    "idempotencyKey": "idempotency_key",
    "inputSummary": "input_summary",
    "invalidatedReason": "invalidated_reason",
    "keyDecisions": "key_decisions",
    "loopId": "loop_id",
    "loopType": "loop_type",
    "maxConcurrent": "max_concurrent",
    "maxRetries": "max_retries",
    "messageId": "message_id",
    "messageIds": "message_ids",
    "messageType": "message_type",
    "mimeType": "mime_type",
    "modelHint": "model_hint",
    "moodNotes": "mood_notes",
    "nextPriorities": "next_priorities",
    "occurredAt": "occurred_at",
    "openTasks": "open_tasks",
    "outputSummary": "output_summary",
    "pairingId": "pairing_id",
    "parentActionId": "parent_action_id",
    "planName": "plan_name",
    "policyId": "policy_id",
    "policyType": "policy_type",
    "projectId": "project_id",
    "publicKey": "public_key",
    "requiredSkills": "required_skills",
    "resourceType": "resource_type",
    "riskScore": "risk_score",
    "scorerId": "scorer_id",
    "scorerName": "scorer_name",
    "scorerType": "scorer_type",
    "sessionDate": "session_date",
    "sessionId": "session_id",
    "sideEffects": "side_effects",
    "signatureAlgorithm": "signature_algorithm",
    "startTime": "start_time",
    "swarmId": "swarm_id",
    "systemsTouched": "systems_touched",
    "taskId": "task_id",
    "templateId": "template_id",
    "threadId": "thread_id",
    "timeoutSeconds": "timeout_seconds",
    "timestampEnd": "timestamp_end",
    "timestampStart": "timestamp_start",
    "toAgentId": "to_agent_id",
    "tokensIn": "tokens_in",
    "tokensOut": "tokens_out",
    "versionId": "version_id",
    "webhookId": "webhook_id",
}
"""Spelling -> published name, for every body."""

OF_GUARD: dict[str, str] = {"action": "action_type", "intent": "declared_goal"}
"""What published guard calls also say."""


def respell(members: dict[str, Any], also: Mapping[str, str] | None = None) -> dict[str, Any]:
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
