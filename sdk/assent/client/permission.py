"""Whether an answer lets this very action run: pure, and the same in the Node client (`answers.ts`), to which
`tests/vectors/answers.json` holds both.

An answer that carries the id of its request may still be nonsense, or the answer to another question that something in
between has kept. A call runs only by answers that speak of the action that was asked about, in all their parts, and
that say yes.

1. The created action is the one that was asked for: its type and agent (in whatever spelling), its id, session, key
   and digest of arguments, where these were said.
2. Guard's decision is about that action, and is the one under which it stands.
3. The action runs, or was asked to be made otherwise; guard let it through, or its approval is approved.
4. Whatever tells of the action later (a wait, a claim) tells of the same: each of `OF_ONE_ACTION` is as it was.
5. An approval is of its action: each of `OF_ITS_APPROVAL` is the action's. One that is approved was decided before it
   expired; one that is claimed was claimed while it was valid, for the act that was approved. Times of the service are
   compared with each other only, since the clock here may be another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.contract.control.actions import CREATE_ACTION, FINAL, GET_ACTION, Action, ActionStatus, CreatedAction
from assent.contract.control.approvals import Approval, ApprovalState, Verdict
from assent.contract.control.claims import CLAIM_ACTION, ClaimedAction
from assent.contract.control.guard import Decision, Source
from assent.errors import (
    ActionOverError,
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalWithdrawnError,
    GuardBlockedError,
    NotAwaitingApprovalError,
    UnboundAnswer,
)
from assent.secrets import displayed

OF_ONE_ACTION = (
    *("org_id", "action_id", "action_type", "agent_id", "session_id", "parameters_digest"),
    *("idempotency_key", "decision", "decision_id", "approval_id"),
)
"""What no change of an action changes."""
OF_ITS_APPROVAL = ("org_id", "action_id", "approval_id", "parameters_digest", "action_type", "agent_id")
"""What an approval has of its action."""
OF_ONE_APPROVAL = ("approval_id", "act_digest")
"""What no decision on an approval changes."""
_LEFT_ALONE = frozenset({ActionStatus.RUNNING, ActionStatus.PENDING})
_NAMES = frozenset({"action_type", "agent_id"})
_GOES_AHEAD = (Decision.ALLOW, Decision.WARN)


def settle(action: Action, approval: Approval | None) -> Action | None:
    """The action if it may run, None if it still waits. Raises what the wait ended with otherwise."""
    if approval is None:
        if action.status is ActionStatus.PENDING_APPROVAL:
            return None
        if action.status in _LEFT_ALONE:
            return action
        raise NotAwaitingApprovalError(action)
    match approval.state:
        case ApprovalState.APPROVED:
            return action
        case ApprovalState.DENIED:
            reasoning = approval.reasoning or action.error_message
            raise ApprovalDeniedError(decision=Verdict.DENY, reasoning=reasoning, action=action)
        case ApprovalState.EXPIRED:
            raise ApprovalExpiredError(action)
        case ApprovalState.WITHDRAWN:
            raise ApprovalWithdrawnError(action, approval.reasoning)
        case ApprovalState.AWAITING:
            return None


def check_open(created: CreatedAction) -> None:
    """Raises what the approval ended with, or ActionOverError, where a creation was repeated whose action is over."""
    if created.idempotent_replay and created.action.status in FINAL:
        if created.approval is not None:
            settle(created.action, created.approval)
        raise ActionOverError(created.action)


def check_answer(created: CreatedAction, asked: Mapping[str, Any], base_url: str) -> None:
    """Raises UnboundAnswer where a creation was answered with something that was not asked, or that lets nothing run:
    whatever stands between answers so, and a service that this client does not know. History is recorded whatever guard
    says, and nobody is asked about it: raises GuardBlockedError and NotAwaitingApprovalError where guard did not let it
    through."""
    action, decision = created.action, created.decision
    if action.status is ActionStatus.BLOCKED and decision.decision is Decision.BLOCK:
        raise GuardBlockedError(decision, action.action_id)
    waits = action.status is ActionStatus.PENDING_APPROVAL
    wrong = of_another(created, asked)
    if wrong is None and action.source is not Source.LIVE and action.source == asked.get("source"):
        wrong = _at_odds(created)
        if wrong is None and decision.decision is Decision.BLOCK:
            raise GuardBlockedError(decision, action.action_id)
        if wrong is None and decision.decision is Decision.REQUIRE_APPROVAL:
            raise NotAwaitingApprovalError(action)
    if wrong is None and not waits and action.status not in (ActionStatus.RUNNING, asked.get("status")):
        wrong = f"its action is {action.status}, which does not run"
    elif wrong is None and not waits and created.approval is None and decision.decision not in _GOES_AHEAD:
        wrong = f"its action is {action.status}, and guard said {decision.decision}"
    wrong = wrong or _at_odds(created)
    if wrong is not None:
        raise _something_else(f"{base_url}{CREATE_ACTION.path}", wrong)


def of_another(created: CreatedAction, asked: Mapping[str, Any]) -> str | None:
    """How the action that was created shows that another one was asked for."""
    action, decision = created.action, created.decision
    if not action.action_id or created.action_id != action.action_id:
        return f"it names the actions {created.action_id[:80]!r} and {action.action_id[:80]!r}"
    if not any(_is_named(asked["action_type"], each) for each in (action.action_type, decision.action_type_as_sent)):
        return f"it is about {action.action_type[:80]!r}, and asked was about {asked['action_type'][:80]!r}"
    if asked["agent_id"] is not None and not _is_named(asked["agent_id"], action.agent_id):
        return f"it is about agent {action.agent_id!r}, and asked was for {asked['agent_id']!r}"
    if asked.get("parameters_digest") not in (None, action.parameters_digest):
        return "it is about other arguments"
    for name in ("action_id", "session_id", "idempotency_key"):
        said, answered = asked.get(name), getattr(action, name)
        if said is not None and answered not in (said, displayed(str(said))):
            return f"its {name} is {str(answered)[:80]!r}, and asked was for {displayed(str(said))[:80]!r}"
    return None


def _at_odds(created: CreatedAction) -> str | None:
    """Which of the answer's parts is about something else than its action."""
    action, decision, approval = created.action, created.decision, created.approval
    if action.decision != decision.decision or action.decision_id != decision.decision_id:
        return f"its action stands under {action.decision} ({action.decision_id}), and guard said {decision.decision}"
    if decision.action_id not in (decision.decision_id, action.action_id):
        return f"its decision is about {decision.action_id[:80]!r}"
    if not (_are_one(action.agent_id, decision.agent_id) and _are_one(action.action_type, decision.action_type)):
        return f"its decision is about {decision.action_type[:80]!r} of agent {decision.agent_id!r}"
    if approval is None:
        return None
    runs = action.status is ActionStatus.RUNNING
    return _of_another_action(approval, action) or (_is_no_yes(approval) if runs else None)


def check_waited(action: Action, approval: Approval | None, action_id: str, created: CreatedAction | None) -> None:
    """Raises UnboundAnswer where what a wait ended with is not about the action that was waited for, or is no yes. One
    that was `created` here waited for its approval, and for no other."""
    wrong = None if action.action_id == action_id else f"it is about {action.action_id[:80]!r}"
    if wrong is None and approval is not None:
        wrong = _of_another_action(approval, action) or _is_no_yes(approval)
    if wrong is None and created is not None:
        wrong = "it has no approval" if approval is None else _of_another_approval(approval, created.approval)
    if wrong is not None:
        raise _something_else(GET_ACTION.path, wrong)


def check_same(action: Action, created: CreatedAction, base_url: str) -> None:
    """Raises UnboundAnswer where an action that may run, as a wait or a claim gave it, is not the one created."""
    asked = created.action
    differing = [name for name in OF_ONE_ACTION if getattr(action, name) != getattr(asked, name)]
    if action.status is not ActionStatus.RUNNING:
        differing.append("status")
    if differing:
        raise _something_else(f"{base_url}{CREATE_ACTION.path}", f"{', '.join(differing)} of {asked.action_id} differ")


def check_claim(claimed: ClaimedAction, action_id: str, created: CreatedAction | None) -> None:
    """Raises UnboundAnswer where a claim's answer is not about this action, or about another approval or act than the
    one that was asked for."""
    approval, asked = claimed.approval, None if created is None else created.approval
    wrong = None if claimed.action.action_id == action_id else f"it is about {claimed.action.action_id[:80]!r}"
    wrong = wrong or _of_another_action(approval, claimed.action) or _is_no_yes(approval)
    if wrong is None and approval.act_digest not in (None, claimed.act_digest):
        wrong = "another act was approved"
    wrong = wrong or _of_another_approval(approval, asked)
    if wrong is None and not _was_claimed_in_time(approval):
        wrong = f"it was claimed at {approval.claimed_at}, and was valid until {approval.valid_until}"
    if wrong is not None:
        reason = f"what came is no claim of {action_id}: {wrong}"
        raise UnboundAnswer(url=CLAIM_ACTION.path, answered=None, uncertain=True, reason=reason)
    if created is not None:
        check_same(claimed.action, created, "")


def _of_another_action(approval: Approval, action: Action) -> str | None:
    for name in OF_ITS_APPROVAL:
        has, wants = getattr(approval, name), getattr(action, name)
        if not (_are_one(wants, has) if name in _NAMES else has == wants):
            return f"its approval's {name} is {str(has)[:80]!r}, and that of its action {str(wants)[:80]!r}"
    return None


def _of_another_approval(approval: Approval, asked: Approval | None) -> str | None:
    for name in OF_ONE_APPROVAL if asked is not None else ():
        if getattr(approval, name) != getattr(asked, name):
            return f"its approval's {name} is {str(getattr(approval, name))[:80]!r}, and was {getattr(asked, name)!r}"
    return None


def _is_no_yes(approval: Approval) -> str | None:
    if approval.state is not ApprovalState.APPROVED:
        return f"its approval is {approval.state}"
    if approval.decided_at is None or approval.decided_at >= approval.expires_at:
        return f"its approval was decided at {approval.decided_at}, and expired at {approval.expires_at}"
    return None


def _was_claimed_in_time(approval: Approval) -> bool:
    claimed, until = approval.claimed_at, approval.valid_until
    return claimed is not None and (until is None or claimed < until)


def _something_else(url: str, wrong: str) -> UnboundAnswer:
    reason = f"what came answers something else: {wrong}"
    return UnboundAnswer(url=url, answered=None, uncertain=True, reason=reason)


def _are_one(name: str | None, other: str | None) -> bool:
    return other is None if name is None else _is_named(name, other)


def _is_named(asked: str, answered: object) -> bool:
    """Whether a name is the one that was asked about, or what is left of it without its secrets."""
    if not isinstance(answered, str) or asked.strip().casefold() == answered.strip().casefold():
        return isinstance(answered, str)
    from assent.contract.names import same_name

    return same_name(asked, answered) or same_name(displayed(asked), answered)
