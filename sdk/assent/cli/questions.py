"""`assent ask`, `answer` and `questions`: what an operator wants to know before deciding, and what the agent says."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.approvals import ActionId
from assent.cli.input import identifier
from assent.cli.session import CommandSession, connected
from assent.cli.text import clean, moment
from assent.contract.control.questions import ApprovalQuestion, QuestionState

HEADER = ("question_id", "action_id", "agent", "state", "asked_by", "question", "answer", "asked_at")
PAGE = 200

QuestionId = Annotated[str, typer.Argument(callback=identifier, help="The question, as `assent questions` lists it.")]
Offers = Annotated[
    list[str] | None,
    typer.Option("--condition", help="A changed condition under which you would allow it; give it once for each."),
]


def register(app: typer.Typer) -> None:
    """At the top, beside the decisions."""
    app.command("ask")(ask)
    app.command("answer")(answer)
    app.command("questions")(list_questions)


@connected
def ask(
    session: CommandSession,
    action_id: ActionId,
    text: Annotated[str, typer.Argument(help="What the agent is asked, up to 4,000 bytes.")],
    conditions: Offers = None,
) -> None:
    """Ask the agent about an action that waits, before deciding. It decides nothing, and the time runs on."""
    question = session.client.ask_question(action_id, text, conditions=conditions or None).question
    session.output.lines(
        question,
        f"Asked: {question.question_id} about {question.action_id}",
        *(f"Offered: {clean(each)}" for each in question.conditions),
        "The action still waits; `assent questions` shows the answer.",
    )


@connected
def answer(
    session: CommandSession,
    question_id: QuestionId,
    text: Annotated[str, typer.Argument(help="The answer, up to 4,000 bytes.")],
) -> None:
    """Answer an operator's question, with the agent's own key. The action still waits."""
    question = session.client.answer_question(question_id, text).question
    session.output.lines(
        question, f"Answered: {question.question_id} about {question.action_id}", "The action still waits."
    )


@connected
def list_questions(
    session: CommandSession,
    action_id: Annotated[str | None, typer.Option("--action", help="Those about this action.")] = None,
    state: Annotated[QuestionState | None, typer.Option("--state", help="open, answered or ended.")] = None,
) -> None:
    """The newest questions that operators asked, with the answers."""
    page = session.client.get_questions(action_id=action_id, state=state, limit=PAGE)
    session.output.rows(page, HEADER, [row(each) for each in page.questions], "No questions.")


def row(question: ApprovalQuestion) -> tuple[object, ...]:
    """One question as columns."""
    offered = f" (offered: {'; '.join(question.conditions)})" if question.conditions else ""
    changed = "" if question.replaced_by is None else f"changed to {question.replaced_by}"
    return (
        question.question_id,
        question.action_id,
        question.agent_id,
        question.state,
        question.asked_by,
        f"{question.text}{offered}",
        question.answer or changed,
        moment(question.created_at),
    )
