"""Questions that operators ask agents about actions that wait, and the answers."""

from __future__ import annotations

from collections.abc import Sequence

from assent.client.method import Response, sends
from assent.client.operation import Caller, each
from assent.contract.control.questions import (
    ANSWER_QUESTION,
    ASK_QUESTION,
    GET_QUESTIONS,
    ApprovalQuestion,
    QuestionState,
)


class QuestionOperations(Caller):
    @sends(ASK_QUESTION, idempotent=True)
    def ask_question(self, action_id: str, text: str, *, conditions: Sequence[str] | None = None) -> Response:
        """Ask the agent about an action that waits, or offer changed conditions under which it would be allowed. It
        decides nothing, and the action's time runs on. At most 3 questions are open about an action; the same words
        again are the same question.

        Raises Conflict where the action waits no longer (the error's `problem` says who decided) and where too many
        questions are open, Gone when the approval has expired, Forbidden for an agent's key.
        """

    @sends(ANSWER_QUESTION, idempotent=True)
    def answer_question(self, question_id: str, answer: str) -> Response:
        """Answer an operator's question in words, with the agent's own key; then wait on. Where the request is to be
        changed instead, create the changed action with `replaces=` this one's id.

        Raises Conflict where the question was answered or ended already, Gone when the approval has expired, Forbidden
        for an operator's key.
        """

    @sends(GET_QUESTIONS)
    def get_questions(
        self,
        *,
        action_id: str | None = None,
        agent_id: str | None = None,
        state: QuestionState | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of questions with their answers, newest first. `state` is open, answered or ended; `limit` is 1 to
        200."""

    iterate_questions = each(get_questions, ApprovalQuestion, lambda page: page.questions)
