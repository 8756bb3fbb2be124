"""Questions of operators about actions that wait."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _waiting(owner: Tenant) -> str:
    return owner.create("review_me", status="pending_approval")


def _ask(owner: Tenant) -> Ask:
    return Ask(f"/api/actions/{_waiting(owner)}/questions", {"text": "Which customer is it for?"})


def _answer(owner: Tenant) -> Ask:
    path = f"/api/actions/{_waiting(owner)}/questions"
    made = owner.call("POST", path, {"text": "Which customer is it for?"}, key="operator")
    return Ask(f"/api/questions/{made['question']['question_id']}/answer", {"answer": "For 4711."})


ASKS: dict[str, Asking] = {
    "ask_question": Asking(" o m", _ask),
    "answer_question": Asking("a  m", _answer),
    "get_questions": Asking("aoum", lambda _: Ask("/api/questions")),
}
