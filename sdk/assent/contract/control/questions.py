"""Approval questions: an operator asks the agent back before deciding, or offers changed conditions, and the agent
answers in words or by a changed request.

A question decides nothing: the action goes on to wait, and to expire.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.control.approvals import Conditions
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import AGENTS, ANYONE, OPERATING

TEXT_BYTES = 4000
"""Bytes in UTF-8 that a question and what it offers hold together, and that an answer holds."""

Words = Annotated[str, Meta(min_length=1, max_length=TEXT_BYTES)]


class QuestionState(StrEnum):
    """`ended`: the action was decided, withdrawn or expired before the agent answered."""

    OPEN = "open"
    ANSWERED = "answered"
    ENDED = "ended"


class AskQuestion(Request, frozen=True, kw_only=True):
    """`text` is put to the agent as it stands; `conditions` are changed conditions under which the operator would
    allow the action, such as "only 50 EUR". Together they hold at most 4,000 bytes."""

    example: ClassVar[Example] = {"text": "Which customer is it for?", "conditions": ["only 50 EUR"]}

    text: Words
    conditions: Conditions | None = None


class AnswerQuestion(Request, frozen=True, kw_only=True):
    """`answer` are the agent's words, at most 4,000 bytes. A changed request is no answer in words: it is a new action
    that names this one (`replaces`)."""

    example: ClassVar[Example] = {"answer": "For customer 4711; the invoice is 300."}

    answer: Words


class ApprovalQuestion(Record, frozen=True, kw_only=True):
    """One question to the agent about an action that waits, and what came of it.

    An answered one has the agent's words in `answer`, or in `replaced_by` the changed action that took the place of
    this one. `answered_by` names the key behind either.
    """

    org_id: OrganizationId
    question_id: Annotated[str, meaning("id of the question", frozen=True)]
    action_id: Annotated[str, meaning("the action that waits", frozen=True)]
    approval_id: Annotated[str, meaning("the approval that it waits for", frozen=True)]
    agent_id: Annotated[str | None, meaning("who is asked", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    text: Annotated[str, meaning("what the operator asks", frozen=True)]
    conditions: Annotated[list[str], meaning("changed conditions that the operator offers", frozen=True)]
    state: Annotated[QuestionState, meaning("open, answered or ended")]
    asked_by: Annotated[str, meaning("the operator by name", frozen=True)]
    asked_by_key: Annotated[str, meaning("id of that key", frozen=True)]
    answer: Annotated[str | None, meaning("what the agent says; empty while it says nothing")]
    replaced_by: Annotated[str | None, meaning("the changed action that the agent asks for instead")]
    answered_by: Annotated[str | None, meaning("name of the key that answered")]
    answered_by_key: Annotated[str | None, meaning("id of that key")]
    closed_at: Annotated[datetime | None, meaning("when it was answered or ended; empty while it is open")]
    created_at: RecordedAt


class QuestionDetail(Record, frozen=True, kw_only=True):
    question: ApprovalQuestion


class QuestionsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list. `cursor` comes from the page before."""

    action_id: Id | None = None
    agent_id: ShortText | None = None
    state: QuestionState | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Questions(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    questions: list[ApprovalQuestion]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


ASK_QUESTION = Endpoint(
    operation="ask_question",
    method="POST",
    path="/api/actions/{action_id}/questions",
    summary="Ask the agent about an action that waits, or offer changed conditions; it decides nothing.",
    roles=OPERATING,
    request=AskQuestion,
    response=QuestionDetail,
    statuses=(201,),
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.NOT_AWAITING_APPROVAL,
        Code.ALREADY_DECIDED,
        Code.APPROVAL_WITHDRAWN,
        Code.APPROVAL_EXPIRED,
        Code.TOO_MANY_QUESTIONS,
        Code.PROJECTION_BEHIND,
    ),
)
ANSWER_QUESTION = Endpoint(
    operation="answer_question",
    method="POST",
    path="/api/questions/{question_id}/answer",
    summary="Answer an operator's question in words; the action goes on to wait.",
    roles=AGENTS,
    request=AnswerQuestion,
    response=QuestionDetail,
    problems=(
        Code.QUESTION_NOT_FOUND,
        Code.ACTION_NOT_FOUND,
        Code.QUESTION_CLOSED,
        Code.APPROVAL_EXPIRED,
        Code.PROJECTION_BEHIND,
    ),
)
GET_QUESTIONS = Endpoint(
    operation="get_questions",
    method="GET",
    path="/api/questions",
    summary="Questions that operators asked about actions, newest first, with the answers.",
    roles=ANYONE,
    query=QuestionsQuery,
    response=Questions,
)
