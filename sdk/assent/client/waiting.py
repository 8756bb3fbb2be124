"""Waiting for an operator.

1. The stream is opened before the state is read, and the state is read again at the stream's `connected`, so that a
   decision in between is never missed.
2. `Approval.state` decides: approved ends the wait with the action, denied and expired with their errors. The
   stream carries the decided approval and, right behind it, the action as it is now, both as they were recorded;
   together they end the wait. Whatever else tells of the action is only a reason to read its state.
3. An action without an approval may run at once when it runs or is pending; one that is over was never approved,
   and says so.
4. While there is no stream, the state is read every `interval` seconds. A stream that was cut is opened again, at
   once if it had lasted, else after `interval`, five seconds at most; one that was merely silent (something in
   between holds it back) is not tried again.
5. A service that does not answer ends the wait only when it never answered at all; otherwise the wait goes on, and
   ends with the timeout.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from assent.client.ambient import Ambient
from assent.client.events import SILENCE, contents
from assent.client.flow import Ending, Flow, Heard, Listening, Refused, Say, Sleep, hear, listen, send
from assent.client.sse import Message
from assent.contract.actions import GET_ACTION, Action, ActionStatus
from assent.contract.approvals import Approval, ApprovalState, Verdict
from assent.contract.events import CONNECTED, RESET, EventName, StreamQuery
from assent.errors import (
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    ConnectionFailed,
    NotAwaitingApprovalError,
    ServerError,
    Unavailable,
)

TELLING = (EventName.ACTION_UPDATED, EventName.APPROVAL_DECIDED, EventName.APPROVAL_EXPIRED)
DECIDED = (EventName.APPROVAL_DECIDED, EventName.APPROVAL_EXPIRED)
BEHIND = 0.25
"""Seconds within which the action follows its decided approval; they are recorded in one write."""
REOPEN = 5.0
"""Seconds before a stream that was cut at once is opened again, however seldom the state would be read."""

QUERY = StreamQuery(types=",".join(TELLING))

R = TypeVar("R")
Told: TypeAlias = tuple[Action, Approval]

_LEFT_ALONE = frozenset({ActionStatus.RUNNING, ActionStatus.PENDING})


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
        case ApprovalState.AWAITING:
            return None


def worth_a_look(message: Message, action_id: str) -> bool:
    """Whether the state may have changed with this message."""
    if message.event in (CONNECTED, RESET):
        return True
    return message.event in TELLING and (contents(message) or {}).get("action_id") == action_id


def told(message: Heard, record: type[R], names: Container[str], action_id: str) -> R | None:
    """The record that a message of one of these names carries, if it is about this action and can be read."""
    if not isinstance(message, Message) or message.event not in names or not worth_a_look(message, action_id):
        return None
    try:
        return msgspec.json.decode(message.data, type=record)
    except (msgspec.DecodeError, RecursionError):
        return None


def awaiting(action_id: str, timeout: float, interval: float, base_url: str, ambient: Ambient) -> Flow[Action]:
    """The action, once it may run. Raises what the wait ended with."""
    yield Say(f"Waiting for approval of {action_id}: {base_url}/replay/{quote(action_id, safe='')}")
    watch = _Watch(action_id, timeout, interval, ambient)
    while True:
        listening = yield from watch.listen()
        opened = ambient.clock()
        heard: Ending | Told | None = None
        while not isinstance(heard, Ending):
            action = settle(*heard) if heard is not None else (yield from watch.look())
            if action is not None:
                return action
            if watch.left() <= 0:
                raise ApprovalTimeoutError(action_id, timeout)
            heard = (yield from watch.hear()) if listening else Ending.CLOSED
        if heard is Ending.SILENT:
            watch.streaming = False
        pause = min(interval, REOPEN) if listening else interval
        if heard is not Ending.DUE and ambient.clock() - opened < pause:
            yield Sleep(max(0.0, min(pause, watch.left())))


class _Watch:
    """One wait: what is watched, and how long still."""

    def __init__(self, action_id: str, timeout: float, interval: float, ambient: Ambient) -> None:
        self.action_id = action_id
        self.streaming = True
        self._interval = interval
        self._clock = ambient.clock
        self._deadline = ambient.clock() + timeout
        self._answered = False

    def left(self) -> float:
        return self._deadline - self._clock()

    def listen(self) -> Flow[bool]:
        """Open the stream, if one is to be had and there is time for it."""
        if not self.streaming or self.left() <= 0:
            return False
        answer = yield from listen(QUERY, silence=min(SILENCE, self.left()))
        if isinstance(answer, Refused):
            self.streaming = not answer.silent
        return answer is Listening.LISTENING

    def look(self) -> Flow[Action | None]:
        """Read the state. Trouble on the way is passed over once the service has answered."""
        within = max(self._interval, self.left()) if self._answered else None
        try:
            detail = yield from send(GET_ACTION, path={"action_id": self.action_id}, within=within)
        except (ConnectionFailed, Unavailable, ServerError):
            if not self._answered:
                raise
            return None
        self._answered = True
        return settle(detail.action, detail.approval)

    def hear(self) -> Flow[Ending | Told | None]:
        """The action with its decided approval, None when there is a reason to look, or the stream's end."""
        heard = yield from hear(self._deadline)
        while isinstance(heard, Message) and not worth_a_look(heard, self.action_id):
            heard = yield from hear(self._deadline)
        if isinstance(heard, Ending):
            return heard
        approval = told(heard, Approval, DECIDED, self.action_id)
        if approval is None:
            return None
        behind = yield from hear(self._clock() + BEHIND)
        action = told(behind, Action, (EventName.ACTION_UPDATED,), self.action_id)
        return None if action is None else (action, approval)
