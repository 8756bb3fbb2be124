"""Errors as they cross the wire: RFC 9457 problems with a stable `code`, readable by the published clients too."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self

import msgspec
from msgspec import UNSET, UnsetType

PROBLEM_JSON = "application/problem+json"
PROBLEM_TYPE = "urn:assent:problem:"
"""What the `type` of every problem begins with; its code stands behind it."""


class Code(StrEnum):
    """What went wrong: the code, its HTTP status, `when` it is answered and its `remedy`, what to do about it. A code,
    once published, keeps its meaning. Each sentence stands by itself: the OpenAPI document,
    docs/reference/errors.md and the exceptions of the SDK take it from here."""

    _value_: str
    status: int
    when: str
    remedy: str

    def __new__(cls, value: str, status: int = 0, when: str = "", remedy: str = "") -> Self:
        # Without defaults `Code("forbidden")` would be an error to type checkers; a test holds that each code has all.
        code = str.__new__(cls, value)
        code._value_ = value
        code.status, code.when, code.remedy = status, when, remedy
        return code

    INVALID_HTTP = (
        "invalid_http",
        400,
        "What came is not a request of HTTP/1.1 as it is spoken here, or has the header `x-api-key` twice.",
        "Mend the client, or the proxy between, and send the request again on a new connection.",
    )
    INVALID_JSON = (
        "invalid_json",
        400,
        "The body is not JSON in UTF-8, or is nested too deeply.",
        "Send one JSON object, encoded as UTF-8.",
    )
    INVALID_BODY = (
        "invalid_body",
        400,
        "A member of the body is missing, has the wrong type or is out of range.",
        "Correct the members that `errors` names.",
    )
    INVALID_QUERY = (
        "invalid_query",
        400,
        "A query parameter has the wrong type or is out of range, or a cursor is not one of ours.",
        "Correct the parameters that `errors` names; take cursors from the page before.",
    )
    INVALID_PATH = (
        "invalid_path",
        400,
        "An id in the path is not 1 to 128 letters, digits or `_ . : -`.",
        "Use the id as the service gave it.",
    )
    UNKNOWN_MEMBER = (
        "unknown_member",
        400,
        "The body has members that the operation does not know, and the call asked for strict handling.",
        "Correct the spelling, or leave out `Prefer: handling=strict` to have them ignored.",
    )
    INVALID_POLICY = (
        "invalid_policy",
        400,
        "A policy's kind, rules or condition tree cannot be read.",
        "Correct the place that `errors` names.",
    )
    THREAD_CLOSED = (
        "thread_closed",
        400,
        "The thread is closed and takes no more entries.",
        "Create the thread again by its name to reopen it, or use another one.",
    )
    INVALID_SCORER = (
        "invalid_scorer",
        400,
        "A scorer's type or configuration cannot be used.",
        "Correct the place that `errors` names.",
    )
    INVALID_PROFILE = (
        "invalid_profile",
        400,
        "A scoring profile's method, or a dimension's source, weight or scale, cannot be used.",
        "Correct the place that `errors` names.",
    )
    INVALID_RISK_TEMPLATE = (
        "invalid_risk_template",
        400,
        "A rule of a risk template cannot be read, or the organization has as many templates as it can.",
        "Correct the place that `errors` names; a condition is `path op value` or a tree.",
    )
    INVALID_PUBLIC_KEY = (
        "invalid_public_key",
        400,
        "The public key cannot be loaded, is too weak, or does not fit the algorithm.",
        "Send a PEM of an RSA key with at least 2048 bits, or of an Ed25519 key.",
    )
    INVALID_WEBHOOK = (
        "invalid_webhook",
        400,
        "A webhook's address or its list of events cannot be used.",
        "Correct the place that `errors` names; addresses are https and public, or those of a notice.",
    )
    UNAUTHORIZED = (
        "unauthorized",
        401,
        "The header `x-api-key` is missing, unknown or revoked.",
        "Send a valid key (clients take it from ASSENT_API_KEY); an admin makes new ones.",
    )
    TOO_MANY_FAILED_KEYS = (
        "too_many_failed_keys",
        429,
        "Too many requests with a key that is not valid came from the caller's address, or from all together.",
        "Check the header `x-api-key`: a valid key is not slowed. Before another try, wait as `Retry-After` says.",
    )
    SIGNATURE_REQUIRED = (
        "signature_required",
        401,
        "The agent is paired, and this service takes only signed actions of paired agents.",
        "Sign the action with the agent's private key.",
    )
    SIGNATURE_INVALID = (
        "signature_invalid",
        401,
        "The signature is not one of the agent's key over this action.",
        "Sign the body as it is sent, with the key that was paired for this agent.",
    )
    SIGNATURE_REPLAYED = (
        "signature_replayed",
        401,
        "This signature came before, and a repeat proves nothing.",
        "Sign a body that differs, for example by its `timestamp_start` or `idempotency_key`.",
    )
    FORBIDDEN = (
        "forbidden",
        403,
        "The key's role may not do this.",
        "Use a key with one of the roles listed for the operation; an agent's key can never approve.",
    )
    AGENT_MISMATCH = (
        "agent_mismatch",
        403,
        "The key is bound to another agent than the one the call is about, or the call names another agent than the "
        "one whose session it tells.",
        "Leave `agent_id` out, or use that agent's own key. For a session, name the agent that it was begun for.",
    )
    SELF_APPROVAL = (
        "self_approval",
        403,
        "The key may not decide on this action: it is bound to the action's agent, or it opened the action "
        "itself and the service refuses that (`self_decisions`).",
        "Have an operator decide with a key of their own; whoever only wants to take the question back withdraws it.",
    )
    ACTION_BLOCKED = (
        "action_blocked",
        403,
        "Guard decided to block; the attempt is kept as evidence, and `decision` holds the verdict.",
        "Do not run the action: change what it does, or ask an operator to change the policy.",
    )
    ROUTE_NOT_FOUND = (
        "route_not_found",
        404,
        "Nothing is served at this path.",
        "Look the path up in the table of operations.",
    )
    ACTION_NOT_FOUND = (
        "action_not_found",
        404,
        "No such action in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    ASSUMPTION_NOT_FOUND = (
        "assumption_not_found",
        404,
        "No such assumption in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    POLICY_NOT_FOUND = (
        "policy_not_found",
        404,
        "No such policy in the key's organization, or it was deleted.",
        "List the policies and take the id from there.",
    )
    KEY_NOT_FOUND = (
        "key_not_found",
        404,
        "No such key in the caller's organization.",
        "List the keys and take the id from there.",
    )
    TABLE_NOT_FOUND = (
        "table_not_found",
        404,
        "No table of this name is served as data.",
        "Take a name from `GET /api/data`, the data dictionary.",
    )
    LOOP_NOT_FOUND = (
        "loop_not_found",
        404,
        "No such open loop in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    NOTICE_NOT_FOUND = (
        "notice_not_found",
        404,
        "No notice of the key's organization has this link.",
        "Copy the whole link, and sign in with a key of the organization that was told.",
    )
    QUESTION_NOT_FOUND = (
        "question_not_found",
        404,
        "No such question in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    MESSAGE_NOT_FOUND = (
        "message_not_found",
        404,
        "No such message in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    ATTACHMENT_NOT_FOUND = (
        "attachment_not_found",
        404,
        "No such attachment in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    THREAD_NOT_FOUND = (
        "thread_not_found",
        404,
        "No such thread in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    FEEDBACK_NOT_FOUND = (
        "feedback_not_found",
        404,
        "No such feedback in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    TEMPLATE_NOT_FOUND = (
        "template_not_found",
        404,
        "No such prompt template in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    PROMPT_VERSION_NOT_FOUND = (
        "prompt_version_not_found",
        404,
        "No such prompt version in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    SCORER_NOT_FOUND = (
        "scorer_not_found",
        404,
        "No such scorer in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    PROFILE_NOT_FOUND = (
        "profile_not_found",
        404,
        "No such scoring profile in the key's organization, or it was deleted.",
        "Take the id from the profile's creation or from `list_scoring_profiles`.",
    )
    DIMENSION_NOT_FOUND = (
        "dimension_not_found",
        404,
        "The scoring profile has no such dimension, or it was deleted.",
        "Take the id from the profile's dimensions.",
    )
    RISK_TEMPLATE_NOT_FOUND = (
        "risk_template_not_found",
        404,
        "No such risk template in the key's organization, or it was removed.",
        "Take the id from list_risk_templates.",
    )
    FLOW_NOT_FOUND = (
        "flow_not_found",
        404,
        "No such session was told anything in the key's organization.",
        "Take the `flow_id` from `get_flows`.",
    )
    GRANT_NOT_FOUND = (
        "grant_not_found",
        404,
        "No such standing grant in the key's organization.",
        "Take the id from list_grants.",
    )
    CHANGE_NOT_FOUND = (
        "change_not_found",
        404,
        "No such change of a policy, a risk template or a scoring profile in the key's organization.",
        "Take the change_id from get_rule_changes.",
    )
    EVALUATION_NOT_FOUND = (
        "evaluation_not_found",
        404,
        "No such evaluation run in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    COMPLIANCE_EXPORT_NOT_FOUND = (
        "compliance_export_not_found",
        404,
        "No such export of compliance in the key's organization, or it was deleted.",
        "Take the id from list_compliance_exports.",
    )
    COMPLIANCE_SCHEDULE_NOT_FOUND = (
        "compliance_schedule_not_found",
        404,
        "No such schedule of compliance exports in the key's organization, or it was deleted.",
        "Take the id from list_compliance_schedules.",
    )
    DRIFT_ALERT_NOT_FOUND = (
        "drift_alert_not_found",
        404,
        "No such drift alert in the key's organization, or it was removed.",
        "Take the id from `list_drift_alerts`.",
    )
    RECOMMENDATION_NOT_FOUND = (
        "recommendation_not_found",
        404,
        "No such recommendation in the key's organization, or none that the key may see: no agent and action "
        "type that has acted has this id.",
        "Take the id from `get_recommendations`.",
    )
    PAIRING_NOT_FOUND = (
        "pairing_not_found",
        404,
        "No such pairing in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    IDENTITY_NOT_FOUND = (
        "identity_not_found",
        404,
        "No such identity in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    WEBHOOK_NOT_FOUND = (
        "webhook_not_found",
        404,
        "No such webhook in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    RECORD_NOT_FOUND = (
        "record_not_found",
        404,
        "No such record in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    TASK_NOT_FOUND = (
        "task_not_found",
        404,
        "No such task in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    AGENT_NOT_FOUND = (
        "agent_not_found",
        404,
        "No such agent in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    ORGANIZATION_NOT_FOUND = (
        "organization_not_found",
        404,
        "No such organization in the key's organization, or none that the key may see.",
        "Check the id, and that the key belongs to the same organization and agent.",
    )
    FRAMEWORK_NOT_FOUND = (
        "framework_not_found",
        404,
        "No compliance framework of this name is there.",
        "Take a name from the list in the error, or from `GET /api/compliance/frameworks`.",
    )
    SIGNING_KEY_NOT_FOUND = (
        "signing_key_not_found",
        404,
        "The organization has no signing key of that id.",
        "Take the id from `get_signing_keys`.",
    )
    BUNDLE_NOT_FOUND = (
        "bundle_not_found",
        404,
        "No bundle of that id is kept for this organization; those of erased actions are gone.",
        "Export the action's proof anew by `action_id`.",
    )
    NOT_SERVED = (
        "not_served",
        404,
        "Published clients know this call, this service does not serve it.",
        "Use what the error names in its place.",
    )
    METHOD_NOT_ALLOWED = (
        "method_not_allowed",
        405,
        "The path exists, but not with this method.",
        "Use one of the methods in the header `Allow`.",
    )
    BODY_TIMEOUT = (
        "body_timeout",
        408,
        "The body began and did not come to its end in time, so nothing was done.",
        "Send it again, faster or in parts.",
    )
    HEADER_TIMEOUT = (
        "header_timeout",
        408,
        "The header began and did not come to its end in time, so nothing was done.",
        "Send it at once.",
    )
    ACTION_EXISTS = (
        "action_exists",
        409,
        "An action with this `action_id` exists already.",
        "Leave `action_id` out, or use an idempotency key to repeat a creation.",
    )
    ASSUMPTION_EXISTS = (
        "assumption_exists",
        409,
        "An assumption with this `assumption_id` exists already.",
        "Leave `assumption_id` out, or read the existing one.",
    )
    POLICY_EXISTS = (
        "policy_exists",
        409,
        "Another policy has this name already.",
        "Choose another name, or change that policy.",
    )
    POLICY_CHANGED = (
        "policy_changed",
        409,
        "Somebody changed this policy after the version that `if_version` names.",
        "Read the policy again, and decide then.",
    )
    FLOW_CHANGED = (
        "flow_changed",
        409,
        "One of these labels was put on the session again after what `if_told` names.",
        "Read the session again, and decide then.",
    )
    ORGANIZATION_EXISTS = (
        "organization_exists",
        409,
        "Another organization has this slug already.",
        "Choose another slug.",
    )
    AWAITING_APPROVAL = (
        "awaiting_approval",
        409,
        "The action waits for an operator, so it has no outcome yet.",
        "Wait for the approval, then report the outcome.",
    )
    ALREADY_DECIDED = (
        "already_decided",
        409,
        "Somebody has decided on this approval already; `approval` says who, when and what.",
        "Accept that decision; a new attempt needs a new action.",
    )
    APPROVAL_WITHDRAWN = (
        "approval_withdrawn",
        409,
        "Whoever asked for this approval has withdrawn it; `approval` says when and why. The action is cancelled.",
        "Nothing is left to decide; if the action is still wanted, the agent creates it again.",
    )
    NOT_AWAITING_APPROVAL = (
        "not_awaiting_approval",
        409,
        "Nobody asked for an approval of this action.",
        "Check the id against the list of pending approvals.",
    )
    DECISION_UNUSABLE = (
        "decision_unusable",
        409,
        "The `decision_id` is unknown, used, older than five minutes, or about another agent, context or policies.",
        "Ask guard again, or leave `decision_id` out.",
    )
    LAST_ADMIN_KEY = (
        "last_admin_key",
        409,
        "Revoking the organization's last admin key would lock everybody out.",
        "Make another admin key first.",
    )
    LOOP_EXISTS = (
        "loop_exists",
        409,
        "An open loop with this `loop_id` exists already.",
        "Leave `loop_id` out, or read the existing one.",
    )
    LOOP_CLOSED = (
        "loop_closed",
        409,
        "The loop was resolved or cancelled already.",
        "Register a new loop if something is open again.",
    )
    QUESTION_CLOSED = (
        "question_closed",
        409,
        "The question was answered already, or ended: its action was decided, withdrawn or expired.",
        "Read the question: its first answer stands. Wait for the decision, or read the action.",
    )
    TOO_MANY_QUESTIONS = (
        "too_many_questions",
        409,
        "3 questions about this action are open already, or those of everybody fill the memory that there is for them.",
        "Wait until the agent has answered, or decide.",
    )
    EXPIRES_SOON = (
        "expires_soon",
        409,
        "The action expires so soon that nobody can put it off any more.",
        "Decide on it now, or leave it to another operator.",
    )
    SCORER_EXISTS = (
        "scorer_exists",
        409,
        "Another scorer has this name already.",
        "Choose another name, or change that scorer.",
    )
    PAIRING_DECIDED = (
        "pairing_decided",
        409,
        "The pairing was approved already.",
        "Read the identity; a new key needs a new pairing.",
    )
    TOO_MANY_PAIRINGS = (
        "too_many_pairings",
        409,
        "As many pairings wait in this organization as may.",
        "Have an admin approve those that are meant; the others expire by themselves.",
    )
    TOO_MANY_WAITING = (
        "too_many_waiting",
        429,
        "200 actions of this agent (or 200 without an agent) wait for approval already, or those of everybody"
        " fill the memory that there is for them; nothing was recorded.",
        "Wait until operators have decided some, and withdraw those that nobody needs any more.",
    )
    TOO_MANY_GRANTS = (
        "too_many_grants",
        409,
        "As many standing grants of the organization are live as may be: 500.",
        "Revoke those that nobody needs any more.",
    )
    TOO_MANY_SCHEDULES = (
        "too_many_schedules",
        409,
        "The organization has as many schedules of compliance exports as may be: 20.",
        "Delete one that nobody needs any more, or change it.",
    )
    GRANT_REVOKED = (
        "grant_revoked",
        409,
        "The standing grant that let the action through was revoked before the approval was claimed.",
        "Create the action again, and have it approved.",
    )
    TASK_DONE = (
        "task_done",
        409,
        "The task is completed, failed or cancelled already.",
        "Submit a new task.",
    )
    OUTCOME_EXISTS = (
        "outcome_exists",
        409,
        "The action's durable outcome was reported already, and the first one stands.",
        "Read it; correct the action itself with `update_outcome`.",
    )
    HALTED = (
        "halted",
        409,
        "The organization is halted, so nothing is allowed and no approval is used; the detail says why.",
        "Do not act. Claim, or allow, again once the halt is lifted; denying is possible meanwhile.",
    )
    NOT_APPROVED = (
        "not_approved",
        409,
        "The action has no approval that could be used: none was asked for, or it was not given.",
        "Wait for the approval first; an action that asked for none needs no claim.",
    )
    RECEIPT_USED = (
        "receipt_used",
        409,
        "The approval was used already, and it counts once.",
        "Create the action again, and have it approved.",
    )
    RECEIPT_MISMATCH = (
        "receipt_mismatch",
        409,
        "What is about to be done is not what was approved; `errors` names the members that differ.",
        "Do exactly what was approved, or create the action as it is now and have that approved.",
    )
    ACTION_OPEN = (
        "action_open",
        409,
        "The action goes on, so its evidence cannot be erased yet.",
        "Report its outcome first, then erase it.",
    )
    SIGNING_KEY_ENDED = (
        "signing_key_ended",
        409,
        "The signing key was revoked already.",
        "Read it in `get_signing_keys`; nothing is left to do.",
    )
    NOTICE_USED = (
        "notice_used",
        409,
        "The link of the notice was followed before; it leads to its request once.",
        "Look for the request in the inbox.",
    )
    APPROVAL_EXPIRED = (
        "approval_expired",
        410,
        "The approval ran out before anybody decided.",
        "Have the agent create the action again.",
    )
    NOTICE_EXPIRED = (
        "notice_expired",
        410,
        "The link of the notice is older than a day.",
        "Look for the request in the inbox.",
    )
    PAIRING_EXPIRED = (
        "pairing_expired",
        410,
        "The pairing ran out before an admin approved it.",
        "Have the agent create a new pairing.",
    )
    RECEIPT_EXPIRED = (
        "receipt_expired",
        410,
        "The operator's approval was for a limited time, and that has passed.",
        "Create the action again, and have it approved.",
    )
    ACTION_ERASED = (
        "action_erased",
        410,
        "The content of the action was erased; the detail says by whom and when.",
        "Its proof (`get_governance_proof`) still shows that it was there.",
    )
    PAYLOAD_TOO_LARGE = (
        "payload_too_large",
        413,
        "The body is larger than the operation's limit.",
        "Send less; the limit is in the description of the body.",
    )
    BUNDLE_TOO_LARGE = (
        "bundle_too_large",
        413,
        "What was recorded about the action is more than any verifier takes, so no bundle of it is handed out.",
        "Prove its events one by one with `get_inclusion_proof`.",
    )
    IDEMPOTENCY_MISMATCH = (
        "idempotency_mismatch",
        422,
        "The idempotency key was used before with a different request.",
        "Use a new key for a new request.",
    )
    ANALYSIS_TOO_LARGE = (
        "analysis_too_large",
        422,
        "The rows that the question is about take more memory or time than the settings give to one question.",
        "Ask about fewer rows by a member that the detail names; or stream the table and count it where you are.",
    )
    NOTHING_TO_SCORE = (
        "nothing_to_score",
        422,
        "No dimension of the scoring profile found a value in the action, or none of those that did has a weight.",
        "Give the values that the dimensions look at, or the id of a recorded action that has them.",
    )
    HEADER_TOO_LARGE = (
        "header_too_large",
        431,
        "The request line and the header are larger, or have more fields, than the settings allow.",
        "Send fewer or shorter fields; what is long belongs into the body.",
    )
    INTERNAL_ERROR = (
        "internal_error",
        500,
        "The service failed in a way nobody foresaw; its log has the trace.",
        "Try again; if it lasts, report it with the time of the request.",
    )
    STORAGE_UNAVAILABLE = (
        "storage_unavailable",
        503,
        "The evidence log could not be written, so nothing was recorded or changed.",
        "Try again after `Retry-After` seconds; look at `/ready` if it lasts.",
    )
    READ_ONLY = (
        "read_only",
        503,
        "The evidence log could not be brought back to its last durable state, so nothing new is recorded.",
        "Free or repair the disk and restart the service; reading still works.",
    )
    PROJECTION_BEHIND = (
        "projection_behind",
        503,
        "The tables could not follow the log in time, so an answer would miss what was recorded.",
        "Try again after `Retry-After` seconds; look at `/ready` if it lasts.",
    )
    BUSY = (
        "busy",
        503,
        "The service does as much of this at once as it does: streams of tables, runs, large bodies on their way. Or "
        "others changed what the request rests on, each time that it was decided.",
        "Try again after `Retry-After` seconds, or ask for less at the same time.",
    )
    TOO_MANY_CONNECTIONS = (
        "too_many_connections",
        503,
        "There are as many connections as there may be, in all or from this address, and none can be spared.",
        "Try again after `Retry-After` seconds; keep connections open and use them again instead of opening more.",
    )
    SHUTTING_DOWN = (
        "shutting_down",
        503,
        "The service is stopping.",
        "Connect again in a moment.",
    )
    WALLET_UNAVAILABLE = (
        "wallet_unavailable",
        503,
        "The organization's signing key cannot be used: its file or the key that encrypts it is missing or wrong.",
        "Restore both from a backup, or rotate the signing key.",
    )


class FieldError(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a request: where it is and what is wrong with it."""

    place: str
    message: str


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """The body of every error.

    `detail` says what was wrong, which value, and what to do next. `error` and `details` say the same to clients of
    the published wire. `decision` and `action` are there when guard blocked a creation; `approval` when
    somebody else has decided already, or it was withdrawn; `current_status` when an outcome is there already.
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
