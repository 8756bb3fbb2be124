"""The live stream of what was recorded, over server-sent events (WHATWG HTML)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE


class EventName(StrEnum):
    """Names on the stream and types in the evidence log are the same."""

    GUARD_DECISION_CREATED = "guard.decision.created"
    ACTION_CREATED = "action.created"
    ACTION_UPDATED = "action.updated"
    OUTCOME_CREATED = "outcome.created"
    ASSUMPTION_CREATED = "assumption.created"
    ASSUMPTION_UPDATED = "assumption.updated"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_DECIDED = "approval.decided"
    APPROVAL_EXPIRING = "approval.expiring"
    APPROVAL_ESCALATED = "approval.escalated"
    APPROVAL_EXPIRED = "approval.expired"
    APPROVAL_WITHDRAWN = "approval.withdrawn"
    APPROVAL_CLAIMED = "approval.claimed"
    APPROVAL_CLAIM_REFUSED = "approval.claim_refused"
    QUESTION_CREATED = "approval_question.created"
    QUESTION_UPDATED = "approval_question.updated"
    COMMENT_CREATED = "approval_comment.created"
    SNOOZE_CREATED = "snooze.created"
    SNOOZE_UPDATED = "snooze.updated"
    ASSIGNMENT_CREATED = "assignment.created"
    ASSIGNMENT_UPDATED = "assignment.updated"
    APPROVAL_GRANTED = "approval.granted"
    GRANT_CREATED = "grant.created"
    GRANT_USED = "grant.used"
    GRANT_REVOKED = "grant.revoked"
    TRIAGE_PLAN_CREATED = "triage_plan.created"
    TRIAGE_PLAN_STOPPED = "triage_plan.stopped"
    TRIAGE_REQUESTED = "triage.requested"
    TRIAGE_LEARNED = "triage.learned"
    FLOW_SESSION_CREATED = "flow_session.created"
    FLOW_SESSION_UPDATED = "flow_session.updated"
    FLOW_TOLD = "flow.told"
    FLOW_LABELS_REMOVED = "flow.labels_removed"
    EVIDENCE_ERASED = "evidence.erased"
    SIGNING_KEY_CREATED = "signing_key.created"
    SIGNING_KEY_UPDATED = "signing_key.updated"
    POLICY_CREATED = "policy.created"
    POLICY_UPDATED = "policy.updated"
    HALT_CHANGED = "halt.changed"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    AUTH_FAILED = "auth.failed"
    ORGANIZATION_CREATED = "organization.created"
    ORGANIZATION_UPDATED = "organization.updated"
    ROTA_CREATED = "rota.created"
    ROTA_UPDATED = "rota.updated"
    LOOP_CREATED = "loop.created"
    LOOP_UPDATED = "loop.updated"
    SIGNAL_DETECTED = "signal.detected"
    AGENT_SEEN = "agent.heartbeat"
    CONNECTION_REPORTED = "connection.reported"
    MESSAGE_CREATED = "message.created"
    MESSAGE_UPDATED = "message.updated"
    MESSAGE_THREAD_CREATED = "message_thread.created"
    MESSAGE_THREAD_UPDATED = "message_thread.updated"
    HANDOFF_CREATED = "handoff.created"
    THREAD_CREATED = "thread.created"
    THREAD_UPDATED = "thread.updated"
    THREAD_ENTRY_CREATED = "thread_entry.created"
    KEY_POINT_CREATED = "key_point.created"
    FEEDBACK_CREATED = "feedback.created"
    FEEDBACK_UPDATED = "feedback.updated"
    TEMPLATE_CREATED = "prompt_template.created"
    TEMPLATE_UPDATED = "prompt_template.updated"
    PROMPT_VERSION_CREATED = "prompt_version.created"
    PROMPT_RUN_CREATED = "prompt_run.created"
    SCORER_CREATED = "scorer.created"
    SCORER_UPDATED = "scorer.updated"
    SCORE_CREATED = "score.created"
    EVALUATION_CREATED = "evaluation.created"
    EVALUATION_UPDATED = "evaluation.updated"
    DRIFT_ALERT = "drift.alert"
    DRIFT_ALERT_UPDATED = "drift.alert.updated"
    RECOMMENDATION_SWITCHED = "recommendation.updated"
    RECOMMENDATION_EVENT = "recommendation_event.created"
    SCORING_PROFILE_CREATED = "scoring_profile.created"
    SCORING_PROFILE_UPDATED = "scoring_profile.updated"
    SCORING_DIMENSION_CREATED = "scoring_dimension.created"
    SCORING_DIMENSION_UPDATED = "scoring_dimension.updated"
    PROFILE_SCORE_CREATED = "profile_score.created"
    RISK_TEMPLATE_CREATED = "risk_template.created"
    RISK_TEMPLATE_UPDATED = "risk_template.updated"
    PAIRING_CREATED = "pairing.created"
    PAIRING_UPDATED = "pairing.updated"
    IDENTITY_CREATED = "identity.created"
    IDENTITY_UPDATED = "identity.updated"
    WEBHOOK_CREATED = "webhook.created"
    WEBHOOK_UPDATED = "webhook.updated"
    DELIVERY_CREATED = "webhook_delivery.created"
    DELIVERY_UPDATED = "webhook_delivery.updated"
    NOTICE_OPENED = "notice.opened"
    RECORD_CREATED = "record.created"
    RECORD_UPDATED = "record.updated"
    GOAL_CREATED = "goal.created"
    GOAL_UPDATED = "goal.updated"
    TOKEN_USAGE = "token.usage"  # noqa: S105 - the published name
    ROUTING_AGENT_CREATED = "routing_agent.created"
    ROUTING_AGENT_UPDATED = "routing_agent.updated"
    TASK_CREATED = "task.created"
    TASK_ASSIGNED = "task.assigned"
    TASK_UPDATED = "task.updated"
    TASK_COMPLETED = "task.completed"
    CLOCK_JUMPED = "clock.jumped"
    INJECTION_FOUND = "injection.found"
    SECRETS_FOUND = "secrets.found"
    ALLOWED_TEXT_CREATED = "allowed_text.created"
    ALLOWED_TEXT_UPDATED = "allowed_text.updated"
    COMPLIANCE_EXPORT_CREATED = "compliance_export.created"
    COMPLIANCE_EXPORT_UPDATED = "compliance_export.updated"
    COMPLIANCE_SCHEDULE_CREATED = "compliance_schedule.created"
    COMPLIANCE_SCHEDULE_UPDATED = "compliance_schedule.updated"


PRIVATE = frozenset(
    {
        EventName.KEY_CREATED,
        EventName.KEY_REVOKED,
        EventName.AUTH_FAILED,
        EventName.ORGANIZATION_CREATED,
        EventName.ORGANIZATION_UPDATED,
        EventName.WEBHOOK_CREATED,
        EventName.WEBHOOK_UPDATED,
        EventName.DELIVERY_CREATED,
        EventName.DELIVERY_UPDATED,
        EventName.NOTICE_OPENED,
        EventName.GRANT_CREATED,
        EventName.GRANT_USED,
        EventName.GRANT_REVOKED,
        EventName.TRIAGE_PLAN_CREATED,
        EventName.TRIAGE_PLAN_STOPPED,
        EventName.TRIAGE_REQUESTED,
        EventName.TRIAGE_LEARNED,
        EventName.COMPLIANCE_EXPORT_CREATED,
        EventName.COMPLIANCE_EXPORT_UPDATED,
        EventName.COMPLIANCE_SCHEDULE_CREATED,
        EventName.COMPLIANCE_SCHEDULE_UPDATED,
        EventName.FLOW_SESSION_CREATED,
        EventName.FLOW_SESSION_UPDATED,
        EventName.FLOW_TOLD,
        EventName.FLOW_LABELS_REMOVED,
    }
)
"""Recorded, but never sent on the stream: that of a standing grant or of triage is not, since who knows its bounds
could shape requests to them; `approval.granted` tells of each use of a grant, and decisions what triage let pass. Nor
is what sessions were told, which is digests. Reports on compliance are not for agents. Nor is `score.created` of a
score that an evaluation run gave (its `run_id` is not null): a run gives up to 50,000 at once.
`evaluation.updated` tells that a run has ended, and `get_scores` with its `run_id` reads them. Nor is
`profile_score.created` of a score that came with a batch (its `batch_id` is not null); `get_profile_scores` with its
`batch_id` reads those."""

AMONG_OPERATORS = frozenset(
    {
        EventName.COMMENT_CREATED,
        EventName.SNOOZE_CREATED,
        EventName.SNOOZE_UPDATED,
        EventName.ASSIGNMENT_CREATED,
        EventName.ASSIGNMENT_UPDATED,
        EventName.APPROVAL_ESCALATED,
        EventName.ROTA_CREATED,
        EventName.ROTA_UPDATED,
    }
)
"""Never sent on the stream to a key of role agent: what operators tell each other about a request, what they have put
off, who takes care of which, who is on shift when, and which group a request was escalated to."""

CONNECTED = "connected"
"""First event of every stream, after the replay; its data holds `last_event_id`."""
RESET = "reset"
"""The reader was too slow and is disconnected; `last_event_id` in its data is where to resume."""


class Event(Record, frozen=True, kw_only=True):
    """`id` is the organization's own event number; `data` the object that the event is about, bare."""

    id: int
    event: str
    data: dict[str, Any]


class StreamQuery(Query, frozen=True, kw_only=True):
    """`types` is a comma-separated list of event names; `lastEventId` does what the header `Last-Event-ID` does."""

    types: Annotated[str, Meta(max_length=1000)] | None = None
    agent_id: ShortText | None = None
    lastEventId: Annotated[int, Meta(ge=0)] | None = None  # noqa: N815 - the published name


STREAM = Endpoint(
    operation="events",
    method="GET",
    path="/api/stream",
    summary="Live events, resumable with Last-Event-ID without gap or repeat.",
    roles=ANYONE,
    query=StreamQuery,
    response=Event,
    content="text/event-stream",
    problems=(Code.AGENT_MISMATCH, Code.SHUTTING_DOWN, Code.PROJECTION_BEHIND),
)
