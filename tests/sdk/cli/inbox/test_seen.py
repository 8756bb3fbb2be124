"""On the whole screen: what has to be seen before a request is allowed, and before a form sends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from textual.events import Key as Pressed
from textual.widgets import Input, TextArea

from assent.cli.inbox import triage
from assent.cli.inbox.dialogs import CommentDialog, DecisionDialog, LaterDialog, QuestionDialog
from assent.cli.inbox.forms import EARLY
from assent.cli.inbox.grant_dialog import GrantDialog
from assent.cli.inbox.inbox_client import InboxClient, LookedAt
from assent.cli.inbox.panes import CardPane
from assent.cli.inbox.triage import REPEATED
from tests.sdk.cli.inbox.counter import Counter, Sitting, sitting
from tests.sdk.cli.inbox.test_talking import Office
from tests.tiers import deep

SMALL = (80, 24)
ORDINARY = {"recipient": "DE89 3704 0044", "amount": 98.7, "currency": "EUR", "memo": "order 4711", "due": "today"}
MANY = {f"argument{number}": number for number in range(61)}
REST = "were not on the screen to their end; J shows the rest"


@pytest.fixture
def counter() -> Counter:
    return Counter()


def waits(counter: Counter, given: dict[str, Any], count: int = 1, **more: Any) -> list[str]:
    """So many that wait, with these arguments."""
    ids = counter.wait(count, **more)
    counter.given |= dict.fromkeys(ids, given)
    return ids


def state(counter: Counter, name: str) -> str:
    return str(counter.approvals[name]["state"])


def words(text: str) -> str:
    """A text without its lines and frames."""
    return " ".join(re.sub("[│▁▂▃▄▅▆▇█]", " ", text).split())


async def read(desk: Sitting) -> None:
    await desk.until(lambda: desk.cursor in desk.inbox.board.looked_at, "its arguments are read")
    await desk.until(lambda: "reading…" not in desk.text("#card-text"), "the card is read")


async def refused(desk: Sitting, key: str, why: str) -> None:
    desk.hasty = True
    await desk.pilot.pause(0.2)
    await desk.press(key)
    await desk.until(lambda: why in words(desk.text("#said")), why)


async def scroll(desk: Sitting, key: str = "J", least: float = REPEATED) -> None:
    """As somebody does who reads."""
    await desk.pilot.press(key)
    await desk.pilot.pause(least + 0.05)


async def test_an_ordinary_request_shows_why_and_its_arguments_at_once(counter: Counter) -> None:
    *_, newest = waits(counter, ORDINARY, 12)
    async with sitting(counter, size=SMALL) as desk:
        await read(desk)
        drawn = desk.drawn()
        for part in ("policy says require_approval", *ORDINARY):
            assert part in drawn
        await desk.press("a")
        await desk.until(lambda: state(counter, newest) == "approved", "approved")


async def test_a_long_goal_pushes_nothing_off_the_screen_and_v_shows_it(counter: Counter) -> None:
    waits(counter, ORDINARY | {"memo": "m" * 3000}, 12, declared_goal="Pay " * 700)
    async with sitting(counter, size=SMALL) as desk:
        await read(desk)
        drawn = desk.drawn()
        for part in ("policy says require_approval", "more characters; v shows them", "recipient: DE89", "memo"):
            assert part in drawn
        text = desk.inbox.query_one("#card-text")
        await desk.until(
            lambda: text.size.height == len(desk.text("#card-text").splitlines()), "no line is broken by the screen"
        )
        await desk.press("v")
        assert words(desk.text("#card-text")).startswith(("Pay " * 700).strip())
        assert "m" * 3000 in desk.text("#card-text").replace("\n", "").replace(" ", "")
        await desk.press("v")
        assert "more characters; v shows them" in desk.text("#card-text")


@pytest.mark.parametrize("key", ["a", "A"])
async def test_what_stands_below_the_edge_has_to_be_scrolled_to_and_denying_has_not(counter: Counter, key: str) -> None:
    (only,) = waits(counter, MANY, reversible=False)
    async with sitting(counter, size=SMALL) as desk:
        await read(desk)
        await refused(desk, key, REST)
        assert (state(counter, only), len(desk.inbox.screen_stack)) == ("awaiting", 1)
        await desk.press("d")
        assert isinstance(desk.inbox.screen, DecisionDialog)
        await desk.press("escape")
        presses = 0
        while "argument60: 60" not in desk.drawn():
            await scroll(desk)
            presses += 1
            assert presses < len(MANY), "J reaches every argument"
        desk.hasty = False
        await desk.press(key)
        if key == "A":
            assert isinstance(desk.inbox.screen, DecisionDialog)
            await desk.press("ctrl+s")
        await desk.until(lambda: state(counter, only) == "approved", "approved")


async def test_what_was_passed_over_is_above_and_what_was_seen_is_remembered(counter: Counter) -> None:
    other, only = waits(counter, MANY, 2)
    counter.given[other] = ORDINARY
    async with sitting(counter, size=SMALL) as desk:
        await read(desk)
        desk.inbox.query_one(CardPane).scroll_end(animate=False)
        await desk.until(lambda: "argument60: 60" in desk.drawn(), "the end of the card")
        await refused(desk, "a", "to their end; K shows the rest")
        while "policy says" not in desk.drawn():
            await scroll(desk, "K")
        await desk.press("j")
        assert desk.cursor == other
        await read(desk)
        desk.hasty = False
        await desk.press("k", "a")
        await desk.until(lambda: state(counter, only) == "approved", "it was seen before")
        assert state(counter, other) == "awaiting"


async def test_a_long_goal_is_allowed_or_granted_once_its_end_was_seen() -> None:
    office = Office()
    goal = f"{'Tell the customer what was agreed and when it comes. ' * 18}AND DELETE THE CUSTOMER"
    (only,) = waits(office, ORDINARY, declared_goal=goal, risk_score=20)
    async with sitting(office, size=SMALL) as desk:
        await read(desk)
        assert "AND DELETE" not in desk.drawn()
        for key in "aAf":
            await refused(
                desk, key, "its goal, why it was stopped and its arguments were not on the screen to their end; v"
            )
        assert (state(office, only), len(desk.inbox.screen_stack)) == ("awaiting", 1)
        await scroll(desk, "v")
        presses = 0
        while "AND DELETE THE CUSTOMER" not in desk.drawn() or "today" not in desk.drawn():
            await scroll(desk)
            presses += 1
            assert presses < 20, "J reaches the end"
        desk.hasty = False
        await desk.press("f")
        assert isinstance(desk.inbox.screen, GrantDialog)
        await desk.press("escape", "a")
        await desk.until(lambda: state(office, only) == "approved", "the goal was read")


async def test_a_form_about_several_asks_for_the_word_where_what_differs_is_not_shown(counter: Counter) -> None:
    names = waits(counter, {"body": "ls"}, 2, declared_goal="Restart it")
    counter.given[names[0]] = {"body": "ls\u200b"}
    counter.given[names[1]] = {"body": "ls\u200c"}
    async with sitting(counter, size=SMALL) as desk:
        await desk.press("x", "j", "x", "a")
        assert words(desk.text("#dialog-text")).count("differs in what is not shown: argument body") == 2
        await desk.press("ctrl+s")
        assert desk.text("#dialog-problem").endswith("type allow, or say why.")
        await desk.press(*"allow", "ctrl+s")
        await desk.until(lambda: {state(counter, name) for name in names} == {"approved"}, "approved")


NARROW = "wide characters, narrow"
LONG = {
    "many words": (80, 24, {"amount": 5, "memo": "word " * 300, "to": "the_end"}),
    NARROW: (60, 20, {"note": "請求書を支払って " * 90 + "the_end"}),
    "behind forty others": (
        80,
        24,
        {f"n{number}": number for number in range(45)} | {"z": "m" * 900 + " the_end"},
    ),
    "many lines": (60, 20, {"memo": "\n".join(f"line {number}" for number in range(60)) + "\nthe_end"}),
}


@pytest.mark.parametrize(
    ("columns", "lines", "given"),
    [
        pytest.param(*value, id=name, marks=() if name == NARROW else deep("one long value is in the quick tier"))
        for name, value in LONG.items()
    ],
)
async def test_a_long_value_is_allowed_or_granted_once_its_end_was_seen(
    columns: int, lines: int, given: dict[str, Any]
) -> None:
    office = Office()
    (only,) = waits(office, given)
    async with sitting(office, size=(columns, lines)) as desk:
        await read(desk)
        for key in "aAf":
            await refused(desk, key, "were not on the screen to their end; v shows the rest")
        await desk.press("v")
        for key in "fa":
            await refused(desk, key, REST)
        assert (state(office, only), len(desk.inbox.screen_stack)) == ("awaiting", 1)
        presses = 0
        while "the_end" not in desk.drawn():
            await scroll(desk)
            presses += 1
            assert presses < 60, "J reaches the end"
        desk.hasty = False
        await desk.press("f")
        assert isinstance(desk.inbox.screen, GrantDialog)
        await desk.press("escape", "v", "a")
        await desk.until(lambda: state(office, only) == "approved", "seen once, it may be short again")


async def test_what_flashed_by_was_not_seen(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    least = 0.5  # so that a busy machine draws faster than anybody sees
    monkeypatch.setattr(triage, "REPEATED", least)
    (only,) = waits(counter, {"memo": "word " * 700})
    async with sitting(counter, size=SMALL) as desk:
        await read(desk)
        await desk.pilot.press("v")
        pane = desk.inbox.query_one(CardPane)
        while pane.scroll_y < pane.max_scroll_y:
            await desk.pilot.press("J")
        await refused(desk, "a", "were not on the screen to their end; K shows the rest")
        while "policy says" not in desk.drawn():
            await scroll(desk, "K", least)
        while pane.scroll_y < pane.max_scroll_y:
            await scroll(desk, "J", least)
        desk.hasty = False
        await desk.press("a")
        await desk.until(lambda: state(counter, only) == "approved", "it was read")


async def test_an_ordinary_mail_is_seen_whole_where_the_card_has_room(counter: Counter) -> None:
    body = f"Dear Ms Novak, {'your order 4711 was sent today and will arrive on Friday. ' * 2}Kind regards, ACME"
    (only,) = waits(counter, {"to": "novak@shop.invalid", "subject": "Your order 4711", "body": body})
    async with sitting(counter, size=(140, 50)) as desk:
        await read(desk)
        assert body in words(desk.text("#card-text"))
        await desk.press("a")
        await desk.until(lambda: state(counter, only) == "approved", "approved")


@pytest.mark.parametrize("key", ["v", "J", "u", "r", "enter"])
async def test_why_a_key_was_not_taken_goes_with_the_next_key(counter: Counter, key: str) -> None:
    waits(counter, MANY)
    async with sitting(counter, size=SMALL) as desk:
        await read(desk)
        await refused(desk, "a", REST)
        await desk.press(key)
        assert "Not taken (allow)" not in desk.text("#said")


@pytest.mark.parametrize("words", ["", "goal"])
async def test_what_takes_the_place_of_the_only_request_is_not_allowed_by_a_key_for_that(
    counter: Counter, words: str
) -> None:
    (old,) = waits(counter, ORDINARY)
    async with sitting(counter) as desk:
        await read(desk)
        if words:
            await desk.press("slash", *words, "enter")
        counter.withdraw(old, "bot's key", "replaced")
        (new,) = waits(counter, ORDINARY | {"amount": 98_700})
        desk.wire.tell(counter.withdrawn(old))
        await desk.until(lambda: desk.inbox.board.item(new) is not None, "its replacement is listed")
        await refused(desk, "a", "it waits no longer")
        assert (desk.cursor, state(counter, new)) == (old, "awaiting")
        assert "Ended" in desk.text("#card-text")
        desk.hasty = False
        await desk.press("k")
        assert desk.cursor == new
        await desk.press("a")
        await desk.until(lambda: state(counter, new) == "approved", "it was looked at")


def ended(desk: Sitting) -> bool:
    """Whether what stands below the arguments is on the screen."""
    return "Touches" in desk.drawn()


@deep("what an approval of it takes is in the quick tier")
async def test_a_grant_of_a_high_risk_asks_for_the_word_as_an_approval_does() -> None:
    office = Office()
    waits(office, {"to": "DE89"}, risk_score=95)
    async with sitting(office, size=(100, 40)) as desk:
        await desk.press("f")
        await desk.until(lambda: "3 of 4 requests" in words(desk.text("#dialog-text")), "what it covers")
        await desk.press("ctrl+s")
        assert (desk.text("#dialog-problem"), office.grants) == ("Its risk is 95: type allow.", [])
        desk.inbox.screen.query_one("#word", Input).value = " Allow"
        await desk.press("ctrl+s")
        await desk.until(lambda: len(office.grants) == 1, "given")


async def test_what_need_not_be_seen_whole_asks_for_a_word_or_a_reason() -> None:
    office = Office()
    (only,) = waits(office, {"blob": "x" * 4001, "to": "DE89"})
    async with sitting(office, size=(100, 60)) as desk:
        await desk.press("v")
        while not ended(desk):
            await scroll(desk)
        await desk.press("a")
        assert "Not all of its arguments had to be seen: type allow, or the reason" in words(desk.text("#dialog-label"))
        await desk.press("ctrl+s")
        assert desk.text("#dialog-problem") == "Not all of its arguments had to be seen: type allow, or say why."
        await desk.press("escape", "f")
        await desk.until(lambda: "3 of 4 requests" in words(desk.text("#dialog-text")), "what it covers")
        await desk.press("ctrl+s")
        assert desk.text("#dialog-problem") == "Not all of its arguments had to be seen: type allow."
        assert office.grants == []
        desk.inbox.screen.query_one("#word", Input).value = "allow"
        await desk.press("ctrl+s")
        await desk.until(lambda: len(office.grants) == 1, "given")
        await desk.press("a", *"allow", "ctrl+s")
        await desk.until(lambda: state(office, only) == "approved", "allowed")


@pytest.mark.parametrize(
    "size", [(60, 20), *(pytest.param(size, marks=deep("the narrowest is quick")) for size in ((80, 24), (100, 40)))]
)
async def test_the_form_of_a_grant_has_its_buttons_in_sight(size: tuple[int, int]) -> None:
    office = Office()
    waits(office, {"to": "DE89"})
    async with sitting(office, size=size) as desk:
        await desk.press("f")
        await desk.until(lambda: "3 of 4 requests" in words(desk.text("#dialog-text")), "what it covers")
        await desk.until(lambda: "Allow in advance (Ctrl+S)" in desk.drawn(), "the button")


async def test_a_card_that_changes_has_to_be_seen_anew_and_a_window_that_changes_does_not(counter: Counter) -> None:
    (only,) = waits(counter, ORDINARY)
    async with sitting(counter, size=SMALL) as desk:
        await desk.press("j")
        await desk.pilot.resize_terminal(60, 12)
        await desk.pilot.pause(0.2)
        desk.inbox.board.looked_at[only] = LookedAt(None, MANY)
        desk.inbox.draw()
        await refused(desk, "a", REST)
        desk.inbox.board.looked_at[only] = LookedAt(None, ORDINARY)
        desk.inbox.draw()
        await desk.pilot.pause(0.2)
        await desk.press("a")
        await desk.until(lambda: state(counter, only) == "approved", "its arguments were seen in the larger window")


async def test_arguments_that_were_not_read_yet_are_said(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.cli.inbox.screen.REST", 60.0)
    (only,) = waits(counter, ORDINARY)
    async with sitting(counter, size=SMALL) as desk:
        await desk.until(lambda: desk.inbox.triage.seen(float("inf")), "why it was stopped is seen")
        await refused(desk, "a", "its arguments are still being read")
        desk.hasty = False
        for _ in range(20):  # on a busy machine a press may still count as the one before
            await desk.press("a")
            await desk.pilot.pause(0.3)
            if state(counter, only) == "approved":
                break
        assert state(counter, only) == "approved", "the refusal has them read"


@pytest.fixture
def held_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """No arguments are read until this is set."""
    release, looked_at = Event(), InboxClient.looked_at

    def later(client: InboxClient, action_id: str) -> LookedAt:
        assert release.wait(30)
        return looked_at(client, action_id)

    monkeypatch.setattr(InboxClient, "looked_at", later)
    yield release
    release.set()


async def test_several_are_not_decided_before_the_arguments_of_each_are_read(
    counter: Counter, held_back: Event
) -> None:
    waits(counter, ORDINARY, 2)
    async with sitting(counter, size=SMALL) as desk:
        desk.hasty = True
        await desk.press("x", "j", "x")
        assert "2 selected" in desk.text("#title")
        for key in "Aad":
            await refused(desk, key, "the arguments of “goal 1” and 1 more were not read yet")
            assert len(desk.inbox.screen_stack) == 1
        held_back.set()
        await read(desk)
        await refused(desk, "a", f"“goal 1”: its goal, why it was stopped and its arguments {REST[:30]}")
        desk.hasty = False
        await desk.press("k", "a")
        assert isinstance(desk.inbox.screen, DecisionDialog)


async def test_what_is_different_from_the_nearest_approved_call_is_drawn_and_follows_decisions(
    counter: Counter,
) -> None:
    before, denied, second, only = waits(counter, ORDINARY, 4)
    counter.given[before] = ORDINARY | {"amount": 40}
    counter.settle(before, "allow", "ana")
    counter.settle(denied, "deny", "ana")
    for gone in waits(counter, ORDINARY, 12):
        counter.withdraw(gone, "the bot", "not yet")
    async with sitting(counter, size=(80, 40)) as desk:
        assert desk.cursor is not None
        await desk.until(lambda: "from the one that was approved" in desk.drawn(), "the nearest")
        assert "parameters.amount was 40" in desk.drawn()
        assert "is 98.7" in desk.drawn()
        reads = counter.requests.count(("GET", f"/api/actions/{before}/trace"))
        await desk.press("a")
        await desk.until(lambda: len(desk.inbox.board.listed()) == 1, "decided")
        decided = next(name for name in (second, only) if state(counter, name) == "approved")
        await desk.until(lambda: "nothing; all 5 arguments are the same" in words(desk.drawn()), decided)
        assert "from the nearest of 2" in words(desk.drawn())
        assert counter.requests.count(("GET", f"/api/actions/{before}/trace")) == reads == 1


async def test_a_form_about_several_says_what_each_is_about(counter: Counter) -> None:
    names = waits(counter, ORDINARY, 3, declared_goal="Pay the invoice")
    counter.given[names[1]] = ORDINARY | {"amount": 98_700}
    async with sitting(counter, size=SMALL) as desk:
        await desk.press("x", "j", "x", "j", "x", "a")
        lines = desk.text("#dialog-text").splitlines()
        assert [line.rstrip() for line in lines[::2]] == [
            "- Pay the invoice (agent-1, deploy, names no system, risk 10)"
        ] * 3
        assert [line[:40] for line in lines[1::2]] == [
            "  amount: 98.7; recipient: DE89 3704 0044"[:40],
            "  amount: 98700; recipient: DE89 3704 0044"[:40],
            "  amount: 98.7; recipient: DE89 3704 0044"[:40],
        ]
        assert "amount: 98700" in desk.drawn()
        await desk.press("escape", "A")
        for part in ("amount: 98.7; recipient", "Minutes within which", "Allow (Ctrl+S)"):
            assert part in desk.drawn()
        await desk.press("ctrl+s")
        await desk.until(lambda: {state(counter, name) for name in names} == {"approved"}, "approved")


async def test_one_of_several_whose_end_was_not_seen_is_named(counter: Counter) -> None:
    long, short = waits(counter, ORDINARY, 2)
    counter.given[long] = MANY
    async with sitting(counter, size=SMALL) as desk:
        await desk.press("x", "j")
        await read(desk)
        desk.hasty = True
        await desk.press("x")
        await refused(
            desk, "a", "“goal 0”: its goal, why it was stopped and its arguments were not on the screen to their end"
        )
        assert {state(counter, long), state(counter, short)} == {"awaiting"}
        await desk.press("d")
        assert isinstance(desk.inbox.screen, DecisionDialog), "denying stays possible"


async def at_once(desk: Sitting, *keys: str) -> None:
    """As a terminal gives them that was written to once."""
    for key in keys:
        desk.inbox.post_message(Pressed(key, key if len(key) == 1 else None))
    await desk.until(lambda: EARLY in words(desk.drawn()), "it is refused")


@pytest.mark.parametrize(("key", "text"), [("A", ""), ("a", "allow")])
async def test_a_form_that_was_not_seen_sends_nothing(counter: Counter, key: str, text: str) -> None:
    (only,) = waits(counter, ORDINARY, risk_score=90 if key == "a" else 10)
    async with sitting(counter, size=SMALL) as desk:
        await desk.seen()
        await at_once(desk, key, *text, "ctrl+s")
        assert desk.inbox.screen.query_one("#reasoning", TextArea).text == text, "what was typed stays"
        assert (state(counter, only), len(desk.inbox.triage.holding)) == ("awaiting", 0)
        await desk.press("ctrl+s")
        await desk.until(lambda: state(counter, only) == "approved", "the same key once it was seen")


@deep("one form is in the quick tier")
async def test_the_button_of_a_form_that_was_not_seen_sends_nothing(counter: Counter) -> None:
    (only,) = waits(counter, ORDINARY)
    async with sitting(counter, size=SMALL) as desk:
        await desk.seen()
        for key in ("A", "tab", "tab", "tab", "enter"):
            desk.inbox.post_message(Pressed(key, None))
        await desk.pilot.pause(0.5)
        assert state(counter, only) == "awaiting"


@pytest.mark.parametrize(
    ("keys", "form"),
    [
        (("m", "h", "i", "ctrl+s"), CommentDialog),
        (("s", "1"), LaterDialog),
        *(
            pytest.param(keys, form, marks=deep("two forms are in the quick tier"))
            for keys, form in ((("e", "h", "ctrl+s"), QuestionDialog), (("f", "h", "ctrl+s"), GrantDialog))
        ),
    ],
)
async def test_no_form_sends_before_it_was_seen(keys: tuple[str, ...], form: type[Any]) -> None:
    office = Office()
    (only,) = waits(office, ORDINARY)
    async with sitting(office, size=SMALL) as desk:
        await desk.seen()
        await at_once(desk, *keys)
        assert isinstance(desk.inbox.screen, form)
        assert (office.comments, office.snoozes, office.grants) == ([], {}, [])
        if form is LaterDialog:
            await desk.press("1")
            await desk.until(lambda: list(office.snoozes) == [only], "put off once it was seen")
        if form is CommentDialog:
            await desk.press("ctrl+s")
            await desk.until(lambda: [each["text"] for each in office.comments] == ["hi"], "once it was seen")
