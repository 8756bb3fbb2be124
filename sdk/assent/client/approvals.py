"""Approvals: deciding, waiting for a decision, and using it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assent.client.flow import Flow, Leave, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each, operation
from assent.client.stopping import LEAVING, words_of
from assent.client.waiting import OnQuestion, awaiting, withdrawing
from assent.client.watching import check_times
from assent.contract.control.actions import (
    APPROVE_ACTION,
    GET_ACTIONS,
    WITHDRAW_ACTION,
    Action,
    ActionStatus,
    ApprovedAction,
    WithdrawnAction,
)
from assent.contract.control.approvals import ApprovalState, ApproveAction, Verdict
from assent.contract.control.claims import CLAIM_ACTION, ClaimAction, ClaimedAction
from assent.contract.control.inbox import GET_APPROVALS, ActionApproval
from assent.proof import act


class ApprovalOperations(Caller):
    @calls(APPROVE_ACTION)
    def approve_action(
        self,
        action_id: str,
        decision: Verdict | str,
        reasoning: str | None = None,
        *,
        conditions: Sequence[str] | None = None,
        valid_minutes: int | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[ApprovedAction]:
        """Decide on an action that waits: `allow` or `deny`. The reasoning is recorded and shown to the agent.
        With `allow` go `conditions`, words for the agent to keep to (at most 20), and `valid_minutes`, how long the
        approval can be claimed (1 to 525600; without limit when None). The key that repeats a decision after a lost
        answer is made up unless given (printable ASCII).

        Raises ValueError for another decision, Conflict when somebody else has decided (the error's `problem` says
        who), Gone when the approval has expired, Forbidden for an agent's key.
        """
        body = ApproveAction(
            decision=_verdict(decision),
            reasoning=reasoning,
            conditions=_texts(conditions, "conditions"),
            valid_minutes=valid_minutes,
        )
        headers = {"idempotency-key": _header(idempotency_key or self.ambient.new_key())}
        path = {"action_id": action_id}
        return (yield from send(APPROVE_ACTION, path=path, body=body, headers=headers, idempotent=True))

    @calls(WITHDRAW_ACTION)
    def withdraw_action(self, action_id: str, reason: str | None = None) -> Flow[WithdrawnAction]:
        """Take back the question of an action that waits, since nobody waits for the answer any more: the action is
        cancelled, and operators see at once that nothing is left to decide. The reason is recorded and shown to them.
        Once it is withdrawn, doing it again changes nothing.

        Raises Conflict when somebody has decided (the error's `problem` says who), and for an action that asked for no
        approval; Gone when the approval has expired, Forbidden for the key of another agent.
        """
        return (yield from withdrawing(action_id, reason))

    @calls(CLAIM_ACTION)
    def claim_action(
        self,
        action_id: str,
        action_type: str,
        declared_goal: str | None = None,
        systems_touched: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        *,
        parameters_digest: str | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[ClaimedAction]:
        """Use an approval, once, right before acting: say what is about to be done, and be refused unless it is
        exactly what was approved. Parameters stay here; their digest is sent (`assent.proof.act`). The key that repeats
        a claim after a lost answer is made up unless given (printable ASCII). `approval.conditions` in the answer are
        what the operator asks the agent to keep to.

        Raises Conflict when the action is not approved, when the approval was used already, and when something
        differs (the error's `errors` name what), Gone when the approval was for a limited time that has passed,
        ValueError for a `parameters_digest` that is not that of `parameters`.
        """
        body = ClaimAction(
            action_type=action_type,
            declared_goal=declared_goal,
            systems_touched=_texts(systems_touched, "systems_touched"),
            parameters_digest=_digest(parameters, parameters_digest),
        )
        headers = {"idempotency-key": _header(idempotency_key or self.ambient.new_key())}
        path = {"action_id": action_id}
        return (yield from send(CLAIM_ACTION, path=path, body=body, headers=headers, idempotent=True))

    @sends(GET_ACTIONS, fixed={"status": ActionStatus.PENDING_APPROVAL})
    def get_pending_approvals(self, limit: int = 20, offset: int = 0) -> Response:
        """Actions that wait for an operator, newest first. `limit` is 1 to 200."""

    @sends(GET_APPROVALS)
    def get_approvals(
        self,
        *,
        state: ApprovalState | str | None = None,
        exclude_state: ApprovalState | str | None = None,
        agent_id: str | None = None,
        action_type: str | None = None,
        days: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of approvals with their actions, newest first: `state="awaiting"` for what waits,
        `exclude_state="awaiting"` for what was decided. For the next page pass `next_cursor` of the page before as
        `cursor`. `days` counts back from now to when it was asked for, `limit` is 1 to 200."""

    iterate_approvals = each(get_approvals, ActionApproval, lambda page: page.approvals)

    @operation
    def wait_for_approval(
        self,
        action_id: str,
        timeout: float = 300.0,
        interval: float = 5.0,
        *,
        withdraw_on_cancel: bool = True,
        questions: bool = False,
        on_question: OnQuestion | None = None,
    ) -> Flow[Action]:
        """Wait until an operator decides, at most `timeout` seconds; the action once it may run. The action's
        id and its replay link are said once. The decision arrives over the event stream at once; without a
        stream the state is read every `interval` seconds. An action that may run already is returned at once.

        A wait that is stopped from outside (its task cancelled, `asyncio.timeout` around it, Ctrl-C, whatever a signal
        handler or `on_question` raises) withdraws the approval, since nobody waits for it any more; with
        `withdraw_on_cancel=False` it stays, for who comes back.

        An operator may ask something before deciding (`ask_question`). `on_question` is called with each
        ApprovalQuestion; the text that it returns is sent as the answer, and the wait goes on. With `questions=True`
        a question ends the wait instead: answer it (`answer_question`), or create a changed action that `replaces`
        this one, and wait again. With neither the wait goes on as if nobody had asked.

        Raises ApprovalDeniedError, ApprovalExpiredError, ApprovalWithdrawnError, ApprovalTimeoutError and
        ApprovalQuestionError (the action then still waits), what `on_question` raises, UnboundAnswer for an end that is
        another action's, and NotAwaitingApprovalError for an action that is over and was never approved.
        """
        check_times(timeout, interval)
        if withdraw_on_cancel:
            yield Leave(lambda error: withdrawing(action_id, words_of(error), within=LEAVING))
        return (
            yield from awaiting(
                action_id,
                timeout,
                interval,
                self.base_url,
                self.ambient,
                questions=questions,
                on_question=on_question,
            )
        )


def _verdict(decision: str) -> Verdict:
    try:
        return Verdict(decision)
    except ValueError:
        raise ValueError(f"decision is {decision!r}; give one of {', '.join(Verdict)}") from None


def _texts(given: Sequence[str] | None, name: str) -> list[str] | None:
    if isinstance(given, str):
        raise TypeError(f"{name} is one text, {given!r}; give a list of texts")
    return None if given is None else list(given)


def _digest(parameters: Mapping[str, Any] | None, given: str | None) -> str | None:
    if parameters is None:
        return given
    # As the creation sends them: dates, enums and the like are what they are in JSON.
    found = act.parameters_digest(msgspec.to_builtins(dict(parameters), str_keys=True))
    if given not in (None, found):
        raise ValueError(
            f"parameters_digest is {given!r}, but the digest of parameters is {found}; give one of the two"
        )
    return found


def _header(key: str) -> str:
    if not key.isascii() or not key.isprintable() or len(key) > 255:
        raise ValueError(f"idempotency_key is {key!r}; a header holds up to 255 printable ASCII characters")
    return key
