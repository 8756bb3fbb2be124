"""Waiting for an operator; how the wait itself goes is in `watching`.

1. `Approval.state` decides: approved ends the wait with the action, denied, expired and withdrawn with their errors.
   The stream carries the decided approval and, right behind it, the action as it is now, both as they were recorded;
   together they end the wait. Whatever else tells of the action is only a reason to read its state.
2. A question of an operator (`contract.control.questions`) ends a wait whose caller wants questions, and is put to the
   caller's function where there is one: its answer is sent, and the wait goes on. A function is asked once for each
   question; an answer that could not be delivered is sent again at the next look. Where the caller can ask for
   something else instead, the function may answer by what to change, which ends the wait. Whoever wants no questions
   waits on.
3. An action without an approval may run at once when it runs or is pending; one that is over was never approved,
   and says so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping
from typing import Any, TypeAlias, TypeVar, cast
from urllib.parse import quote

import msgspec

from assent.client.ambient import Ambient
from assent.client.events import contents
from assent.client.flow import Consult, Flow, Heard, Say, hear, send
from assent.client.permission import check_waited, settle
from assent.client.sse import ServerSentEvent
from assent.client.watching import Awaited, watching
from assent.contract.control.actions import GET_ACTION, WITHDRAW_ACTION, Action, CreatedAction, WithdrawnAction
from assent.contract.control.approvals import Approval, WithdrawAction
from assent.contract.control.questions import (
    ANSWER_QUESTION,
    GET_QUESTIONS,
    AnswerQuestion,
    ApprovalQuestion,
    QuestionState,
)
from assent.contract.events import CONNECTED, RESET, EventName
from assent.contract.prepared import prepared
from assent.errors import (
    ApprovalQuestionError,
    ApprovalTimeoutError,
    Conflict,
    Gone,
)

DECIDED = (EventName.APPROVAL_DECIDED, EventName.APPROVAL_EXPIRED, EventName.APPROVAL_WITHDRAWN)
TELLING = (EventName.ACTION_UPDATED, EventName.QUESTION_CREATED, *DECIDED)
BEHIND = 0.25
"""Seconds within which the action follows its decided approval; they are recorded in one write."""

R = TypeVar("R")
OnQuestion: TypeAlias = Callable[[ApprovalQuestion], "str | Awaitable[str | None] | None"]
"""Answers a question in words, or not at all (None). With AsyncClient it may be a coroutine function."""
Reply: TypeAlias = str | Mapping[str, Any] | None
"""To a question: words, what to change of the request by name, or nothing."""
Replier: TypeAlias = Callable[[ApprovalQuestion], Reply | Awaitable[Reply]]
"""As OnQuestion, where the whole request is known, so that it may be changed."""


def withdrawing(action_id: str, reason: str | None, *, within: float | None = None) -> Flow[WithdrawnAction]:
    """Take the question back, in `within` seconds if given."""
    path, body = {"action_id": action_id}, WithdrawAction(reason=reason)
    return (yield from send(WITHDRAW_ACTION, path=path, body=body, idempotent=True, within=within))


def worth_a_look(message: ServerSentEvent, action_id: str) -> bool:
    """Whether the state may have changed with this message."""
    if message.event in (CONNECTED, RESET):
        return True
    return message.event in TELLING and (contents(message) or {}).get("action_id") == action_id


def record_in(message: Heard, record: type[R], names: Container[str], action_id: str) -> R | None:
    """The record that a message of one of these names carries, if it is about this action and can be read."""
    if not isinstance(message, ServerSentEvent) or message.event not in names or not worth_a_look(message, action_id):
        return None
    try:
        return msgspec.json.decode(message.data, type=prepared(record))
    except (msgspec.DecodeError, RecursionError):
        return None


def awaiting(
    action_id: str,
    timeout: float,
    interval: float,
    base_url: str,
    ambient: Ambient,
    *,
    questions: bool = False,
    on_question: Replier | None = None,
    changeable: bool = False,
    created: CreatedAction | None = None,
) -> Flow[Action]:
    """The action, once it may run. Raises what the wait ended with, UnboundAnswer where that is about another action
    (than the one `created`, if given) or its approval is no yes; with `questions` also an operator's question, and
    RequestChanged where the request is `changeable`. Whoever watches is told once that it waits, or may run already."""
    replay = f"{base_url}/replay/{quote(action_id, safe='')}"
    asked_back = _AskedBack(action_id, on_question, changeable) if questions or on_question is not None else None
    awaited = _AwaitedApproval(action_id, replay, ambient, asked_back)
    found = yield from watching(awaited, timeout, interval, ambient, answered=created is not None)
    check_waited(found, awaited.approval, action_id, created)
    return found


class RequestChanged(Exception):
    """A question was answered by `changes` of the request, by name. The action that was waited for still waits."""

    def __init__(self, changes: Mapping[str, Any]) -> None:
        super().__init__(", ".join(changes))
        self.changes = changes


class _AskedBack:
    """The questions about one action, and what the caller's function said to each."""

    def __init__(self, action_id: str, on_question: Replier | None, changeable: bool) -> None:
        self._action_id, self._on_question, self._changeable = action_id, on_question, changeable
        self._answers: dict[str, str | None] = {}

    def look(self, within: float | None, until: float) -> Flow[None]:
        """Put what is open to the caller, the oldest first. Raises ApprovalQuestionError without a function."""
        query = {"action_id": self._action_id, "state": QuestionState.OPEN}
        page = yield from send(GET_QUESTIONS, query=query, within=within, in_turn_until=until)
        for question in reversed(page.questions):
            if self._on_question is None:
                raise ApprovalQuestionError(question)
            yield from self._answer(question, self._on_question)

    def _answer(self, question: ApprovalQuestion, on_question: Replier) -> Flow[None]:
        name = question.question_id
        if name not in self._answers:
            said: object = yield Consult(lambda: on_question(question))
            if isinstance(said, Mapping) and said and self._changeable:
                raise RequestChanged(cast("Mapping[str, Any]", said))
            self._answers[name] = self._words(said)
        answer = self._answers[name]
        if answer is None:
            return
        try:
            yield from send(
                ANSWER_QUESTION, path={"question_id": name}, body=AnswerQuestion(answer=answer), idempotent=True
            )
        except (Conflict, Gone):
            return  # it has ended meanwhile; the state of the action says how

    def _words(self, said: object) -> str | None:
        """Raises TypeError."""
        if said is None or isinstance(said, str):
            return said
        if isinstance(said, Mapping) and not self._changeable:
            raise TypeError(
                "on_question answered with changes, but a wait does not know the whole request; give a text, or "
                f"create the changed action with replaces={self._action_id!r}"
            )
        shown = "no changes" if said == {} else type(said).__name__
        others = "changes, or None for no answer" if self._changeable else "or None for no answer"
        raise TypeError(f"on_question answered with {shown}; give a text, {others}")


class _AwaitedApproval(Awaited[Action]):
    """The action, once an operator has allowed it."""

    def __init__(self, action_id: str, replay: str, ambient: Ambient, asked_back: _AskedBack | None) -> None:
        self.about = self._action_id = action_id
        self._asked_back = asked_back
        self._replay, self._clock, self._said = replay, ambient.clock, False
        self.approval: Approval | None = None
        """As it was told last."""

    def look(self, within: float | None, until: float) -> Flow[Action | None]:
        path = {"action_id": self._action_id}
        detail = yield from send(GET_ACTION, path=path, within=within, in_turn_until=until)
        found = settle(detail.action, detail.approval)
        self.approval = detail.approval
        if not self._said:
            self._said = True
            said = f"Waiting for approval of {self._action_id}" if found is None else f"{self._action_id} may run"
            yield Say(f"{said}: {self._replay}")
        if found is None and self._asked_back is not None:
            yield from self._asked_back.look(within, until)
        return found

    def concerns(self, message: ServerSentEvent) -> bool:
        if message.event == EventName.QUESTION_CREATED and self._asked_back is None:
            return False
        return worth_a_look(message, self._action_id)

    def of_message(self, message: ServerSentEvent) -> Flow[Action | None]:
        approval = record_in(message, Approval, DECIDED, self._action_id)
        if approval is None:
            return None
        behind = yield from hear(self._clock() + BEHIND)
        action = record_in(behind, Action, (EventName.ACTION_UPDATED,), self._action_id)
        self.approval = approval
        return None if action is None else settle(action, approval)

    def timed_out(self, timeout: float) -> ApprovalTimeoutError:
        return ApprovalTimeoutError(self._action_id, timeout)
