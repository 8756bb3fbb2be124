"""Approval questions: an operator asks the agent back about an action that waits.

1. A question decides nothing. The action goes on to wait, its time runs on, and operators may decide at any moment: no
   question and no answer lets anything through.
2. It is asked while the action waits, and is open until the agent answers: in words, or by a changed request, which
   withdraws the action and names it (`replaces`). The first answer stands.
3. When the action is decided, withdrawn or expires, its open questions end with the same write. One that was ended has
   no answer.
4. The agent's own key answers: one of role agent, bound to the agent or to none. No operator answers for an agent; an
   admin may, as admins may do everything, and the row names the key. An agent that runs with an operator's key can only
   change its request.
5. OPEN questions of one action may be open at once. The same words again, by the same key and while they are open, are
   the same question; the same answer by the same key is the same answer.
6. All of it happens under the action's fence, as a decision does: of a question, an answer and a decision at once each
   sees what was before it.

Open questions are in memory, since whatever ends an approval's waiting ends them, without a query. They have a budget
in bytes; beyond it none is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.questions import (
    ANSWER_QUESTION,
    ASK_QUESTION,
    GET_QUESTIONS,
    TEXT_BYTES,
    AnswerQuestion,
    ApprovalQuestion,
    AskQuestion,
    QuestionDetail,
    QuestionsQuery,
    QuestionState,
)
from assent.contract.control.questions import Questions as QuestionList
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.memory import DEFAULT, MemoryBudget
from assent_service.base.problem import Refusal, refuse
from assent_service.control.approvals import check_waiting
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.locks import ACTION_FENCE, EntityLocks
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filters, find_row, list_rows, of_caller, record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = ["APPROVAL_QUESTIONS", "TABLES", "QuestionStore", "Questions", "open_questions"]

APPROVAL_QUESTIONS = Table.of(
    ApprovalQuestion,
    name="approval_questions",
    meaning="what operators asked agents about actions that waited, one row for each question, and the answers",
    key="question_id",
    created=("approval_question.created",),
    replaced=("approval_question.updated",),
)
TABLES = (APPROVAL_QUESTIONS,)
FILTERS = Filters(APPROVAL_QUESTIONS, QuestionsQuery)
OPEN = 3
"""Questions about one action that may be open at once."""
SIZE = 1_500
"""Bytes of one in memory, without its texts."""


def asked(action: Action, approval: Approval, said: AskQuestion, by: Principal, now: int) -> ApprovalQuestion:
    """The question as it is first recorded."""
    return carry(
        ApprovalQuestion,
        said,
        question_id=new_id("apq_", now),
        org_id=action.org_id,
        action_id=action.action_id,
        approval_id=approval.approval_id,
        agent_id=action.agent_id,
        action_type=action.action_type,
        conditions=list(said.conditions or ()),
        state=QuestionState.OPEN,
        asked_by=by.name,
        asked_by_key=by.key_id,
        answer=None,
        replaced_by=None,
        answered_by=None,
        answered_by_key=None,
        closed_at=None,
        created_at=moment(now),
    )


def answered(question: ApprovalQuestion, by: Principal, at: datetime, **answer: str) -> ApprovalQuestion:
    """The question after the agent's answer: `answer` in words, or `replaced_by`."""
    return msgspec.structs.replace(
        question,
        state=QuestionState.ANSWERED,
        answered_by=by.name,
        answered_by_key=by.key_id,
        closed_at=at,
        **answer,
    )


def check_size(place: str, *texts: str) -> None:
    """Raises `invalid_body` for blank words, and for texts of more than TEXT_BYTES together."""
    if not all(text.strip() for text in texts):
        raise refuse(Code.INVALID_BODY, f"{place} has no words.", FieldError(place=place, message="is blank"))
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    if size > TEXT_BYTES:
        message = f"holds {size:,} bytes in UTF-8, at most {TEXT_BYTES:,}"
        raise refuse(Code.INVALID_BODY, f"{place} {message}; say it shorter.", FieldError(place=place, message=message))


class QuestionStore:
    """The open questions, by organization and action, in the order in which they were asked."""

    types = frozenset(
        {EventName.QUESTION_CREATED.value, EventName.QUESTION_UPDATED.value, EventName.EVIDENCE_ERASED.value}
    )

    def __init__(self, memory: MemoryBudget = DEFAULT) -> None:
        self._open: dict[tuple[str, str], dict[str, ApprovalQuestion]] = {}
        self._by_id: dict[tuple[str, str], ApprovalQuestion] = {}
        self._budget = memory.of("questions")
        self._bytes: Counter[str] = Counter()

    def load(self, read: Read) -> None:
        rows = read(
            f"SELECT {select(APPROVAL_QUESTIONS)} FROM approval_questions WHERE state = 'open' "
            "ORDER BY created_at, question_id",
            [],
        )
        for row in rows:
            self._keep(record(APPROVAL_QUESTIONS, row, ApprovalQuestion))

    def fold(self, event: Event) -> None:
        if event.type == EventName.EVIDENCE_ERASED.value:
            for question in self.of(event.org, event.subject):
                self._drop(question)
        elif not event.erased:
            question = decode(event, ApprovalQuestion)
            self._drop(question)
            if question.state is QuestionState.OPEN:
                self._keep(question)

    def of(self, org_id: str, action_id: str) -> Sequence[ApprovalQuestion]:
        """The open questions about an action, the oldest first."""
        return tuple(self._open.get((org_id, action_id), {}).values())

    def find(self, org_id: str, question_id: str) -> ApprovalQuestion | None:
        """The question, if it is open."""
        return self._by_id.get((org_id, question_id))

    def check_room(self, org_id: str) -> None:
        """Raises `too_many_questions`."""
        if self._bytes[org_id] > self._budget // 2 or self._bytes.total() > self._budget:
            raise refuse(
                Code.TOO_MANY_QUESTIONS,
                "So many questions are open that memory has no room for more; nothing was recorded. Wait until agents "
                "have answered, decide, or raise the setting memory_megabytes.",
            )

    def ended(self, approval: Approval, actor: str, now: int) -> list[Draft]:
        """The events that end the open questions with the waiting that they are about."""
        changes = {"state": QuestionState.ENDED, "closed_at": moment(now)}
        return [
            _event(EventName.QUESTION_UPDATED, msgspec.structs.replace(each, **changes), actor, now)
            for each in self.of(approval.org_id, approval.action_id)
        ]

    def replaced(self, approval: Approval, by: Principal, action_id: str, now: int) -> list[Draft]:
        """The events that answer the open questions by the changed action that takes the place of theirs."""
        return [
            _event(EventName.QUESTION_UPDATED, answered(each, by, moment(now), replaced_by=action_id), by.key_id, now)
            for each in self.of(approval.org_id, approval.action_id)
        ]

    def snapshot(self) -> dict[tuple[str, str], dict[str, ApprovalQuestion]]:
        """What is held, to compare two memories."""
        return {key: dict(each) for key, each in self._open.items()}

    def _keep(self, question: ApprovalQuestion) -> None:
        self._open.setdefault((question.org_id, question.action_id), {})[question.question_id] = question
        self._by_id[question.org_id, question.question_id] = question
        self._bytes[question.org_id] += _size(question)

    def _drop(self, question: ApprovalQuestion) -> None:
        key = (question.org_id, question.action_id)
        before = self._open.get(key, {}).pop(question.question_id, None)
        if before is None:
            return
        if not self._open[key]:
            del self._open[key]
        del self._by_id[question.org_id, question.question_id]
        self._bytes[question.org_id] -= _size(before)
        if not self._bytes[question.org_id]:
            del self._bytes[question.org_id]


def _size(question: ApprovalQuestion) -> int:
    return SIZE + 2 * sum(map(len, (question.text, *question.conditions)))


def _event(name: EventName, question: ApprovalQuestion, actor: str, now: int) -> Draft:
    return Draft(
        org=question.org_id,
        type=name.value,
        ts=now,
        subject=question.question_id,
        actor=actor,
        data=encode(question),
        action=question.action_id,
    )


class Actions(Protocol):
    """What a question needs of the action it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Approvals(Protocol):
    """What a question needs of the approval that the action waits for."""

    async def of(self, action: Action) -> Approval | None: ...


class Questions:
    """The questions of every organization."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        actions: Actions,
        approvals: Approvals,
        store: QuestionStore,
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._actions, self._approvals, self._store = actions, approvals, store

    async def ask(self, principal: Principal, action_id: str, said: AskQuestion) -> ApprovalQuestion:
        """Raises `invalid_body`, `action_not_found`, `not_awaiting_approval`, `already_decided`, `approval_withdrawn`,
        `approval_expired` and `too_many_questions`."""
        check_size("text", said.text, *(said.conditions or ()))
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            action = await self._actions.visible(principal, action_id)
            now = self._clock()
            approval = check_waiting(action, await self._approvals.of(action), now)
            there = self._store.of(action.org_id, action.action_id)
            words = (said.text, list(said.conditions or ()), principal.key_id)
            for each in there:
                if (each.text, each.conditions, each.asked_by_key) == words:
                    return each
            if len(there) >= OPEN:
                raise refuse(
                    Code.TOO_MANY_QUESTIONS,
                    f"{OPEN} questions about action {action_id} are open already. Wait until the agent has answered, "
                    "or decide.",
                )
            self._store.check_room(action.org_id)
            question = asked(action, approval, said, principal, now)
            await self._ledger.append(_event(EventName.QUESTION_CREATED, question, principal.key_id, now))
            return question

    async def answer(self, principal: Principal, question_id: str, said: AnswerQuestion) -> ApprovalQuestion:
        """Raises `invalid_body`, `question_not_found`, `action_not_found`, `question_closed` and
        `approval_expired`."""
        check_size("answer", said.answer)
        action_id = (await self._visible(principal, question_id)).action_id
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            action = await self._actions.visible(principal, action_id)
            question = await self._visible(principal, question_id)
            if question.state is not QuestionState.OPEN:
                if (question.answer, question.answered_by_key) == (said.answer, principal.key_id):
                    return question
                raise _closed(question)
            now = self._clock()
            check_waiting(action, await self._approvals.of(action), now)
            after = answered(question, principal, moment(now), answer=said.answer)
            await self._ledger.append(_event(EventName.QUESTION_UPDATED, after, principal.key_id, now))
            return after

    async def page(self, principal: Principal, query: QuestionsQuery) -> QuestionList:
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, APPROVAL_QUESTIONS, ApprovalQuestion, chosen, query)
        return QuestionList(
            questions=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def _visible(self, principal: Principal, question_id: str) -> ApprovalQuestion:
        """Raises `question_not_found` for a foreign one as for an unknown one."""
        # An open one is in memory: its answer waits for nothing that a decision does not wait for.
        found = self._store.find(principal.org_id, question_id) or await find_row(
            self._ledger, APPROVAL_QUESTIONS, ApprovalQuestion, principal.org_id, question_id
        )
        if found is None or not principal.sees(found.agent_id):
            raise refuse(Code.QUESTION_NOT_FOUND, f"There is no question {question_id[:128]!r} in this organization.")
        return found


def _closed(question: ApprovalQuestion) -> Refusal:
    at = question.closed_at.isoformat() if question.closed_at else "an unknown time"
    how = f"was answered by {question.answered_by}" if question.state is QuestionState.ANSWERED else "ended"
    changed = "" if question.replaced_by is None else f", by the changed action {question.replaced_by}"
    return refuse(
        Code.QUESTION_CLOSED,
        f"Question {question.question_id} {how} at {at}{changed}. Action {question.action_id} tells how it stands.",
    )


def routes(questions: Questions) -> tuple[Route, ...]:
    @serves(ASK_QUESTION, holds=(ACTION_FENCE,))
    async def ask(call: Call[AskQuestion, None], action_id: str) -> QuestionDetail:
        return QuestionDetail(question=await questions.ask(call.principal, action_id, call.body))

    @serves(ANSWER_QUESTION, holds=(ACTION_FENCE,))
    async def answer(call: Call[AnswerQuestion, None], question_id: str) -> QuestionDetail:
        return QuestionDetail(question=await questions.answer(call.principal, question_id, call.body))

    @serves(GET_QUESTIONS)
    async def list_all(call: Call[None, QuestionsQuery]) -> QuestionList:
        return await questions.page(call.principal, call.query)

    return ask, answer, list_all


def open_questions(on: Foundation, actions: Actions, approvals: Approvals, store: QuestionStore) -> Questions:
    questions = Questions(on.ledger, on.clock, on.locks, actions, approvals, store)
    on.bring(routes=routes(questions), memory=store)
    return questions
