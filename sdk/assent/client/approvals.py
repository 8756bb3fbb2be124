"""Approvals: deciding, and waiting for a decision."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.client.waiting import awaiting
from assent.client.watching import check_times
from assent.contract.actions import (
    APPROVE_ACTION,
    GET_ACTIONS,
    Action,
    Actions,
    ActionsQuery,
    ActionStatus,
    ApprovedAction,
)
from assent.contract.approvals import ApproveAction, Verdict


class ApprovalOperations(Caller):
    @operation
    def approve_action(
        self,
        action_id: str,
        decision: Verdict | str,
        reasoning: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> Flow[ApprovedAction]:
        """Decide on an action that waits: `allow` or `deny`. The reasoning is recorded and shown to the agent. The
        key that repeats a decision after a lost answer is made up unless given (printable ASCII).

        Raises ValueError for another decision, Conflict when somebody else has decided (the error's `problem` says
        who), Gone when the approval has expired, Forbidden for an agent's key.
        """
        body = ApproveAction(decision=_verdict(decision), reasoning=reasoning)
        headers = {"idempotency-key": _header(idempotency_key or self.ambient.new_key())}
        path = {"action_id": action_id}
        return (yield from send(APPROVE_ACTION, path=path, body=body, headers=headers, idempotent=True))

    @operation
    def get_pending_approvals(self, limit: int = 20, offset: int = 0) -> Flow[Actions]:
        """Actions that wait for an operator, newest first. `limit` is 1 to 200."""
        given = {"status": ActionStatus.PENDING_APPROVAL, "limit": limit, "offset": offset}
        return (yield from send(GET_ACTIONS, query=members(ActionsQuery, given, "get_pending_approvals")))

    @operation
    def wait_for_approval(self, action_id: str, timeout: float = 300.0, interval: float = 5.0) -> Flow[Action]:
        """Wait until an operator decides, at most `timeout` seconds; the action once it may run. Says the action's
        id and its replay link first. The decision arrives over the event stream at once; without a stream the state
        is read every `interval` seconds. An action that needs no approval is returned at once.

        Raises ApprovalDeniedError, ApprovalExpiredError, ApprovalTimeoutError (the action then still waits), and
        NotAwaitingApprovalError for an action that is over and was never approved.
        """
        check_times(timeout, interval)
        return (yield from awaiting(action_id, timeout, interval, self.base_url, self.ambient))


def _verdict(decision: str) -> Verdict:
    try:
        return Verdict(decision)
    except ValueError:
        raise ValueError(f"decision is {decision!r}; give one of {', '.join(Verdict)}") from None


def _header(key: str) -> str:
    if not key.isascii() or not key.isprintable() or len(key) > 255:
        raise ValueError(f"idempotency_key is {key!r}; a header holds up to 255 printable ASCII characters")
    return key
