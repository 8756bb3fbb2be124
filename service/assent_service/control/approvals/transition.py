"""How an approval moves. Pure.

    awaiting -> approved | denied    by one operator, before it expires
    awaiting -> expired              by time alone
    awaiting -> withdrawn            by whoever asked, or an operator, before it expires
    (nothing) -> approved            by a standing grant, which its maker gave in advance

Nothing leaves approved, denied, expired or withdrawn. A decision that comes again with the idempotency key of the first
gets the first answer; any other gets to know who decided. What is asked for, and so approved, is fixed by its digest
when it is asked for. A withdrawal that comes again finds what it wanted, whoever was first.

Who decides is told apart from who asked by their keys: a key bound to the action's agent never decides on it, whatever
its role. The key that opened the action may, unless the service refuses it (`self_decisions`); the decision is then
marked `self_decided`. Conditions and a time limit go with an approval only. How an approval is used is in `claim`.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, ApprovalState, ApproveAction, Verdict
from assent.contract.control.grants import Grant
from assent.contract.names import same_name
from assent.contract.problems import Code, FieldError
from assent.proof.act import act_digest
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.principal import Principal

DENIED_WITHOUT_WORDS = "Denied by a human operator."


def request(
    action: Action, *, approval_id: str, reasons: tuple[str, ...], matched: tuple[str, ...], expires_at: datetime
) -> Approval:
    """An approval that an action asks for."""
    return Approval(
        org_id=action.org_id,
        approval_id=approval_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        action_type=action.action_type,
        declared_goal=action.declared_goal,
        risk_score=action.risk_score,
        reasons=list(reasons),
        matched_policies=list(matched),
        state=ApprovalState.AWAITING,
        requested_at=action.created_at,
        expires_at=expires_at,
        decided_at=None,
        decided_by=None,
        decided_by_key=None,
        reasoning=None,
        idempotency_key=None,
        created_at=action.created_at,
        systems_touched=list(action.systems_touched),
        parameters_digest=action.parameters_digest,
        act_digest=act_digest(
            action.action_type, action.declared_goal, action.systems_touched, action.parameters_digest
        ),
    )


def granted(approval: Approval, grant: Grant, asker: Principal, now: int) -> Approval:
    """The approval that a standing grant gives at once: its maker decided in advance."""
    return msgspec.structs.replace(
        approval,
        state=ApprovalState.APPROVED,
        decided_at=moment(now),
        decided_by=grant.created_by_name,
        decided_by_key=grant.created_by,
        reasoning=grant.reason,
        valid_until=grant.expires_at,
        self_decided=asker.key_id == grant.created_by,
        grant_id=grant.grant_id,
    )


def decide(
    approval: Approval,
    said: ApproveAction,
    operator: Principal,
    now: int,
    idempotency_key: str | None,
    *,
    self_decided: bool = False,
) -> Approval:
    """The approval after an operator's decision. Raises `invalid_body`, `already_decided`, `approval_withdrawn` and
    `approval_expired`."""
    _check_denial(said)
    _check_not_withdrawn(approval)
    _check_open(approval, now)
    valid = None if said.valid_minutes is None else moment(now) + timedelta(minutes=said.valid_minutes)
    return msgspec.structs.replace(
        approval,
        state=ApprovalState.APPROVED if said.decision is Verdict.ALLOW else ApprovalState.DENIED,
        decided_at=moment(now),
        decided_by=operator.name,
        decided_by_key=operator.key_id,
        reasoning=said.reasoning,
        idempotency_key=idempotency_key,
        conditions=list(said.conditions or ()),
        valid_until=valid,
        self_decided=self_decided,
    )


def check_not_halted(reason: str | None) -> None:
    """Who waits runs once it is allowed. Raises `halted` while the kill switch has a `reason`."""
    if reason is not None:
        raise refuse(
            Code.HALTED,
            f"Halted: {reason}. Nothing is allowed until the halt is lifted. The request waits on; deny it, or decide "
            "then.",
        )


def withdraw(approval: Approval, reason: str | None, by: Principal, now: int) -> Approval:
    """The approval once whoever asked took the question back. Raises `already_decided` and `approval_expired`."""
    _check_open(approval, now)
    return msgspec.structs.replace(
        approval,
        state=ApprovalState.WITHDRAWN,
        decided_at=moment(now),
        decided_by=by.name,
        decided_by_key=by.key_id,
        reasoning=reason,
    )


def replaced(approval: Approval, action_id: str, by: Principal, now: int) -> Approval:
    """The approval once another action took the place of its own. Raises as `withdraw` does."""
    return withdraw(approval, f"Replaced by {action_id}.", by, now)


def check_decider(action: Action, operator: Principal, *, refuses_own: bool) -> bool:
    """Whether the operator's key is the one that opened the action. Raises `self_approval`."""
    if operator.agent_id is not None and same_name(operator.agent_id, action.agent_id):
        raise refuse(
            Code.SELF_APPROVAL,
            f"This key is bound to agent {operator.agent_id!r}, and never decides on that agent's own actions. An "
            "operator decides with another key; withdraw_action takes the question back.",
        )
    own = operator.key_id == action.created_by
    if own and refuses_own:
        raise refuse(
            Code.SELF_APPROVAL,
            f"This key opened action {action.action_id} itself, and this service refuses that it decides on it "
            "(self_decisions). An operator decides with another key; withdraw_action takes the question back.",
        )
    return own


def expire(approval: Approval, now: int) -> Approval:
    return msgspec.structs.replace(approval, state=ApprovalState.EXPIRED, decided_at=moment(now))


def repeats(approval: Approval, said: ApproveAction, idempotency_key: str | None) -> bool:
    """Whether a decision is the first one sent again."""
    verdict = ApprovalState.APPROVED if said.decision is Verdict.ALLOW else ApprovalState.DENIED
    return idempotency_key is not None and (approval.idempotency_key, approval.state) == (idempotency_key, verdict)


def _check_denial(said: ApproveAction) -> None:
    given = [name for name in ("conditions", "valid_minutes") if getattr(said, name)]
    if said.decision is Verdict.DENY and given:
        raise refuse(
            Code.INVALID_BODY,
            f"A denial has no {' and no '.join(given)}; put what the agent should know into reasoning.",
            *(FieldError(place=name, message="goes with an approval only") for name in given),
        )


def check_waiting(action: Action, approval: Approval | None, now: int) -> Approval:
    """The approval that the action waits for. Raises `not_awaiting_approval`, `already_decided`, `approval_withdrawn`
    and `approval_expired`."""
    if approval is None:
        raise never_asked(action)
    _check_not_withdrawn(approval)
    _check_open(approval, now)
    return approval


def never_asked(action: Action) -> Refusal:
    return refuse(
        Code.NOT_AWAITING_APPROVAL,
        f"Action is not pending approval: {action.action_id} is {action.status} and never asked for one.",
    )


def _check_not_withdrawn(approval: Approval) -> None:
    """Raises `approval_withdrawn`."""
    if approval.state is ApprovalState.WITHDRAWN:
        raise _withdrawn(approval)


def _check_open(approval: Approval, now: int) -> None:
    """Raises `already_decided` and `approval_expired`."""
    if approval.state in {ApprovalState.APPROVED, ApprovalState.DENIED}:
        raise already_decided(approval)
    if approval.state is ApprovalState.EXPIRED or moment(now) >= approval.expires_at:
        raise refuse(
            Code.APPROVAL_EXPIRED,
            f"The approval of action {approval.action_id} expired at {approval.expires_at.isoformat()}; "
            "the agent has to ask again.",
            approval=approval,
        )


def _withdrawn(approval: Approval) -> Refusal:
    at = approval.decided_at.isoformat() if approval.decided_at else "an unknown time"
    why = f": {approval.reasoning}" if approval.reasoning else ""
    return refuse(
        Code.APPROVAL_WITHDRAWN,
        f"{approval.decided_by} withdrew action {approval.action_id} at {at}{why}. Nothing is left to decide.",
        approval=approval,
    )


def already_decided(approval: Approval) -> Refusal:
    at = approval.decided_at.isoformat() if approval.decided_at else "an unknown time"
    return refuse(
        Code.ALREADY_DECIDED,
        f"{approval.decided_by} has {approval.state} action {approval.action_id} at {at}; that decision stands.",
        approval=approval,
    )
