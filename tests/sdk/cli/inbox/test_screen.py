"""The full-screen inbox by its keys, over a fake service: what is seen, what is sent, and what happens meanwhile."""

from __future__ import annotations

import pytest
from textual.events import Key
from textual.widgets import Button, Input, TextArea

from assent.cli.failures import Exit
from assent.cli.inbox import screen
from assent.cli.inbox.dialogs import DecisionDialog, HelpDialog
from assent.cli.inbox.panes import ListPane
from assent.contract.events import Event
from assent.contract.problems import Code
from tests.sdk.cli.inbox.counter import Counter, Sitting, sitting
from tests.tiers import deep


@pytest.fixture
def counter() -> Counter:
    return Counter()


def dialog(desk: Sitting) -> DecisionDialog:
    found = desk.inbox.screen
    assert isinstance(found, DecisionDialog)
    return found


async def card_read(desk: Sitting) -> None:
    await desk.until(lambda: "reading…" not in desk.text("#card-text"), "the card is read")


async def test_the_list_and_the_card_of_what_the_cursor_is_on(counter: Counter) -> None:
    old, *_ = counter.wait(3, declared_goal="Ship [bold]it[/] \x1b[31m", reversible=False)
    counter.settle(old, "deny", "ana", "too early")
    async with sitting(counter) as desk:
        await card_read(desk)
        assert desk.text("#title") == "Approvals: 2 waiting, newest first"
        assert "Ship [bold]it[/] �[31m" in desk.line(2)
        card = desk.text("#card-text")
        assert "policy says require_approval" in card
        assert "CANNOT BE UNDONE" in card
        assert "denied by ana" in card
        assert "too early" in card
        assert f"/replay/{desk.cursor}" in card


async def test_the_first_key_is_the_lists_and_the_filter_has_the_focus_only_when_it_is_shown(counter: Counter) -> None:
    counter.wait(2)
    async with sitting(counter) as desk:
        box = desk.inbox.query_one("#filter", Input)
        assert not box.focusable
        await desk.press("slash")
        assert box.has_focus
        await desk.press("escape")
        assert desk.inbox.query_one(ListPane).has_focus
        assert not box.focusable


async def test_a_reason_that_is_typed_and_sent_at_once_is_whole(counter: Counter) -> None:
    """As a terminal gives it: letters and Ctrl+S together, before the first letter has been drawn."""
    (waits,) = counter.wait(1)
    async with sitting(counter) as desk:
        await desk.press("d")
        for letter in "not on a Friday":
            desk.inbox.post_message(Key("space" if letter == " " else letter, letter))
        desk.inbox.post_message(Key("ctrl+s", None))
        await desk.until(lambda: counter.approvals[waits]["state"] == "denied", "denied")
        assert counter.approvals[waits]["reasoning"] == "not on a Friday"


@deep("the screen's main ways are in the quick tier")
async def test_a_card_is_asked_for_once_the_cursor_rests_and_kept(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "REST", 1.0)
    counter.wait(6)
    async with sitting(counter) as desk:
        await card_read(desk)
        asked = len(counter.requests)
        # All at once, so that on a slow machine, too, it rests on the last one alone.
        for key in ("j", "j", "k", "j", "down"):
            desk.inbox.post_message(Key(key, key if len(key) == 1 else None))
        await desk.until(lambda: len(counter.requests) >= asked + 3, "what its card lacks was asked for")
        assert sorted(counter.requests[asked:]) == [
            ("GET", f"/api/actions/{desk.cursor}/trace"),
            ("GET", "/api/comments"),
            ("GET", "/api/questions"),
        ], (
            "the same agent and type, and approvals that are known: what was asked and said about this one is not, nor "
            "where its values came from"
        )
        assert desk.inbox.board.place() == 3


async def test_denying_takes_a_reason_and_enter_does_not_send(counter: Counter) -> None:
    first, second = counter.wait(2)
    async with sitting(counter) as desk:
        assert desk.cursor == second
        await desk.press("d")
        await desk.press("ctrl+s")
        assert "Say why" in desk.text("#dialog-problem")
        await desk.press(*"no", "enter", *"way")
        assert counter.approvals[second]["state"] == "awaiting"
        await desk.press("ctrl+s")
        await desk.until(lambda: counter.approvals[second]["state"] == "denied", "denied")
        await desk.until(lambda: not isinstance(desk.inbox.screen, DecisionDialog), "the dialog is gone")
        assert counter.approvals[second]["reasoning"] == "no\nway"
        assert desk.cursor == first
        said = desk.text("#said")
        assert "denied by operator-key at 2026-05-01T09:05:00Z: no ⏎ way" in said


async def test_allowing_needs_no_reason_and_works_by_the_button(counter: Counter) -> None:
    first, second = counter.wait(2)
    async with sitting(counter) as desk:
        await desk.press("a")
        await desk.until(lambda: counter.approvals[second]["state"] == "approved", "approved with one key")
        await desk.press("A", "tab", "tab", "tab", "enter")
        await desk.until(lambda: counter.approvals[first]["state"] == "approved", "approved")
        await desk.until(lambda: "Nothing waits" in desk.drawn(), "the list is empty")


@deep("the screen's main ways are in the quick tier")
async def test_leaving_sends_nothing_and_keeps_what_was_typed(counter: Counter) -> None:
    (only,) = counter.wait(1)
    async with sitting(counter) as desk:
        await desk.press("d", *"half", "escape")
        assert not isinstance(desk.inbox.screen, DecisionDialog)
        await desk.press("A")
        assert dialog(desk).query_one(TextArea).text == "", "a draft belongs to its verdict"
        await desk.press("escape", "d", *" way")
        assert dialog(desk).query_one(TextArea).text == "half way"
        assert counter.approvals[only]["state"] == "awaiting"


async def test_what_others_decide_leaves_at_once_and_says_who(counter: Counter) -> None:
    first, second, third = counter.wait(3)
    async with sitting(counter) as desk:
        await desk.press("j")
        assert desk.cursor == second
        counter.settle(third, "allow", "ben")
        desk.wire.tell(counter.decided(third))
        await desk.until(lambda: "2 waiting" in desk.text("#title"), "one fewer")
        assert (desk.cursor, desk.text("#said")) == (second, "")
        counter.settle(second, "deny", "ben", "no time")
        desk.wire.tell(counter.decided(second))
        await desk.until(lambda: "1 waiting" in desk.text("#title"), "one fewer")
        assert "denied by ben at 2026-05-01T09:05:00Z: no time" in desk.text("#said")
        assert desk.cursor == second, "it stays, so that no key is about its neighbour"
        assert desk.text("#card-text").splitlines()[1].startswith("Ended     denied by ben")
        await desk.press("a", "j")
        assert desk.cursor == first
        assert counter.approvals[first]["state"] == "awaiting"


@deep("the screen's main ways are in the quick tier")
async def test_what_is_withdrawn_leaves_at_once_and_an_open_dialog_is_told(counter: Counter) -> None:
    first, second = counter.wait(2)
    async with sitting(counter) as desk:
        assert desk.cursor == second
        await desk.press("A")
        counter.withdraw(second, "bot's key", "the task was cancelled")
        desk.wire.tell(counter.withdrawn(second))
        await desk.until(lambda: "Too late: withdrawn by bot's key" in desk.text("#dialog-problem"), "it is told")
        assert "the task was cancelled. Nothing is left to decide." in desk.text("#dialog-problem")
        await desk.press("escape")
        await desk.until(lambda: "1 waiting" in desk.text("#title"), "one fewer")
        await desk.press("j")
        assert desk.cursor == first


@deep("the screen's main ways are in the quick tier")
async def test_who_decided_is_asked_for_when_no_event_said_it(counter: Counter) -> None:
    _, second = counter.wait(2)
    async with sitting(counter) as desk:
        counter.settle(second, "deny", "ben", "no")
        await desk.press("r")
        await desk.until(lambda: "denied by ben" in desk.text("#said"), "who")


@deep("the screen's main ways are in the quick tier")
async def test_an_open_dialog_is_told_that_somebody_was_first(counter: Counter) -> None:
    (only,) = counter.wait(1)
    async with sitting(counter) as desk:
        await desk.press("d", *"mine")
        counter.settle(only, "allow", "ben", "fine")
        desk.wire.tell(counter.decided(only))
        await desk.until(lambda: "Already decided" in desk.text("#dialog-problem"), "told")
        assert "allowed by ben at 2026-05-01T09:05:00Z: fine" in desk.text("#dialog-problem")
        assert dialog(desk).query_one("#send", Button).disabled
        await desk.press("ctrl+s", "escape")
        assert counter.approvals[only]["decided_by"] == "ben"


async def test_the_loser_of_a_race_is_told_who_and_when(counter: Counter) -> None:
    (only,) = counter.wait(1)
    async with sitting(counter) as desk:
        await desk.seen()
        counter.settle(only, "deny", "ben", "no")
        await desk.press("a")
        told = "was not allowed by you: denied by ben at 2026-05-01T09:05:00Z: no"
        await desk.until(lambda: told in desk.text("#said"), "told")
        assert "0 waiting" in desk.text("#title")
        await desk.press("n")
        assert told in desk.drawn().replace("\n", " "), "and it can be read again"


async def test_a_decision_whose_answer_was_lost_is_sent_again_by_itself(
    counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.deciding.AGAIN_SECONDS", 4.0)
    (only,) = counter.wait(1)
    async with sitting(counter) as desk:
        counter.lose_next = True
        await desk.press("a")
        await desk.until(lambda: "sending it again is safe" in desk.text("#held"), "in doubt")
        await desk.press("u")
        assert "it has left already" in desk.text("#said")
        await desk.until(lambda: "allowed by operator-key" in desk.text("#said"), "sent")
        assert (counter.approvals[only]["decided_by"], desk.text("#held")) == ("operator-key", "")


async def test_a_service_that_is_gone_is_said_and_comes_back_by_itself(counter: Counter) -> None:
    (only,) = counter.wait(1)
    async with sitting(counter) as desk:
        counter.gone = True
        await desk.press("r")
        await desk.until(lambda: "does not answer since" in desk.text("#away"), "gone")
        assert "goal 0" in desk.drawn(), "what was seen stays"
        await desk.press("a")
        assert not isinstance(desk.inbox.screen, DecisionDialog)
        assert "Nothing can be decided" in desk.text("#said")
        counter.gone = False
        await desk.until(lambda: not desk.text("#away"), "back by itself")
        await desk.press("a")
        await desk.until(lambda: counter.approvals[only]["state"] == "approved", "approved")


@deep("the screen's main ways are in the quick tier")
async def test_an_open_dialog_waits_for_a_service_that_is_gone(counter: Counter) -> None:
    (only,) = counter.wait(1)
    async with sitting(counter) as desk:
        await desk.press("d", *"no")
        counter.gone = True
        desk.inbox.action_read()
        await desk.until(lambda: "your words are kept" in desk.text("#dialog-problem"), "said")
        assert dialog(desk).query_one("#send", Button).disabled
        counter.gone = False
        await desk.until(lambda: not desk.text("#dialog-problem"), "back")
        await desk.press("ctrl+s")
        await desk.until(lambda: counter.approvals[only]["state"] == "denied", "denied")
        assert counter.approvals[only]["reasoning"] == "no"


@deep("the screen's main ways are in the quick tier")
async def test_new_ones_come_above_and_the_cursor_stays(counter: Counter) -> None:
    counter.wait(2)
    async with sitting(counter) as desk:
        await desk.press("j")
        under = desk.cursor
        counter.wait(1)
        await desk.press("r")
        await desk.until(lambda: "3 waiting" in desk.text("#title"), "the new one")
        assert (desk.cursor, desk.inbox.board.place()) == (under, 2)


@deep("the screen's main ways are in the quick tier")
async def test_filter_order_help_and_quit(counter: Counter) -> None:
    counter.wait(2)
    counter.wait(1, declared_goal="Send the letter")
    async with sitting(counter) as desk:
        await desk.press("slash", *"LETTER", "enter")
        assert desk.text("#title") == "Approvals: 1 of 3 waiting, newest first"
        await desk.press("x", "slash", *(" letter" * 20), "enter")
        await desk.pilot.resize_terminal(60, 20)
        await desk.until(lambda: desk.line(0).startswith(" Approvals: 1 of 3 waiting, newest first; 1 selected"))
        await desk.press("x")
        await desk.press("escape", "O")
        assert desk.text("#title") == "Approvals: 3 waiting, expires first"
        await desk.press("question_mark")
        assert isinstance(desk.inbox.screen, HelpDialog)
        await desk.press("a")
        assert isinstance(desk.inbox.screen, HelpDialog), "keys of the list do nothing behind a dialog"
        await desk.press("escape", "q")
        assert desk.inbox.return_code == 0


async def test_the_kill_switch_is_seen_while_it_is_on(counter: Counter) -> None:
    counter.wait(1)
    async with sitting(counter) as desk:
        assert desk.text("#halt") == ""
        counter.halted = "Incident\x1b 4711"
        desk.wire.tell(Event(id=1, event="halt.changed", data={}))
        words = "! The kill switch is on since 2026-05-01T09:00:00Z, by root: Incident� 4711. Nothing can be allowed"
        await desk.until(lambda: desk.text("#halt").startswith(words), "it is told")
        await desk.until(lambda: "The kill switch is on" in desk.drawn(), "it is drawn")
        counter.halted = None
        desk.wire.tell(Event(id=2, event="halt.changed", data={}))
        await desk.until(lambda: desk.text("#halt") == "", "it is off")
    counter.halted = "Incident 4711"
    async with sitting(counter) as desk:
        assert "by root: Incident 4711" in desk.text("#halt"), "from the beginning"


async def test_a_key_that_may_not_decide_is_told_so(counter: Counter) -> None:
    counter.wait(1)
    async with sitting(counter, may_decide="This key may look, and not decide.") as desk:
        await desk.press("d")
        assert "may look, and not decide" in desk.text("#said")


@deep("the screen's main ways are in the quick tier")
async def test_a_key_that_is_refused_ends_it(counter: Counter) -> None:
    counter.wait(1)
    async with sitting(counter) as desk:
        counter.refuse = Code.UNAUTHORIZED
        desk.inbox.action_read()
        await desk.until(lambda: desk.inbox.return_code == Exit.UNAUTHORIZED, "ended")


@pytest.mark.parametrize(
    "size",
    [
        (60, 15),
        *(pytest.param(size, marks=deep("the smallest is in the quick tier")) for size in ((80, 24), (150, 40))),
    ],
)
async def test_nothing_important_is_cut_at_any_size(counter: Counter, size: tuple[int, int]) -> None:
    counter.wait(30, declared_goal="Move the archive of the north region to cold storage", reversible=False)
    async with sitting(counter, size=size) as desk:
        await card_read(desk)
        drawn = desk.drawn()
        assert "30 waiting" in drawn
        assert "10 low" in drawn
        assert "policy says require_approval" in drawn
        assert "CANNOT BE UNDONE" in drawn
        assert "a allow   d deny" in drawn
        await desk.press("G")
        assert "> " in desk.drawn(), "the cursor is seen at the end of the list"
        await desk.press("d", "ctrl+s")
        drawn = desk.drawn()
        for part in ("DENY this action?", "CANNOT BE UNDONE", "Say why", "Deny (Ctrl+S)", "Leave (Esc)"):
            assert part in drawn
