"""What the tools answer with: the contract's records, and before them whether the model may act and what it does next.

Pure. `may_act` is true only where nothing stands between the model and the action any more; everything that is not
plainly a yes is a no.

A tool that has no answer says what is wrong, and that the model must not act: a service that is down, slow or broken
never lets an action through, and the texts say so in words that cannot be taken for a yes. Keys are taken out of every
text, also where something in between has sent one back.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import StrEnum

from assent.contract.control.actions import ActionDetail, ActionStatus, CreatedAction, standing
from assent.contract.control.approvals import Approval
from assent.contract.control.claims import ClaimedAction
from assent.contract.control.guard import Decision, GuardResult
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.problems import FieldError
from assent.contract.record import Record
from assent.errors import (
    ApprovalDeniedError,
    ApprovalError,
    ApprovalExpiredError,
    ApprovalQuestionError,
    ApprovalTimeoutError,
    ApprovalWithdrawnError,
    AssentError,
    GuardBlockedError,
)

MAY_RUN = frozenset({ActionStatus.RUNNING, ActionStatus.PENDING})
STOP = "Do not carry it out, and do not look for a way around it"


class Guarded(Record, frozen=True, kw_only=True):
    """Guard's verdict. `may_act` false: not now, or not at all; `what_to_do` says which."""

    may_act: bool
    what_to_do: str
    verdict: GuardResult


class Opened(Record, frozen=True, kw_only=True):
    """An action as it was recorded. With `status` blocked it is the evidence of an attempt; `action_id` is then null
    where none was recorded. `approval` is there where a person has to decide."""

    may_act: bool
    what_to_do: str
    action_id: str | None
    status: ActionStatus
    verdict: GuardResult
    approval: Approval | None
    idempotent_replay: bool


class WaitEnd(StrEnum):
    """How a wait ended. `question`: an operator asks something before deciding, and the action still waits. `over`: the
    action has ended already, its approval was used, or it is another agent's."""

    APPROVED = "approved"
    NOT_NEEDED = "not_needed"
    STILL_WAITING = "still_waiting"
    QUESTION = "question"
    DENIED = "denied"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    OVER = "over"


class Waited(Record, frozen=True, kw_only=True):
    """What came of waiting. `approval` is the approval as it stands, null where there is none or it was not read.
    `question` is what an operator asks, null unless that ended the wait."""

    may_act: bool
    what_to_do: str
    action_id: str
    ended: WaitEnd
    approval: Approval | None
    question: ApprovalQuestion | None = None


class Claimed(Record, frozen=True, kw_only=True):
    """A used approval."""

    may_act: bool
    what_to_do: str
    claim: ClaimedAction


def guarded(verdict: GuardResult) -> Guarded:
    match verdict.decision:
        case Decision.ALLOW | Decision.WARN:
            warned = "Take the warnings into account. " if verdict.decision is Decision.WARN else ""
            what = f"{warned}Call create_action with decision_id {verdict.decision_id}; carry it out if that says so."
            return Guarded(may_act=True, what_to_do=what, verdict=verdict)
        case Decision.REQUIRE_APPROVAL:
            what = (
                f"Do not carry it out yet: a person has to approve. Call create_action with decision_id "
                f"{verdict.decision_id}, then wait_for_approval."
            )
        case Decision.BLOCK:
            what = f"Blocked. {STOP}. Tell the user why: {_reasons(verdict)}."
    return Guarded(may_act=False, what_to_do=what, verdict=verdict)


def opened(created: CreatedAction, replay: str) -> Opened:
    """`replay` is where a person sees the action."""
    action, action_id = created.action, created.action_id
    may_act = action.status in MAY_RUN and created.approval is None
    if action.status is ActionStatus.PENDING_APPROVAL:
        what = (
            f"Do not carry it out yet: a person has to approve. Tell the user, with this link: {replay}. "
            f"Then call wait_for_approval with action_id {action_id}."
        )
    elif created.approval is not None and action.status in MAY_RUN:
        # A repetition, or a standing grant: the approval may have been used, and may have conditions and a time limit.
        what = (
            f"Do not carry it out yet. Call wait_for_approval with action_id {action_id}: it says whether you may act."
        )
    elif may_act:
        what = f"Carry it out now, exactly as declared, then call update_outcome with action_id {action_id}."
        if created.idempotent_replay:
            what = f"This action was created before. Unless it has been done already: {what}"
        elif created.decision.decision is Decision.WARN:
            what = f"Take the warnings into account. {what}"
    else:
        what = f"This action was created before and is {standing(action)}: do not do it again."
    return Opened(
        may_act=may_act,
        what_to_do=what,
        action_id=action_id,
        status=action.status,
        verdict=created.decision,
        approval=created.approval,
        idempotent_replay=created.idempotent_replay,
    )


def refused(error: GuardBlockedError) -> Opened:
    return Opened(
        may_act=False,
        what_to_do=f"Blocked. {STOP}. Tell the user why: {_reasons(error.decision)}.",
        action_id=error.action_id,
        status=ActionStatus.BLOCKED,
        verdict=error.decision,
        approval=None,
        idempotent_replay=False,
    )


def allowed(detail: ActionDetail, agent_id: str | None) -> Waited:
    """After a wait that ended well: the action and its approval as they stand now. `agent_id` is who asks, None where
    nobody knows."""
    action, approval = detail.action, detail.approval
    over = _over(detail, agent_id)
    if over is not None:
        what = f"Do not carry it out: {over}. If the work is still to be done, call create_action for a new action."
        return Waited(may_act=False, what_to_do=what, action_id=action.action_id, ended=WaitEnd.OVER, approval=approval)
    act = f"carry it out exactly as declared, then call update_outcome with action_id {action.action_id}"
    if approval is None:
        return Waited(
            may_act=True,
            what_to_do=f"No approval is needed: {act}.",
            action_id=action.action_id,
            ended=WaitEnd.NOT_NEEDED,
            approval=None,
        )
    keep = f" Keep to the operator's conditions: {'; '.join(approval.conditions)}." if approval.conditions else ""
    if approval.valid_until is not None:
        until = approval.valid_until.isoformat()
        what = f"Approved until {until}. Call claim_action right before acting: it says whether that still holds.{keep}"
    else:
        what = f"Approved: {act}.{keep}"
    return Waited(
        may_act=approval.valid_until is None,
        what_to_do=what,
        action_id=action.action_id,
        ended=WaitEnd.APPROVED,
        approval=approval,
    )


def not_allowed(error: ApprovalError) -> Waited:
    """After a wait that ended without an approval."""
    match error:
        case ApprovalTimeoutError():
            ended = WaitEnd.STILL_WAITING
            what = (
                f"Nobody has decided within {error.timeout:g} s. Do not carry it out. Call wait_for_approval again, or "
                "tell the user that it waits and go on with something else."
            )
        case ApprovalQuestionError():
            return asked_back(error.question)
        case ApprovalDeniedError():
            ended, what = WaitEnd.DENIED, f"Denied by an operator: {error.reasoning or 'no reason given'}. {STOP}."
        case ApprovalExpiredError():
            ended = WaitEnd.EXPIRED
            what = (
                "The approval expired before anybody decided. Do not carry it out; create a new action if it is wanted."
            )
        case ApprovalWithdrawnError():
            ended = WaitEnd.WITHDRAWN
            what = (
                f"The request was withdrawn: {error.reason or 'no reason given'}. Do not carry it out; create a new "
                "action if it is wanted."
            )
        case _:
            ended, what = WaitEnd.OVER, f"Do not carry it out: {error}"
    return Waited(may_act=False, what_to_do=what, action_id=error.action_id, ended=ended, approval=None)


def asked_back(question: ApprovalQuestion) -> Waited:
    """An operator's question in words; it allows nothing."""
    offered = (
        f" They would allow it under these conditions: {'; '.join(question.conditions)}." if question.conditions else ""
    )
    action_id = question.action_id
    return Waited(
        may_act=False,
        what_to_do=(
            f"{question.asked_by} asks before deciding: {question.text}{offered} Nothing is decided: do not carry it "
            f"out. Call answer_question with question_id {question.question_id}, then wait_for_approval again. To "
            f"change what you are about to do, call create_action with the changed arguments and replaces {action_id} "
            "instead, and wait for that one."
        ),
        action_id=action_id,
        ended=WaitEnd.QUESTION,
        approval=None,
        question=question,
    )


def claimed(claim: ClaimedAction) -> Claimed:
    may_act = claim.action.status in MAY_RUN
    conditions = claim.approval.conditions
    keep = f" Keep to the operator's conditions: {'; '.join(conditions)}." if conditions else ""
    what = (
        f"The approval is yours, once: carry it out now, exactly as claimed, then call update_outcome.{keep}"
        if may_act
        else f"Do not carry it out: the action is {standing(claim.action)}."
    )
    return Claimed(may_act=may_act, what_to_do=what, claim=claim)


def _over(detail: ActionDetail, agent_id: str | None) -> str | None:
    """Why an approved action is nothing to act on any more, or was not for this agent; None where it is."""
    action, approval = detail.action, detail.approval
    if agent_id is not None and action.agent_id != agent_id:
        return f"it is the action of {action.agent_id or 'another agent'}, not yours"
    if action.status not in MAY_RUN:
        return f"it is {standing(action)}"
    if approval is not None and approval.claimed_at is not None:
        return "its approval was used already"
    return None


def _reasons(verdict: GuardResult) -> str:
    return "; ".join(verdict.reasons) or "no reason given"


logger = logging.getLogger(__name__)

GUARDING = (
    "DO NOT CARRY OUT THE ACTION: Assent has not allowed it. Tell the user what is wrong; ask again once it is right."
)
REPORTING = (
    "Nothing was confirmed as recorded. Correct the call; where Assent does not answer, tell the user and begin no "
    "further actions until it does."
)
READING = "Nothing was read. This allows nothing: do not act on what it might have said."
AGAIN = "Correct the arguments and call it again; until it has answered, nothing is allowed."
HIDDEN = "[key]"


def wrong_arguments(tool: str, errors: Sequence[FieldError]) -> str:
    lines = [f"- {error.place}: {error.message}" for error in errors]
    return "\n".join(
        [
            f"{tool} was not called, because its arguments are wrong (help says what each takes):",
            *lines,
            AGAIN,
        ]
    )


def no_answer(tool: str, error: Exception, consequence: str) -> str:
    """For what is expected to go wrong its own words; for anything else its kind alone, since its words may hold
    anything. Standard error gets those with their traceback."""
    if isinstance(error, AssentError | ValueError):
        return f"{tool} failed: {error}\n{consequence}"
    logger.error("%s failed in a way that nobody expected", tool, exc_info=error)
    return f"{tool} failed: {type(error).__name__} in the MCP server, whose log says more.\n{consequence}"


def without_key(text: str, key: str | None) -> str:
    return text.replace(key, HIDDEN) if key else text
