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
    "artifactsCreated": "artifacts_created",
    "artifactType": "artifact_type",
    "assumptionId": "assumption_id",
    "authorizationScope": "authorization_scope",
    "authType": "auth_type",
    "baseRisk": "base_risk",
    "blockedReason": "blocked_reason",
    "branchFreshness": "branch_freshness",
    "callbackUrl": "callback_url",
    "capabilityId": "capability_id",
    "closeIfRunning": "close_if_running",
    "commitsBehind": "commits_behind",
    "compositeMethod": "composite_method",
    "contactId": "contact_id",
    "contactName": "contact_name",
    "contentJson": "content_json",
    "contentUrl": "content_url",
    "contextGap": "context_gap",
    "contextMax": "context_max",
    "contextPoints": "context_points",
    "contextThreads": "context_threads",
    "contextUsed": "context_used",
    "costEstimate": "cost_estimate",
    "currentTaskId": "current_task_id",
    "dataConfig": "data_config",
    "dataSource": "data_source",
    "decisionId": "decision_id",
    "declaredGoal": "declared_goal",
    "docRef": "doc_ref",
    "durationMs": "duration_ms",
    "endTime": "end_time",
    "entryType": "entry_type",
    "episodeLimit": "episode_limit",
    "errorMessage": "error_message",
    "evaluatedBy": "evaluated_by",
    "eventType": "event_type",
    "expectedValue": "expected_value",
    "fromAgentId": "from_agent_id",
    "greenLevel": "green_level",
    "historyAsLive": "history_as_live",
    "idempotencyKey": "idempotency_key",
    "includeInactive": "include_inactive",
    "includeMetrics": "include_metrics",
    "inputSchema": "input_schema",
    "inputSummary": "input_summary",
    "invalidatedReason": "invalidated_reason",
    "keyDecisions": "key_decisions",
    "lookbackDays": "lookback_days",
    "loopId": "loop_id",
    "loopType": "loop_type",
    "maxConcurrent": "max_concurrent",
    "maxRetries": "max_retries",
    "messageIds": "message_ids",
    "messageType": "message_type",
    "mimeType": "mime_type",
    "minSamples": "min_samples",
    "modelHint": "model_hint",
    "modelStrategyId": "model_strategy_id",
    "moodNotes": "mood_notes",
    "nextPriorities": "next_priorities",
    "occurredAt": "occurred_at",
    "openTasks": "open_tasks",
    "outputSchema": "output_schema",
    "outputSummary": "output_summary",
    "parametersDigest": "parameters_digest",
    "parentActionId": "parent_action_id",
    "paymentMethod": "payment_method",
    "planName": "plan_name",
    "policyId": "policy_id",
    "ifVersion": "if_version",
    "policyType": "policy_type",
    "profileId": "profile_id",
    "publicKey": "public_key",
    "purchaseReason": "purchase_reason",
    "recommendationId": "recommendation_id",
    "requiredSkills": "required_skills",
    "resolvedBy": "resolved_by",
    "resourceType": "resource_type",
    "riskLevel": "risk_level",
    "riskScore": "risk_score",
    "scorerId": "scorer_id",
    "scorerName": "scorer_name",
    "scorerType": "scorer_type",
    "sessionDate": "session_date",
    "sessionId": "session_id",
    "sideEffects": "side_effects",
    "sortOrder": "sort_order",
    "sourceActionId": "source_action_id",
    "sourceType": "source_type",
    "sourceUri": "source_uri",
    "spendAmount": "spend_amount",
    "startTime": "start_time",
    "swarmId": "swarm_id",
    "systemsTouched": "systems_touched",
    "targetDate": "target_date",
    "templateId": "template_id",
    "textDigest": "text_digest",
    "threadId": "thread_id",
    "timeoutSeconds": "timeout_seconds",
    "timestampEnd": "timestamp_end",
    "timestampStart": "timestamp_start",
    "toAgentId": "to_agent_id",
    "tokensIn": "tokens_in",
    "tokensOut": "tokens_out",
    "trackEvents": "track_events",
    "validMinutes": "valid_minutes",
    "versionId": "version_id",
    "windowDays": "window_days",
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
