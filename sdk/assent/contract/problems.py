"""Errors as they cross the wire: RFC 9457 problems with a stable `code`, readable by the published clients too."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

PROBLEM_JSON = "application/problem+json"


class Code(StrEnum):
    """What went wrong. A code, once published, keeps its meaning."""

    INVALID_JSON = "invalid_json"
    INVALID_BODY = "invalid_body"
    INVALID_QUERY = "invalid_query"
    INVALID_PATH = "invalid_path"
    UNKNOWN_MEMBER = "unknown_member"
    INVALID_POLICY = "invalid_policy"
    THREAD_CLOSED = "thread_closed"
    INVALID_SCORER = "invalid_scorer"
    INVALID_PROFILE = "invalid_profile"
    INVALID_RISK_TEMPLATE = "invalid_risk_template"
    INVALID_PUBLIC_KEY = "invalid_public_key"
    INVALID_WEBHOOK = "invalid_webhook"
    UNAUTHORIZED = "unauthorized"
    SIGNATURE_REQUIRED = "signature_required"
    SIGNATURE_INVALID = "signature_invalid"
    SIGNATURE_REPLAYED = "signature_replayed"
    FORBIDDEN = "forbidden"
    AGENT_MISMATCH = "agent_mismatch"
    ACTION_BLOCKED = "action_blocked"
    ROUTE_NOT_FOUND = "route_not_found"
    ACTION_NOT_FOUND = "action_not_found"
    ASSUMPTION_NOT_FOUND = "assumption_not_found"
    POLICY_NOT_FOUND = "policy_not_found"
    KEY_NOT_FOUND = "key_not_found"
    TABLE_NOT_FOUND = "table_not_found"
    LOOP_NOT_FOUND = "loop_not_found"
    MESSAGE_NOT_FOUND = "message_not_found"
    ATTACHMENT_NOT_FOUND = "attachment_not_found"
    THREAD_NOT_FOUND = "thread_not_found"
    FEEDBACK_NOT_FOUND = "feedback_not_found"
    TEMPLATE_NOT_FOUND = "template_not_found"
    PROMPT_VERSION_NOT_FOUND = "prompt_version_not_found"
    SCORER_NOT_FOUND = "scorer_not_found"
    PROFILE_NOT_FOUND = "profile_not_found"
    DIMENSION_NOT_FOUND = "dimension_not_found"
    RISK_TEMPLATE_NOT_FOUND = "risk_template_not_found"
    EVALUATION_NOT_FOUND = "evaluation_not_found"
    DRIFT_ALERT_NOT_FOUND = "drift_alert_not_found"
    RECOMMENDATION_NOT_FOUND = "recommendation_not_found"
    PAIRING_NOT_FOUND = "pairing_not_found"
    IDENTITY_NOT_FOUND = "identity_not_found"
    WEBHOOK_NOT_FOUND = "webhook_not_found"
    RECORD_NOT_FOUND = "record_not_found"
    TASK_NOT_FOUND = "task_not_found"
    AGENT_NOT_FOUND = "agent_not_found"
    ORGANIZATION_NOT_FOUND = "organization_not_found"
    FRAMEWORK_NOT_FOUND = "framework_not_found"
    SIGNING_KEY_NOT_FOUND = "signing_key_not_found"
    BUNDLE_NOT_FOUND = "bundle_not_found"
    NOT_SERVED = "not_served"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    BODY_TIMEOUT = "body_timeout"
    ACTION_EXISTS = "action_exists"
    ASSUMPTION_EXISTS = "assumption_exists"
    POLICY_EXISTS = "policy_exists"
    POLICY_CHANGED = "policy_changed"
    ORGANIZATION_EXISTS = "organization_exists"
    AWAITING_APPROVAL = "awaiting_approval"
    ALREADY_DECIDED = "already_decided"
    NOT_AWAITING_APPROVAL = "not_awaiting_approval"
    DECISION_UNUSABLE = "decision_unusable"
    LAST_ADMIN_KEY = "last_admin_key"
    LOOP_EXISTS = "loop_exists"
    LOOP_CLOSED = "loop_closed"
    SCORER_EXISTS = "scorer_exists"
    PAIRING_DECIDED = "pairing_decided"
    TOO_MANY_PAIRINGS = "too_many_pairings"
    TASK_DONE = "task_done"
    OUTCOME_EXISTS = "outcome_exists"
    HALTED = "halted"
    NOT_APPROVED = "not_approved"
    RECEIPT_USED = "receipt_used"
    RECEIPT_MISMATCH = "receipt_mismatch"
    ACTION_OPEN = "action_open"
    SIGNING_KEY_ENDED = "signing_key_ended"
    APPROVAL_EXPIRED = "approval_expired"
    PAIRING_EXPIRED = "pairing_expired"
    RECEIPT_EXPIRED = "receipt_expired"
    ACTION_ERASED = "action_erased"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    BUNDLE_TOO_LARGE = "bundle_too_large"
    IDEMPOTENCY_MISMATCH = "idempotency_mismatch"
    NOTHING_TO_SCORE = "nothing_to_score"
    INTERNAL_ERROR = "internal_error"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    READ_ONLY = "read_only"
    PROJECTION_BEHIND = "projection_behind"
    BUSY = "busy"
    SHUTTING_DOWN = "shutting_down"
    WALLET_UNAVAILABLE = "wallet_unavailable"


STATUS: dict[Code, int] = {
    Code.INVALID_JSON: 400,
    Code.INVALID_BODY: 400,
    Code.INVALID_QUERY: 400,
    Code.INVALID_PATH: 400,
    Code.UNKNOWN_MEMBER: 400,
    Code.INVALID_POLICY: 400,
    Code.THREAD_CLOSED: 400,
    Code.INVALID_SCORER: 400,
    Code.INVALID_PROFILE: 400,
    Code.INVALID_RISK_TEMPLATE: 400,
    Code.INVALID_PUBLIC_KEY: 400,
    Code.INVALID_WEBHOOK: 400,
    Code.UNAUTHORIZED: 401,
    Code.SIGNATURE_REQUIRED: 401,
    Code.SIGNATURE_INVALID: 401,
    Code.SIGNATURE_REPLAYED: 401,
    Code.FORBIDDEN: 403,
    Code.AGENT_MISMATCH: 403,
    Code.ACTION_BLOCKED: 403,
    Code.ROUTE_NOT_FOUND: 404,
    Code.ACTION_NOT_FOUND: 404,
    Code.ASSUMPTION_NOT_FOUND: 404,
    Code.POLICY_NOT_FOUND: 404,
    Code.KEY_NOT_FOUND: 404,
    Code.TABLE_NOT_FOUND: 404,
    Code.LOOP_NOT_FOUND: 404,
    Code.MESSAGE_NOT_FOUND: 404,
    Code.ATTACHMENT_NOT_FOUND: 404,
    Code.THREAD_NOT_FOUND: 404,
    Code.FEEDBACK_NOT_FOUND: 404,
    Code.TEMPLATE_NOT_FOUND: 404,
    Code.PROMPT_VERSION_NOT_FOUND: 404,
    Code.SCORER_NOT_FOUND: 404,
    Code.PROFILE_NOT_FOUND: 404,
    Code.DIMENSION_NOT_FOUND: 404,
    Code.RISK_TEMPLATE_NOT_FOUND: 404,
    Code.EVALUATION_NOT_FOUND: 404,
    Code.DRIFT_ALERT_NOT_FOUND: 404,
    Code.RECOMMENDATION_NOT_FOUND: 404,
    Code.PAIRING_NOT_FOUND: 404,
    Code.IDENTITY_NOT_FOUND: 404,
    Code.WEBHOOK_NOT_FOUND: 404,
    Code.RECORD_NOT_FOUND: 404,
    Code.TASK_NOT_FOUND: 404,
    Code.AGENT_NOT_FOUND: 404,
    Code.ORGANIZATION_NOT_FOUND: 404,
    Code.FRAMEWORK_NOT_FOUND: 404,
    Code.SIGNING_KEY_NOT_FOUND: 404,
    Code.BUNDLE_NOT_FOUND: 404,
    Code.NOT_SERVED: 404,
    Code.METHOD_NOT_ALLOWED: 405,
    Code.BODY_TIMEOUT: 408,
    Code.ACTION_EXISTS: 409,
    Code.ASSUMPTION_EXISTS: 409,
    Code.POLICY_EXISTS: 409,
    Code.POLICY_CHANGED: 409,
    Code.ORGANIZATION_EXISTS: 409,
    Code.AWAITING_APPROVAL: 409,
    Code.ALREADY_DECIDED: 409,
    Code.NOT_AWAITING_APPROVAL: 409,
    Code.DECISION_UNUSABLE: 409,
    Code.LAST_ADMIN_KEY: 409,
    Code.LOOP_EXISTS: 409,
    Code.LOOP_CLOSED: 409,
    Code.SCORER_EXISTS: 409,
    Code.PAIRING_DECIDED: 409,
    Code.TOO_MANY_PAIRINGS: 409,
    Code.TASK_DONE: 409,
    Code.OUTCOME_EXISTS: 409,
    Code.HALTED: 409,
    Code.NOT_APPROVED: 409,
    Code.RECEIPT_USED: 409,
    Code.RECEIPT_MISMATCH: 409,
    Code.ACTION_OPEN: 409,
    Code.SIGNING_KEY_ENDED: 409,
    Code.APPROVAL_EXPIRED: 410,
    Code.PAIRING_EXPIRED: 410,
    Code.RECEIPT_EXPIRED: 410,
    Code.ACTION_ERASED: 410,
    Code.PAYLOAD_TOO_LARGE: 413,
    Code.BUNDLE_TOO_LARGE: 413,
    Code.IDEMPOTENCY_MISMATCH: 422,
    Code.NOTHING_TO_SCORE: 422,
    Code.INTERNAL_ERROR: 500,
    Code.STORAGE_UNAVAILABLE: 503,
    Code.READ_ONLY: 503,
    Code.PROJECTION_BEHIND: 503,
    Code.BUSY: 503,
    Code.SHUTTING_DOWN: 503,
    Code.WALLET_UNAVAILABLE: 503,
}
"""The HTTP status of each code; total over `Code`, which a test holds."""


class FieldError(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a request: where it is and what is wrong with it."""

    place: str
    message: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every error.

    `detail` says what was wrong, which value, and what to do next. `error` and `details` say the same to clients of
    the published wire. `decision` and `action` are there when guard blocked a creation; `approval` when somebody
    else has decided already; `current_status` when an outcome is there already.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: Code
    errors: list[FieldError]
    error: str
    details: list[str]
    decision: Any | UnsetType = UNSET
    action: Any | UnsetType = UNSET
    approval: Any | UnsetType = UNSET
    current_status: str | UnsetType = UNSET
