"""Undo, selection and leaving, by keys over a fake service: what is shown, what is sent, and when."""

from __future__ import annotations

import re

import pytest
from textual.events import Key as Pressed
from textual.widgets import Input, TextArea

from assent.cli.failures import Exit
from assent.cli.inbox.dialogs import DecisionDialog, NoticesDialog
from assent.contract.problems import Code
from tests.sdk.cli.inbox.counter import Counter, Sitting, sitting
from tests.tiers import deep


@pytest.fixture
def counter() -> Counter:
    return Counter()


def states(counter: Counter, *names: str) -> list[str]:
    return [counter.approvals[name]["state"] for name in names]


async def no_dialog(desk: Sitting) -> None:
    await desk.until(lambda: not isinstance(desk.inbox.screen, DecisionDialog), "the dialog is gone")


async def test_a_decision_waits_is_shown_and_is_taken_back_and_leaving_sends_the_rest(counter: Counter) -> None:
    first, second, third = counter.wait(3)
    async with sitting(counter, hold=60.0) as desk:
        await desk.press("a", "a")
        assert desk.cursor == first
        bar = re.sub(r"in [56]\d s", "in N s", desk.text("#held"))
        assert bar == "allow “goal 2” in N s, allow “goal 1” in N s; u takes the last one back"
        assert desk.line(2).split()[:2] == ["a", "10"]
        await desk.press("u")
        assert "“goal 1” waits again." in desk.text("#said")
        assert "goal 1" not in desk.text("#held")
        assert states(counter, first, second, third) == ["awaiting"] * 3, "nothing has left"
        await desk.press("q")
        assert (desk.inbox.return_code, desk.inbox.leaving) == (0, True)
    with counter.client() as client:
        desk.inbox.inbox_client.client = client  # the sitting's is closed with it
        said, unsent = desk.inbox.finish()
    assert (said, unsent) == (["“goal 2”: allowed by operator-key at 2026-05-01T09:05:00Z"], False)
    assert states(counter, first, second, third) == ["awaiting", "awaiting", "approved"]


async def test_what_is_held_leaves_by_itself_when_its_time_has_come(counter: Counter) -> None:
    first, second = counter.wait(2)
    async with sitting(counter, hold=3.0) as desk:
        await desk.press("a")
        assert states(counter, second) == ["awaiting"]
        await desk.until(lambda: "allowed by operator-key" in desk.text("#said"), "it has left")
        assert (states(counter, first, second), desk.text("#held")) == (["awaiting", "approved"], "")
        await desk.press("u")
        assert "nothing is held that could be taken back" in desk.text("#said")


async def test_selected_ones_are_decided_together_and_one_conflict_loses_nothing_else(counter: Counter) -> None:
    ids = counter.wait(4)
    async with sitting(counter) as desk:
        await desk.press("x", "j", "x", "j", "j", "x")
        assert "3 selected" in desk.text("#title")
        assert desk.line(2).split()[0] == "x"
        await desk.press("d")
        assert "DENY these 3 actions, each by itself?" in desk.text("#dialog-title")
        assert [name in desk.text("#dialog-text") for name in ("goal 0", "goal 1", "goal 2", "goal 3")] == [
            True,
            False,
            True,
            True,
        ]
        desk.inbox.screen.query_one("#reasoning", TextArea).text = "Not on a Friday"
        counter.settle(ids[2], "allow", "ben", "mine")  # and nobody has heard of it yet
        await desk.press("ctrl+s")
        told = "“goal 2” was not denied by you: allowed by ben at 2026-05-01T09:05:00Z: mine"
        await desk.until(lambda: list(desk.inbox.triage.notices) == [told], "who was faster")
        await desk.until(lambda: not desk.inbox.triage.holding, "all have left")
        assert states(counter, *ids) == ["denied", "awaiting", "approved", "denied"]
        denials = [counter.approvals[name] for name in (ids[0], ids[3])]
        assert [each["reasoning"] for each in denials] == ["Not on a Friday"] * 2
        assert len({each["idempotency_key"] for each in denials}) == 2, "each has evidence of its own"
        await desk.press("n")
        assert isinstance(desk.inbox.screen, NoticesDialog)
        assert "allowed by ben" in desk.drawn()


@deep("one story of each kind is in the quick tier")
async def test_one_of_several_that_ends_while_the_form_is_open_is_told_and_left_out(counter: Counter) -> None:
    first, second = counter.wait(2)
    async with sitting(counter) as desk:
        await desk.press("x", "j", "x", "a")
        counter.settle(second, "deny", "ben", "no")
        desk.wire.tell(counter.decided(second))
        await desk.until(lambda: "“goal 1”: denied by ben" in desk.text("#dialog-problem"), "it is told")
        assert "1 left to decide." in desk.text("#dialog-problem")
        await desk.press("ctrl+s")
        await desk.until(lambda: states(counter, first) == ["approved"], "the other one")
        assert counter.approvals[second]["decided_by"] == "ben"


@pytest.mark.parametrize(
    ("typed", "reasoning"),
    [("Allow", None), pytest.param("I called them", "I called them", marks=deep("one is in the quick tier"))],
)
async def test_a_high_risk_takes_the_word_or_a_reason(counter: Counter, typed: str, reasoning: str | None) -> None:
    (only,) = counter.wait(1, risk_score=90)
    async with sitting(counter) as desk:
        await desk.press("a")
        assert "Its risk is 90: type allow" in desk.text("#dialog-label")
        await desk.press("ctrl+s")
        assert "type allow, or say why" in desk.text("#dialog-problem")
        assert states(counter, only) == ["awaiting"]
        desk.inbox.screen.query_one("#reasoning", TextArea).text = typed
        await desk.press("ctrl+s")
        await desk.until(lambda: states(counter, only) == ["approved"], "approved")
        assert counter.approvals[only]["reasoning"] == reasoning


@deep("one story of each kind is in the quick tier")
async def test_conditions_and_a_time_limit(counter: Counter) -> None:
    (only,) = counter.wait(1)
    sent: list[dict[str, object]] = []
    deciding = Counter.decide_once

    class Kept(Counter):
        def decide_once(self, request, body, action_id):  # type: ignore[no-untyped-def]
            sent.append(body)
            return deciding(self, request, body, action_id)

    counter.__class__ = Kept
    Kept.routes = [("POST", "/api/actions/([^/]+)/approve", Kept.decide_once), *Counter.routes]
    async with sitting(counter) as desk:
        await desk.press("A")
        desk.inbox.screen.query_one("#conditions", TextArea).text = "Before noon\n\n No more than 100"
        for wrong in ("0", "1.5", "soon", "525601", "²"):
            desk.inbox.screen.query_one("#minutes", Input).value = wrong
            await desk.press("ctrl+s")
            assert "whole minutes from 1 to 525600" in desk.text("#dialog-problem")
        desk.inbox.screen.query_one("#minutes", Input).value = "30"
        await desk.press("ctrl+s")
        await desk.until(lambda: states(counter, only) == ["approved"], "approved")
    (body,) = sent
    assert (body["conditions"], body["valid_minutes"]) == (["Before noon", "No more than 100"], 30)


async def test_letters_behind_a_key_that_opens_a_form_go_into_it(counter: Counter) -> None:
    """As a terminal gives them when somebody types fast: all at once, before the form is there. What sends it is
    refused then, and what was typed stays."""
    first, second = counter.wait(2)
    async with sitting(counter) as desk:
        await desk.seen()
        for letter in "danger ahead":
            desk.inbox.post_message(Pressed("space" if letter == " " else letter, letter))
        desk.inbox.post_message(Pressed("ctrl+s", None))
        await desk.until(lambda: "form was not on the screen yet" in desk.drawn(), "it is refused")
        assert states(counter, second) == ["awaiting"]
        await desk.press("ctrl+s")
        await desk.until(lambda: states(counter, second) == ["denied"], "denied")
        assert counter.approvals[second]["reasoning"] == "anger ahead"
        await no_dialog(desk)
        for letter in ("slash", "a", "d"):
            desk.inbox.post_message(Pressed(letter, "/" if letter == "slash" else letter))
        await desk.until(lambda: desk.inbox.board.words == "ad", "they are words of the filter")
        assert states(counter, first) == ["awaiting"]


async def test_a_key_before_the_screen_shows_its_request_is_refused_and_said(counter: Counter) -> None:
    ids = counter.wait(3)
    async with sitting(counter, hold=60.0) as desk:
        await desk.seen()
        for letter in "jja":
            desk.inbox.post_message(Pressed(letter, letter))
        await desk.until(lambda: "Not taken (allow)" in desk.text("#said"), "it is said")
        assert "was not on the screen yet" in desk.text("#said")
        assert (desk.cursor, len(desk.inbox.triage.holding)) == (ids[0], 0)
        await desk.pilot.pause(0.2)
        await desk.press("a")
        assert [each.action_id for each in desk.inbox.triage.holding] == [ids[0]]


async def test_who_is_faster_than_a_held_decision_is_told_with_when(counter: Counter) -> None:
    first, second = counter.wait(2)
    async with sitting(counter, hold=60.0) as desk:
        await desk.press("a", "a")
        counter.settle(second, "deny", "ben", "no")
        desk.wire.tell(counter.decided(second))
        told = "“goal 1” was not allowed by you: denied by ben at 2026-05-01T09:05:00Z: no"
        await desk.until(lambda: told in desk.text("#said"), "told")
        assert [each.action_id for each in desk.inbox.triage.holding] == [first], "and nothing else is lost"
        desk.inbox.say("Something else happened.")
        assert [line[10:] for line in desk.text("#said").splitlines()[:2]] == [told, "Something else happened."]
        await desk.press("k")
        assert told not in desk.text("#said"), "a key was pressed: it was read"
        assert "1 decision or selected request ended otherwise; n tells how." in desk.text("#said")


@deep("one story of each kind is in the quick tier")
async def test_leaving_tells_what_could_not_be_sent(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.deciding.AGAIN_SECONDS", 0.1)
    first, second = counter.wait(2)
    async with sitting(counter, hold=60.0) as desk:
        await desk.press("a", "a", "ctrl+c")
        assert desk.inbox.return_code == Exit.INTERRUPTED
    counter.settle(second, "deny", "ben", "no")
    counter.gone = True
    with counter.client() as client:
        desk.inbox.inbox_client.client = client
        said, unsent = desk.inbox.finish(0.5)
    how = "was perhaps allowed: the service did not answer. Look whether it still waits."
    assert (sorted(said), unsent) == ([f"“goal 0” {how}", f"“goal 1” {how}"], True)
    assert states(counter, first) == ["awaiting"]


@deep("one story of each kind is in the quick tier")
async def test_a_key_that_is_revoked_while_something_is_held_says_what_was_not_sent(counter: Counter) -> None:
    (only,) = counter.wait(1)
    async with sitting(counter, hold=60.0) as desk:
        await desk.press("a")
        counter.refuse = Code.UNAUTHORIZED
        desk.inbox.action_read()
        await desk.until(lambda: desk.inbox.return_code == Exit.UNAUTHORIZED, "ended")
    before = len(counter.requests)
    said, unsent = desk.inbox.finish()
    assert (said, unsent) == (["“goal 0” was not allowed: it was not sent. It still waits."], True)
    assert (states(counter, only), len(counter.requests)) == (["awaiting"], before)
