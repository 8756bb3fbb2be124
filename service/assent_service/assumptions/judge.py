"""What an assumption is when it is recorded, and what becomes of it when somebody looks. Pure.

1. An assumption is open, validated or invalidated; it cannot be validated and invalidated at once.
2. An invalidated assumption says why. A reason beside a belief that holds means nothing and is dropped.
3. It belongs to its action: agent and type are the action's, whatever the request says.
4. `validated_at` is when it was judged: for history recorded with its judgement, when it was believed.
5. Judging it again with the same words changes nothing; with others, it is judged anew.
"""

from __future__ import annotations

import msgspec

from assent.contract.actions import Action
from assent.contract.assumptions import Assumption, RecordAssumption, ValidateAssumption
from assent.contract.guard import Source
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import microseconds, moment
from assent_service.core.problem import Refusal, refuse


def recorded(action: Action, said: RecordAssumption, assumption_id: str, now: int) -> Assumption:
    """The assumption as it is first recorded.

    Raises `invalid_body` for a judgement that contradicts itself or lacks its reason, and for a belief from the future.
    """
    if said.occurred_at is not None and microseconds(said.occurred_at) > now:
        raise _invalid("occurred_at", f"lies in the future: {said.occurred_at.isoformat()}")
    if said.validated and said.invalidated:
        raise _invalid("invalidated", "cannot be true while validated is true; an assumption held or it did not")
    invalidated = said.invalidated is True
    if invalidated and not said.invalidated_reason:
        raise _reason_missing()
    at = moment(now)
    occurred_at = at if said.occurred_at is None else said.occurred_at
    return Assumption(
        org_id=action.org_id,
        assumption_id=assumption_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        action_type=action.action_type,
        assumption=said.assumption,
        basis=said.basis,
        validated=said.validated is True,
        invalidated=invalidated,
        invalidated_reason=said.invalidated_reason if invalidated else None,
        validated_at=occurred_at if said.validated or invalidated else None,
        source=said.source or Source.LIVE,
        occurred_at=occurred_at,
        created_at=at,
        updated_at=at,
    )


def check_reason(said: ValidateAssumption) -> None:
    """Raises `invalid_body` for an invalidation that does not say why."""
    if not said.validated and not said.invalidated_reason:
        raise _reason_missing()


def judged(assumption: Assumption, said: ValidateAssumption, now: int) -> Assumption:
    """The assumption after somebody looked; the same object when that says nothing new."""
    reason = None if said.validated else said.invalidated_reason
    before = (assumption.validated, assumption.invalidated, assumption.invalidated_reason)
    if before == (said.validated, not said.validated, reason):
        return assumption
    return msgspec.structs.replace(
        assumption,
        validated=said.validated,
        invalidated=not said.validated,
        invalidated_reason=reason,
        validated_at=moment(now),
        updated_at=moment(now),
    )


def _reason_missing() -> Refusal:
    return _invalid("invalidated_reason", "is required when an assumption turned out wrong; say in a sentence why")


def _invalid(place: str, message: str) -> Refusal:
    return refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))
