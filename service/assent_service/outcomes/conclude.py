"""What a durable outcome is, and what it does to its action. Pure.

1. The first report stands: a second one is refused with what there is, as is a report on an action that has ended
   otherwise.
2. `failed` says why, `partial` says how far.
3. `completed` and `failed` end the action; a partial one leaves it running: there is more to do, or somebody has to say
   that there is not.
4. Where nothing was reported, the action's own status tells: completed, else failed once it is final, else pending.
"""

from __future__ import annotations

from assent.contract.actions import FINAL, Action, ActionStatus, UpdateOutcome
from assent.contract.outcomes import Outcome, OutcomeStatus, ReportOutcome
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import microseconds, moment
from assent_service.core.problem import Refusal, refuse


def check(said: ReportOutcome) -> None:
    """Raises `invalid_body` for a failure without its reason, and a partial outcome without its progress."""
    if said.status == OutcomeStatus.FAILED and not said.error_message:
        raise _missing("error_message", "failed", "say what went wrong")
    if said.status == OutcomeStatus.PARTIAL and not said.progress:
        raise _missing("progress", "partial", "say how far it came")


def concluded(action: Action, said: ReportOutcome, by: str, now: int) -> Outcome:
    """The outcome that is recorded. Raises `outcome_exists` for an action that has ended already, and
    `awaiting_approval` for one that may not even begin."""
    if action.status is ActionStatus.PENDING_APPROVAL:
        raise refuse(
            Code.AWAITING_APPROVAL,
            f"Action {action.action_id} waits for an operator; it has no outcome before it was allowed.",
        )
    if action.status in FINAL:
        raise exists(action.action_id, action.status.value)
    return Outcome(
        org_id=action.org_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        status=OutcomeStatus(said.status),
        outcome_at=moment(now),
        summary=said.summary,
        error_message=said.error_message,
        progress=said.progress,
        elapsed_ms=_elapsed(action, now),
        reported_by=by,
        created_at=moment(now),
    )


def as_update(said: ReportOutcome, now: int) -> UpdateOutcome | None:
    """The same as an ordinary report on the action; None where there is nothing to report on it."""
    if said.status != OutcomeStatus.PARTIAL:
        status = ActionStatus(said.status)
        return UpdateOutcome(
            status=status, timestamp_end=moment(now), output_summary=said.summary, error_message=said.error_message
        )
    if said.summary is None and said.error_message is None:
        return None
    return UpdateOutcome(output_summary=said.summary, error_message=said.error_message)


def derived(action: Action, now: int) -> Outcome:
    """What is known of the outcome of an action on which nothing durable was reported."""
    final = action.status in FINAL
    status = OutcomeStatus.PENDING
    if final:
        status = OutcomeStatus.COMPLETED if action.status is ActionStatus.COMPLETED else OutcomeStatus.FAILED
    ended = action.timestamp_end if final else None
    return Outcome(
        org_id=action.org_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        status=status,
        outcome_at=ended,
        summary=action.output_summary,
        error_message=action.error_message,
        progress=None,
        elapsed_ms=_elapsed(action, now if ended is None else microseconds(ended)),
        reported_by=None,
        created_at=action.created_at,
    )


def exists(action_id: str, status: str) -> Refusal:
    return refuse(
        Code.OUTCOME_EXISTS,
        f"Action {action_id} has its outcome already: {status}. The first one stands; read it before doing it again.",
        current_status=status,
    )


def _elapsed(action: Action, until: int) -> int:
    return max(0, (until - microseconds(action.timestamp_start)) // 1000)


def _missing(member: str, status: str, what: str) -> Refusal:
    return refuse(
        Code.INVALID_BODY,
        f"status {status} takes {member}; {what}.",
        FieldError(place=member, message=f"is required with status {status}"),
    )
