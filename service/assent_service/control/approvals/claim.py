"""How an approval is used. Pure.

An approval is a receipt for one act: the action's type, goal, systems and parameters, fixed when it was asked for. It
is used once, and nobody has to use it: an agent that waits goes on by itself. A claim is refused, in this order:

0. while the organization is halted, repeated claims too (`halted`);
1. when there is nothing to use: no approval, or one that waits, was denied, has expired or was withdrawn
   (`not_approved`);
2. when it was used already (`receipt_used`), unless the same key repeats its claim, which gets the first answer again;
3. when the action has moved on and does not run any more (`not_approved`);
4. when the operator's time limit has passed (`receipt_expired`), which is the end of the grant where one gave the
   approval, or when that grant was revoked (`grant_revoked`);
5. when what is claimed is not what was approved: any one of the four members that differs is enough, the order of
   systems included, and each one that differs is named (`receipt_mismatch`). This is counted and kept as evidence; the
   receipt stays good for what was approved.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from assent.contract.control.actions import Action, ActionStatus
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.claims import ClaimAction
from assent.contract.problems import Code, FieldError
from assent.proof.act import ACT, act, act_digest
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import digest_of_parameters
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal


class Act(msgspec.Struct, frozen=True):
    """What was approved, or what is claimed; `digest` is of the four `members`."""

    members: dict[str, object]
    digest: str


def approved_act(action: Action, approval: Approval) -> Act:
    """What was approved. Approvals that are older than receipts did not fix it, so it is what their action says: these
    four members of an action never change."""
    said = approval if approval.act_digest is not None else action
    members = act(said.action_type, said.declared_goal, said.systems_touched, said.parameters_digest)
    return Act(members, approval.act_digest or _digest(said))


def claimed_act(claim: ClaimAction) -> Act:
    """What is claimed. Raises `invalid_body` for what has no canonical form, and for a digest of other parameters."""
    digest = digest_of_parameters(claim)
    members = act(claim.action_type, claim.declared_goal, claim.systems_touched, digest)
    return Act(members, digest_of(members))


def check_running(reason: str | None) -> None:
    """Raises `halted` while the kill switch has a `reason`."""
    if reason is not None:
        raise refuse(Code.HALTED, f"Halted: {reason}. No approval is used until the halt is lifted.")


def check_usable(action: Action, approval: Approval | None, now: int) -> Approval:
    """The approval, if an operator has given it. Raises `not_approved`."""
    if approval is None:
        raise _not_approved(
            f"Action {action.action_id} is {action.status} and asked for no approval; there is nothing to claim."
        )
    match approval.state:
        case ApprovalState.APPROVED:
            return approval
        case ApprovalState.DENIED:
            why = f"was denied by {approval.decided_by} at {_at(approval.decided_at)}"
        case ApprovalState.WITHDRAWN:
            why = f"was withdrawn at {_at(approval.decided_at)} before anybody decided"
        case ApprovalState.AWAITING if moment(now) < approval.expires_at:
            why = f"still waits for an operator, until {_at(approval.expires_at)}; wait for the approval, then claim it"
        case _:
            why = f"expired at {_at(approval.expires_at)} before anybody decided"
    raise _not_approved(f"The approval of action {action.action_id} {why}.", approval)


def repeats(approval: Approval, approved: Act, claimed: Act, by: Principal, idempotency_key: str | None) -> bool:
    """Whether a claim is the one that used the approval, sent again by the same key. Raises `idempotency_mismatch` when
    it claims something else under the same idempotency key."""
    if idempotency_key is None:
        return False
    if (approval.claimed_by, approval.claim_idempotency_key) != (by.key_id, idempotency_key):
        return False
    if claimed.digest != approved.digest:
        raise refuse(
            Code.IDEMPOTENCY_MISMATCH,
            f"This idempotency key claimed action {approval.action_id} with another body; that claim stands.",
        )
    return True


def check_claim(action: Action, approval: Approval, now: int) -> None:
    """Raises `receipt_used`, `not_approved` and `receipt_expired` for an approval that was given."""
    if approval.claimed_at is not None:
        raise refuse(
            Code.RECEIPT_USED,
            f"The approval of action {action.action_id} was used at {_at(approval.claimed_at)} by key "
            f"{approval.claimed_by}; it counts once. Create the action again, and have it approved.",
            approval=approval,
        )
    if action.status is not ActionStatus.RUNNING:
        raise _not_approved(
            f"Action {action.action_id} was approved but is {action.status} now; only a running one can be claimed.",
            approval,
        )
    if approval.valid_until is not None and moment(now) >= approval.valid_until:
        raise refuse(
            Code.RECEIPT_EXPIRED,
            f"The approval of action {action.action_id} was good until {_at(approval.valid_until)}; create the action "
            "again, and have it approved.",
            approval=approval,
        )


def differing(approved: Act, claimed: Act) -> list[str]:
    """The members of the act that are not the same, in their order."""
    return [name for name in ACT if approved.members[name] != claimed.members[name]]


def used(approval: Approval, by: Principal, now: int, idempotency_key: str | None) -> Approval:
    return msgspec.structs.replace(
        approval, claimed_at=moment(now), claimed_by=by.key_id, claim_idempotency_key=idempotency_key
    )


def refused(approval: Approval) -> Approval:
    return msgspec.structs.replace(approval, refused_claims=approval.refused_claims + 1)


def refusal_of(claimed: Act, names: list[str], by: Principal, now: int) -> dict[str, Any]:
    """What the event of a refused claim keeps beside the approval."""
    return {"at": moment(now), "by": by.key_id, "act_digest": claimed.digest, "differing": names}


def mismatch(approval: Approval, approved: Act, claimed: Act, names: list[str]) -> Refusal:
    """Names each member that differs, what was approved and what came."""
    return refuse(
        Code.RECEIPT_MISMATCH,
        f"What is claimed is not what was approved for action {approval.action_id}: {', '.join(names)} "
        f"{'differs' if len(names) == 1 else 'differ'}. Do exactly what was approved, or create the action as it is "
        "now and have that approved.",
        *(
            FieldError(
                place=name,
                message=f"approved was {_json(approved.members[name])}, claimed is {_json(claimed.members[name])}",
            )
            for name in names
        ),
        approval=approval,
    )


def _not_approved(detail: str, approval: Approval | None = None) -> Refusal:
    extras: dict[str, Any] = {} if approval is None else {"approval": approval}
    return refuse(Code.NOT_APPROVED, detail, **extras)


def _digest(said: Action | Approval) -> str:
    return act_digest(said.action_type, said.declared_goal, said.systems_touched, said.parameters_digest)


def _at(at: datetime | None) -> str:
    return "an unknown time" if at is None else at.isoformat()


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
