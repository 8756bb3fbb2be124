"""Every error the SDK raises.

AssentError
  ApiError                       the service answered, and refused
    InvalidRequest               400, 405, 413, 422: the request itself is wrong
    Unauthorized                 401: no key, or one that is not known
    Forbidden                    403: the key may not do this
    NotFound                     404: no such action, assumption, policy, key or route
    Conflict                     409: the state of things does not allow it
    Gone                         410: the approval or its receipt has expired, or the action was erased
    Unavailable                  503: nothing can be recorded or read just now
    ServerError                  other 5xx, and answers that cannot be read
  GuardBlockedError              guard said block
  ApprovalError                  what waiting for an approval can end with
    ApprovalDeniedError          an operator said no
    ApprovalExpiredError         nobody decided before the approval's own end
    ApprovalTimeoutError         nobody decided as long as the caller waited (also a builtin TimeoutError)
    NotAwaitingApprovalError     the action is over and was never approved
  PairingError                   what waiting for a pairing can end with
    PairingExpiredError          no admin approved it in time
    PairingTimeoutError          no admin approved as long as the caller waited (also a builtin TimeoutError)
  ActionOverError                the call was made before and is over
  ConnectionFailed               no answer at all
  NotConfigured                  no client was given, and the environment does not say enough to make one
  MissingExtra                   a part of the product that is not installed (also an ImportError)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from assent.contract.problems import Code, FieldError

if TYPE_CHECKING:
    from assent.contract.actions import Action
    from assent.contract.guard import GuardResult
    from assent.contract.pairings import PairingStatus


class AssentError(Exception):
    """Base of everything the SDK raises on purpose."""


class ApiError(AssentError):
    """The service refused. `code` is stable and is what to branch on; a `Code` unless the service is newer.

    `errors` names each wrong member and its place, `problem` is the whole body (empty when it was no problem
    document), `retry_after` is in seconds.
    """

    advice: ClassVar[str] = "read the detail, correct the call and try again"

    def __init__(
        self,
        *,
        status: int,
        code: Code | str,
        detail: str,
        errors: Sequence[FieldError] = (),
        problem: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.problem: Mapping[str, Any] = MappingProxyType(dict(problem or {}))
        self.retry_after = retry_after
        lines = [f"{status} {code}: {detail}", *(f"  - {error.place}: {error.message}" for error in self.errors)]
        super().__init__("\n".join([*lines, f"What to do: {self.advice}."]))


class InvalidRequest(ApiError):
    advice = "correct the members named above and send the call again"


class Unauthorized(ApiError):
    advice = "check ASSENT_API_KEY; an admin makes a new key with create_key"


class Forbidden(ApiError):
    advice = "use a key with a role that may do this (an agent's key can never approve)"


class NotFound(ApiError):
    advice = "check the id, and that the key belongs to the same organization"


class Conflict(ApiError):
    advice = "read the present state first, then decide whether the call still makes sense"


class Gone(ApiError):
    advice = "have the agent ask again, then decide on the new action"


class Unavailable(ApiError):
    advice = "nothing was recorded; try again in a moment, and look at /ready if it lasts"


class ServerError(ApiError):
    advice = "check that ASSENT_BASE_URL leads to an Assent service of a matching version, and read the service's log"


class GuardBlockedError(AssentError):
    """Guard said block: the action must not run.

    `action_id` names the recorded attempt when `create_action` was blocked, and is None for `guard`.
    """

    def __init__(self, decision: GuardResult, action_id: str | None = None) -> None:
        self.decision = decision
        self.reasons: list[str] = decision.reasons
        self.warnings: list[str] = decision.warnings
        self.matched_policies: list[str] = decision.matched_policies
        self.risk_score: float = decision.risk_score
        self.action_id = action_id
        why = "; ".join(self.reasons) or "no reason given"
        policies = ", ".join(self.matched_policies) or "none"
        recorded = f" The attempt is recorded as {action_id}." if action_id else ""
        super().__init__(
            f"guard blocked {decision.action_type}: {why} (risk {self.risk_score:g}, policies: {policies}).{recorded} "
            "Do not run it: change what the action does, or ask an operator to change the policy."
        )


class ApprovalError(AssentError):
    """Waiting for an approval ended without one. `action_id` names the action."""

    def __init__(self, action_id: str, message: str) -> None:
        self.action_id = action_id
        super().__init__(message)


class ApprovalDeniedError(ApprovalError):
    """An operator said no. `decision` is `deny`, `reasoning` the operator's own words or None."""

    def __init__(self, *, decision: str, reasoning: str | None, action: Action) -> None:
        self.decision = decision
        self.reasoning = reasoning
        self.action = action
        super().__init__(
            action.action_id,
            f"approval of {action.action_id} ({action.action_type}) was denied: {reasoning or 'no reason given'}. "
            "Do not run it: change what the action does and create a new one.",
        )


class ApprovalExpiredError(ApprovalError):
    """The approval itself ran out; nobody can decide on it any more."""

    def __init__(self, action: Action) -> None:
        self.action = action
        super().__init__(
            action.action_id,
            f"approval of {action.action_id} ({action.action_type}) expired before anybody decided. "
            "Do not run it: create the action again if it is still wanted.",
        )


class ApprovalTimeoutError(ApprovalError, TimeoutError):
    """Nobody decided within `timeout` seconds. The action still waits and can still be approved."""

    def __init__(self, action_id: str, timeout: float) -> None:
        self.timeout = timeout
        super().__init__(
            action_id,
            f"nobody decided on {action_id} within {timeout:g} s. It still waits: call wait_for_approval again, "
            f"or have an operator run `assent approve {action_id}`.",
        )


class NotAwaitingApprovalError(ApprovalError):
    """The action reached its end without ever having been approved."""

    def __init__(self, action: Action) -> None:
        self.action = action
        super().__init__(
            action.action_id,
            f"{action.action_id} is {action.status} and was never approved, so there is nothing to wait for. "
            "Create a new action if the work is still to be done.",
        )


class ActionOverError(AssentError):
    """The creation was a repetition (same idempotency key) of one whose action has reached its end."""

    def __init__(self, action: Action) -> None:
        self.action_id = action.action_id
        self.action = action
        super().__init__(
            f"{action.action_id} ({action.action_type}) is {action.status} already: this call was made before, with "
            "the same idempotency key. Do not run it again; if it is wanted once more, create it under another key."
        )


class PairingError(AssentError):
    """Waiting for a pairing ended without an identity. `pairing_id` names the pairing."""

    def __init__(self, pairing_id: str, message: str) -> None:
        self.pairing_id = pairing_id
        super().__init__(message)


class PairingExpiredError(PairingError):
    """The pairing itself ran out; nobody can approve it any more."""

    def __init__(self, pairing: PairingStatus) -> None:
        self.pairing = pairing
        super().__init__(
            pairing.pairing_id,
            f"pairing {pairing.pairing_id} of {pairing.agent_id} expired at {pairing.expires_at.isoformat()} before an "
            "admin approved it. Create a new one, and have an admin at hand.",
        )


class PairingTimeoutError(PairingError, TimeoutError):
    """No admin approved within `timeout` seconds. The pairing still waits until it expires."""

    def __init__(self, pairing_id: str, timeout: float) -> None:
        self.timeout = timeout
        super().__init__(
            pairing_id,
            f"no admin approved {pairing_id} within {timeout:g} s. Until it expires it still waits: call "
            "wait_for_pairing again, or have an admin call approve_pairing.",
        )


class ConnectionFailed(AssentError):
    """No answer came. `url` is what was called; `uncertain` says that the service may have carried the call out."""

    def __init__(self, *, url: str, reason: str, uncertain: bool = False) -> None:
        self.url = url
        self.reason = reason
        self.uncertain = uncertain
        doubt = " The call may have been carried out: read the state before repeating it." if uncertain else ""
        super().__init__(
            f"no answer from {url} ({reason}).{doubt} Check that the service runs (`assent start`), "
            "that ASSENT_BASE_URL is right, and that no proxy or firewall is in between."
        )


class NotConfigured(AssentError):
    """A client has to be made from the environment, which does not say enough; `what` says what is wrong there."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what}. Set ASSENT_API_KEY to an agent's key (`assent keys create`), and ASSENT_BASE_URL to the "
            "service's address unless it is http://127.0.0.1:8484; or hand in a client."
        )


class MissingExtra(AssentError, ImportError):
    """`what` needs a part of the product that a plain install leaves out."""

    def __init__(self, *, what: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{what} needs the extra {extra!r}; run: pip install 'assent[{extra}]'")


EXCEPTIONS: Mapping[Code, type[ApiError] | type[GuardBlockedError]] = MappingProxyType(
    {
        Code.INVALID_JSON: InvalidRequest,
        Code.INVALID_BODY: InvalidRequest,
        Code.INVALID_QUERY: InvalidRequest,
        Code.INVALID_PATH: InvalidRequest,
        Code.UNKNOWN_MEMBER: InvalidRequest,
        Code.INVALID_POLICY: InvalidRequest,
        Code.THREAD_CLOSED: InvalidRequest,
        Code.INVALID_SCORER: InvalidRequest,
        Code.INVALID_PROFILE: InvalidRequest,
        Code.INVALID_RISK_TEMPLATE: InvalidRequest,
        Code.INVALID_PUBLIC_KEY: InvalidRequest,
        Code.INVALID_WEBHOOK: InvalidRequest,
        Code.METHOD_NOT_ALLOWED: InvalidRequest,
        Code.PAYLOAD_TOO_LARGE: InvalidRequest,
        Code.BUNDLE_TOO_LARGE: InvalidRequest,
        Code.IDEMPOTENCY_MISMATCH: InvalidRequest,
        Code.NOTHING_TO_SCORE: InvalidRequest,
        Code.UNAUTHORIZED: Unauthorized,
        Code.SIGNATURE_REQUIRED: Unauthorized,
        Code.SIGNATURE_INVALID: Unauthorized,
        Code.SIGNATURE_REPLAYED: Unauthorized,
        Code.FORBIDDEN: Forbidden,
        Code.AGENT_MISMATCH: Forbidden,
        Code.ACTION_BLOCKED: GuardBlockedError,
        Code.ROUTE_NOT_FOUND: NotFound,
        Code.ACTION_NOT_FOUND: NotFound,
        Code.ASSUMPTION_NOT_FOUND: NotFound,
        Code.POLICY_NOT_FOUND: NotFound,
        Code.KEY_NOT_FOUND: NotFound,
        Code.TABLE_NOT_FOUND: NotFound,
        Code.LOOP_NOT_FOUND: NotFound,
        Code.MESSAGE_NOT_FOUND: NotFound,
        Code.ATTACHMENT_NOT_FOUND: NotFound,
        Code.THREAD_NOT_FOUND: NotFound,
        Code.FEEDBACK_NOT_FOUND: NotFound,
        Code.TEMPLATE_NOT_FOUND: NotFound,
        Code.PROMPT_VERSION_NOT_FOUND: NotFound,
        Code.SCORER_NOT_FOUND: NotFound,
        Code.PROFILE_NOT_FOUND: NotFound,
        Code.DIMENSION_NOT_FOUND: NotFound,
        Code.RISK_TEMPLATE_NOT_FOUND: NotFound,
        Code.EVALUATION_NOT_FOUND: NotFound,
        Code.DRIFT_ALERT_NOT_FOUND: NotFound,
        Code.RECOMMENDATION_NOT_FOUND: NotFound,
        Code.PAIRING_NOT_FOUND: NotFound,
        Code.IDENTITY_NOT_FOUND: NotFound,
        Code.WEBHOOK_NOT_FOUND: NotFound,
        Code.RECORD_NOT_FOUND: NotFound,
        Code.TASK_NOT_FOUND: NotFound,
        Code.AGENT_NOT_FOUND: NotFound,
        Code.ORGANIZATION_NOT_FOUND: NotFound,
        Code.FRAMEWORK_NOT_FOUND: NotFound,
        Code.SIGNING_KEY_NOT_FOUND: NotFound,
        Code.BUNDLE_NOT_FOUND: NotFound,
        Code.NOT_SERVED: NotFound,
        Code.ACTION_EXISTS: Conflict,
        Code.ASSUMPTION_EXISTS: Conflict,
        Code.POLICY_EXISTS: Conflict,
        Code.POLICY_CHANGED: Conflict,
        Code.ORGANIZATION_EXISTS: Conflict,
        Code.AWAITING_APPROVAL: Conflict,
        Code.ALREADY_DECIDED: Conflict,
        Code.NOT_AWAITING_APPROVAL: Conflict,
        Code.DECISION_UNUSABLE: Conflict,
        Code.LAST_ADMIN_KEY: Conflict,
        Code.LOOP_EXISTS: Conflict,
        Code.LOOP_CLOSED: Conflict,
        Code.SCORER_EXISTS: Conflict,
        Code.PAIRING_DECIDED: Conflict,
        Code.TOO_MANY_PAIRINGS: Conflict,
        Code.TASK_DONE: Conflict,
        Code.OUTCOME_EXISTS: Conflict,
        Code.HALTED: Conflict,
        Code.NOT_APPROVED: Conflict,
        Code.RECEIPT_USED: Conflict,
        Code.RECEIPT_MISMATCH: Conflict,
        Code.ACTION_OPEN: Conflict,
        Code.SIGNING_KEY_ENDED: Conflict,
        Code.APPROVAL_EXPIRED: Gone,
        Code.PAIRING_EXPIRED: Gone,
        Code.RECEIPT_EXPIRED: Gone,
        Code.ACTION_ERASED: Gone,
        Code.INTERNAL_ERROR: ServerError,
        Code.STORAGE_UNAVAILABLE: Unavailable,
        Code.READ_ONLY: Unavailable,
        Code.PROJECTION_BEHIND: Unavailable,
        Code.BUSY: Unavailable,
        Code.BODY_TIMEOUT: Unavailable,
        Code.SHUTTING_DOWN: Unavailable,
        Code.WALLET_UNAVAILABLE: Unavailable,
    }
)
"""What each code becomes; total over `Code`, which a test holds."""

_BY_STATUS: Mapping[int, type[ApiError]] = MappingProxyType(
    {
        400: InvalidRequest,
        401: Unauthorized,
        403: Forbidden,
        404: NotFound,
        405: InvalidRequest,
        408: Unavailable,
        409: Conflict,
        410: Gone,
        413: InvalidRequest,
        415: InvalidRequest,
        422: InvalidRequest,
        503: Unavailable,
    }
)


def family(status: int) -> type[ApiError]:
    """The exception for an answer whose code is not known: a newer service, or something in between."""
    if status >= 500:
        return _BY_STATUS.get(status, ServerError)
    return _BY_STATUS.get(status, ServerError if 200 <= status < 300 else ApiError)
