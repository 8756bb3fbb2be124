"""Every error the SDK raises.

AssentError
  ApiError                       the service answered, and refused
    InvalidRequest               400, 405, 413, 422: the request itself is wrong
    Unauthorized                 401: no key, or one that is not known
    Forbidden                    403: the key may not do this
    NotFound                     404: no such action, assumption, policy, key or route
    Conflict                     409: the state of things does not allow it
    Gone                         410: the approval or its receipt has expired, or the action was erased
    TooManyRequests              429: too many wait for approval, or too many keys were not valid
    Unavailable                  503: nothing can be recorded or read just now
    ServerError                  other 5xx, and answers that cannot be read
  GuardBlockedError              guard said block
  ApprovalError                  what waiting for an approval can end with
    ApprovalDeniedError          an operator said no
    ApprovalExpiredError         nobody decided before the approval's own end
    ApprovalWithdrawnError       the question was taken back before anybody decided
    ApprovalQuestionError        an operator asks back; the action still waits
    ApprovalTimeoutError         nobody decided as long as the caller waited (also a builtin TimeoutError)
    NotAwaitingApprovalError     the action is over and was never approved
  PairingError                   what waiting for a pairing can end with
    PairingExpiredError          no admin approved it in time
    PairingTimeoutError          no admin approved as long as the caller waited (also a builtin TimeoutError)
  ActionOverError                the call was made before and is over
  ArgumentsChanged               its arguments are others than those that were asked about
  ConnectionFailed               no answer at all
    UnboundAnswer                an answer that may be another request's
    NoFreeConnection             all connections that the client may have are in use
    OutcomeSpooled               an outcome waits on this machine's disk, to be delivered later
    OutcomeLost                  an outcome was neither delivered nor kept
  InheritedConnections           the http client handed in belongs to another process or event loop
  NotConfigured                  no client was given, and the environment does not say enough to make one
  MissingExtra                   a part of the product that is not installed (also an ImportError)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from assent.contract.problems import Code, FieldError
from assent.extras import to_install

if TYPE_CHECKING:
    from assent.contract.control.actions import Action
    from assent.contract.control.guard import GuardResult
    from assent.contract.control.questions import ApprovalQuestion
    from assent.contract.people.pairings import PairingStatus


class AssentError(Exception):
    """Base of everything the SDK raises on purpose. Survives `copy` and `pickle` with all its members, whatever its
    constructor takes: it is put together anew from what it holds."""

    def __reduce__(self) -> tuple[Any, ...]:
        # What stands behind the arguments is what the bases keep of it (ImportError its name and path), and __dict__.
        return (_put_together, (type(self), self.args), *super().__reduce__()[2:])


def _put_together(shape: type[AssentError], arguments: tuple[object, ...]) -> AssentError:
    """An error with these arguments; its members are set afterwards."""
    error = shape.__new__(shape, *arguments)
    # That of the base behind AssentError (TimeoutError, ImportError, else Exception), which all take it like this.
    super(AssentError, error).__init__(*arguments)
    return error


class ApiError(AssentError):
    """The service refused. `code` is stable and is what to branch on; a `Code` unless the service is newer.

    `errors` names each wrong member and its place, `problem` is the whole body (empty when it was no problem
    document), `retry_after` is in seconds. `advice` is what docs/reference/errors.md says to do about the
    code; about a code that is not known here, what the class says.
    """

    advice: str = "read the detail, correct the call and try again"

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
        self._problem = dict(problem or {})
        self.retry_after = retry_after
        # What the contract says to do about a code, as the end of a sentence.
        self.advice = code.remedy.removesuffix(".") if isinstance(code, Code) else type(self).advice
        lines = [f"{status} {code}: {detail}", *(f"  - {error.place}: {error.message}" for error in self.errors)]
        super().__init__("\n".join([*lines, f"What to do: {self.advice}."]))

    @property
    def problem(self) -> Mapping[str, Any]:
        """The whole body, to read."""
        return MappingProxyType(self._problem)


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


class TooManyRequests(ApiError):
    advice = "wait before the next try, and look why there are so many"


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
            "Do not run it, and do not try it again in other words: tell the user what was not allowed. An operator "
            "can change the policy."
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
            "Do not run it, and do not try it again in other words: tell the user what was denied and why.",
        )


class ApprovalExpiredError(ApprovalError):
    """The approval itself ran out; nobody can decide on it any more."""

    def __init__(self, action: Action) -> None:
        self.action = action
        super().__init__(
            action.action_id,
            f"approval of {action.action_id} ({action.action_type}) expired before anybody decided. "
            "Do not run it: ask the user whether it is still wanted before you try it again.",
        )


class ApprovalWithdrawnError(ApprovalError):
    """The question was taken back: nobody can decide on it any more. `reason` says why, None where nobody did."""

    def __init__(self, action: Action, reason: str | None = None) -> None:
        self.action = action
        self.reason = reason
        super().__init__(
            action.action_id,
            f"approval of {action.action_id} ({action.action_type}) was withdrawn before anybody decided: "
            f"{reason or 'no reason given'}. Do not run it: ask the user whether it is still wanted before you try it "
            "again.",
        )


class ApprovalTimeoutError(ApprovalError, TimeoutError):
    """Nobody decided within `timeout` seconds. The action still waits and can still be approved, unless its request was
    `withdrawn`, as that of a governed call is."""

    def __init__(self, action_id: str, timeout: float, *, withdrawn: bool = False) -> None:
        self.timeout, self.withdrawn = timeout, withdrawn
        late = f"nobody decided on {action_id} within {timeout:g} s."
        then = (
            "It was taken back; call again to ask again, or tell the user."
            if withdrawn
            else "It still waits: wait for it again, or tell the user under which id it waits. An operator decides, as "
            f"with `assent approve {action_id}`."
        )
        super().__init__(action_id, f"{late} {then}")


class ApprovalQuestionError(ApprovalError):
    """An operator asks something before deciding, or offers changed conditions: `question` says what. The action still
    waits, and nothing is decided. Raised only where the caller asked for questions."""

    def __init__(self, question: ApprovalQuestion) -> None:
        self.question = question
        offered = f" They would allow it under these conditions: {'; '.join(question.conditions)}." * bool(
            question.conditions
        )
        super().__init__(
            question.action_id,
            f"{question.asked_by} asks about {question.action_id} ({question.action_type}): {question.text}{offered} "
            f"Nothing is decided. Answer with answer_question({question.question_id!r}, ...) and wait again, or create "
            "a changed action that replaces it.",
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


class ArgumentsChanged(AssentError):
    """The arguments of a governed call are others than those that were asked about; it did not run."""

    def __init__(self, action_id: str) -> None:
        self.action_id = action_id
        super().__init__(
            f"the arguments were changed after {action_id} was asked about, so it did not run. Do not change what a "
            "governed call was given before it is over; call it again with what is wanted now."
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
    """No answer came. `url` is what was called; `uncertain` says that the service may have carried the call out,
    `late` that it took longer than it was waited for, and `passing` that trying again may help."""

    advice: ClassVar[str] = (
        "Check that the service runs (`assent start`), that ASSENT_BASE_URL is right, and that no proxy or firewall is "
        "in between."
    )
    passing = True

    def __init__(self, *, url: str, reason: str, uncertain: bool = False, late: bool = False) -> None:
        self.url = url
        self.reason = reason
        self.uncertain = uncertain
        self.late = late
        doubt = " The call may have been carried out: read the state before repeating it." if uncertain else ""
        super().__init__(f"no answer from {url} ({reason}).{doubt} {self.advice}")


class UnboundAnswer(ConnectionFailed):
    """An answer came that does not carry the id of its request, or is about something else than was asked, and was
    thrown away: it may be the answer to another one. `answered` is the id that it carried, None for none."""

    advice = (
        "Whatever is between here and the service has to hand the header x-request-id on, both ways and unchanged. For "
        "a service that does not answer with it, or where it cannot be had: Client(accept_unbound_answers=True), or "
        "ASSENT_ACCEPT_UNBOUND_ANSWERS=1; an answer that carries another id is refused even then."
    )

    def __init__(self, *, url: str, answered: str | None, uncertain: bool = False, reason: str | None = None) -> None:
        self.answered = answered
        self.passing = answered is not None
        reason = reason or (
            "what came carries no x-request-id, so nobody can tell whose answer it is"
            if answered is None
            else f"what came is the answer to another request: it carries the x-request-id {answered[:128]!r}"
        )
        super().__init__(url=url, reason=reason, uncertain=uncertain)


class NoFreeConnection(ConnectionFailed):
    """Every connection that the client may have was in use for as long as the call could wait. `limit` is how many
    those are. The call was not sent."""

    advice = (
        "Raise max_connections (Client(max_connections=...); of an http client that is handed in, "
        "httpx.Limits(max_connections=...)), or make fewer calls at once. Each iteration over events() holds one."
    )
    passing = False

    def __init__(self, *, url: str, reason: str, limit: int | None) -> None:
        self.limit = limit
        super().__init__(url=url, reason=reason)


class InheritedConnections(AssentError):
    """The http client that was handed in has connections of another process, or of another event loop."""

    def __init__(self, *, kind: str, where: str) -> None:
        super().__init__(
            f"the {kind} that was handed in has connections of another {where}, which cannot be shared: answers would "
            f"get lost or mixed up. Make the {kind}, and the client around it, in the {where} that uses them, or leave "
            "http out: then every process and every event loop gets connections of its own."
        )


class OutcomeSpooled(ConnectionFailed):
    """The service could not be told what came of `action_id`: nobody answered, or something in between did. The outcome
    is on this machine's disk, in `folder`, and is delivered by the next call that succeeds, of this process or another
    one. Do not do the work again."""

    def __init__(self, *, action_id: str, url: str, reason: str, uncertain: bool, folder: str) -> None:
        super().__init__(url=url, reason=reason, uncertain=uncertain)
        self.action_id = action_id
        self.folder = folder
        self.args = (
            f"no answer from {url} ({reason}), so the outcome of {action_id} is not recorded yet. It is kept in "
            f"{folder} and is delivered by the next call that succeeds; `assent doctor` tells what waits. The work is "
            "done: do not do it again.",
        )


class OutcomeLost(ConnectionFailed):
    """The service could not be told what came of `action_id`, and nothing is kept of it: `why` says what is wrong with
    this machine's folder for that. `counted` says whether `assent doctor` will tell of it."""

    def __init__(
        self, *, action_id: str, url: str, reason: str, uncertain: bool, why: str, counted: bool = False
    ) -> None:
        super().__init__(url=url, reason=reason, uncertain=uncertain)
        self.action_id = action_id
        self.why = why
        self.counted = counted
        self.args = (
            f"no answer from {url} ({reason}), and the outcome of {action_id} could not be kept on this machine "
            f"either: {why}. Nobody will report it but you: report it again once the service answers. The work is "
            "done: do not do it again.",
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
        super().__init__(f"{what} needs the extra {extra!r}; run: {to_install(extra)}")


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
        429: TooManyRequests,
        431: InvalidRequest,
        503: Unavailable,
    }
)


def family(status: int) -> type[ApiError]:
    """The exception for an answer whose code is not known: a newer service, or something in between."""
    if status >= 500:
        return _BY_STATUS.get(status, ServerError)
    return _BY_STATUS.get(status, ServerError if 200 <= status < 300 else ApiError)


EXCEPTIONS: Mapping[Code, type[ApiError] | type[GuardBlockedError]] = MappingProxyType(
    {code: GuardBlockedError if code is Code.ACTION_BLOCKED else family(code.status) for code in Code}
)
"""What each code becomes."""
