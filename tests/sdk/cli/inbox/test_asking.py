"""The inbox asks an agent back: the dialog, what is sent, and what the card shows."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec
import pytest
from textual.widgets import TextArea

from assent.cli.inbox.card import question_words
from assent.cli.inbox.dialogs import QuestionDialog
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.events import Event
from tests.sdk.cli.inbox.counter import Counter, Sitting, sitting
from tests.sdk.data.fake_service import NOW
from tests.tiers import deep


class Desk(Counter):
    """Keeps questions, and refuses them once `full`."""

    full = False

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.questions: list[dict[str, Any]] = []

    def ask(self, _: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        if self.full:
            return 409, {"type": "about:blank", "title": "", "status": 409, "code": "too_many_questions", "detail": "3"}
        self.questions.append(question(action_id=action_id, **body))
        return 201, {"question": self.questions[-1]}

    def list_questions(self, request: httpx.Request, _: object) -> tuple[int, object]:
        found = [each for each in self.questions if each["action_id"] == request.url.params["action_id"]]
        return 200, {"questions": found[::-1], "total": len(found), "lastUpdated": NOW, "next_cursor": None}


Desk.routes = [
    ("POST", "/api/actions/([^/]+)/questions", Desk.ask),
    ("GET", "/api/questions", Desk.list_questions),
    *Counter.routes,
]


def question(**members: Any) -> dict[str, Any]:
    return {
        **dict.fromkeys(("org_id", "question_id", "approval_id", "action_type", "asked_by_key", "action_id"), "x"),
        **dict.fromkeys(("agent_id", "answer", "replaced_by", "answered_by", "answered_by_key", "closed_at")),
        "conditions": [], "state": "open", "asked_by": "ana", "created_at": NOW, "text": "why?",
    } | members  # fmt: skip


async def typed(seat: Sitting, box: str, text: str) -> None:
    seat.inbox.screen.query_one(box, TextArea).text = text
    await seat.pilot.pause()


async def test_e_asks_about_what_was_under_the_cursor_and_the_card_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.cli.inbox.screen.REST", 0.01)
    desk = Desk()
    first, second = desk.wait(2)
    async with sitting(desk) as seat:
        assert seat.cursor == second
        await seat.press("e")
        assert isinstance(seat.inbox.screen, QuestionDialog)
        await seat.press("ctrl+s")  # nothing was typed
        assert desk.questions == []
        assert seat.text("#dialog-problem") == "Say what you want to know."
        desk.wait(1)  # one more comes while it is open
        await typed(seat, "#reasoning", " Which order? ")
        await typed(seat, "#conditions", "only 50 EUR\n\n in staging ")
        desk.full = True
        await seat.press("ctrl+s")
        await seat.pilot.pause(0.2)
        assert seat.text("#dialog-problem") == "3"
        desk.full = False
        await seat.press("ctrl+s")
        await seat.pilot.pause(0.4)
        assert [(each["action_id"], each["text"], each["conditions"]) for each in desk.questions] == [
            (second, "Which order?", ["only 50 EUR", "in staging"])
        ]
        assert len(seat.inbox.screen_stack) == 1, "the dialog is gone"
        assert "ana asked: Which order?" in seat.text("#card-text").replace("\n", " ")
        desk.questions[0] |= {"state": "answered", "answer": "4711"}
        seat.wire.tell(Event(id=2, event="approval_question.updated", data=desk.questions[0]))
        await seat.pilot.pause(0.4)
        assert "answered: 4711" in " ".join(seat.text("#card-text").split())
        assert desk.actions[first]["status"] == desk.actions[second]["status"] == "pending_approval"


@deep("one story of each kind is in the quick tier")
async def test_a_dialog_whose_action_was_decided_asks_nobody() -> None:
    desk = Desk()
    (action_id,) = desk.wait(1)
    async with sitting(desk) as seat:
        await seat.press("e")
        await typed(seat, "#reasoning", "Which order?")
        desk.settle(action_id, "deny", "ben", "no")
        seat.wire.tell(desk.decided(action_id))
        await seat.pilot.pause(0.2)
        assert "Too late: denied by ben" in seat.text("#dialog-problem")
        await seat.press("ctrl+s")
        await seat.press("escape")
        assert desk.questions == []


async def test_who_may_not_decide_may_not_ask() -> None:
    desk = Desk()
    desk.wait(1)
    async with sitting(desk, may_decide="This key may look.") as seat:
        await seat.press("e")
        assert not isinstance(seat.inbox.screen, QuestionDialog)
        assert "This key may look." in seat.text("#said")


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({}, "ana asked: why?; no answer yet"),
        ({"conditions": ["a", "b"]}, "ana asked: why? (offered: a; b); no answer yet"),
        ({"state": "answered", "answer": "be\x1bcause"}, "ana asked: why?; answered: be�cause"),
        ({"state": "answered", "answer": "yes\nno"}, "ana asked: why?; answered: yes ⏎ no"),
        ({"state": "answered", "replaced_by": "act_2"}, "ana asked: why?; changed to act_2"),
        ({"state": "ended"}, "ana asked: why?; ended without an answer"),
    ],
)
def test_a_question_in_words(members: dict[str, Any], words: str) -> None:
    assert question_words(msgspec.convert(question(**members), ApprovalQuestion)) == words
