"""What has to be on the screen before a request is allowed: goal, reasons and arguments, without a screen."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.card import MOST_LINES, CardLine, arguments, goal_lines, not_owed, owed, shortened, stopped
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.inbox.triage import TOO_SOON, Did, Key, Outcome
from assent.cli.inbox.visibility import Drawn, Part, Visibility
from assent.cli.text import width_of
from assent.contract.control.approvals import Verdict
from assent.deciding import NOT_ALL, DecisionDetails
from tests.sdk.cli.inbox.making import waiting
from tests.sdk.cli.inbox.test_triage import Desk, three

GIVEN = {"recipient": "DE89", "amount": 98.7, "memo": "word " * 80}


def parts(lines: list[CardLine]) -> list[Part]:
    return [line.part for line in lines if line.part is not None]


def lines_of(item: Waiting, given: dict[str, Any], width: int = 60, *, whole: bool = False) -> list[Part]:
    goal = goal_lines(item.action, width, whole=whole)
    return parts([*goal, *stopped(item, width), *arguments(item.action, LookedAt(None, given), width, whole=whole)])


def test_every_line_of_goal_reasons_and_arguments_is_owed() -> None:
    item = waiting(["Too risky", "why " * 40], declared_goal="Pay what was agreed. " * 40)
    pieces = owed(item, LookedAt(None, GIVEN))
    lines = lines_of(item, GIVEN, whole=True)
    assert list(dict.fromkeys(part.piece for part in lines)) == pieces
    shown = Visibility()
    for number, part in enumerate(lines):
        assert shown.lacks("act", pieces, 99), f"before line {number}"
        shown.saw("act", [part], number)
    last = len(lines) - 1
    assert shown.lacks("act", pieces, last - 0.5) == pieces[-1:], "since then"
    assert shown.lacks("act", pieces, last) == []
    assert shown.lacks("other", pieces, 99) == pieces, "each request for itself"


def test_what_was_sent_beside_the_parameters_is_an_argument_too() -> None:
    context: dict[str, Any] = {
        "declared_goal": "Pay",
        "beneficiary": "MALLORY LTD",
        "parameters": {"amount": 5, "amount (metadata)": 7},
        "metadata": {"amount": 9, "override_to": "x" * 500},
    }
    item, looked_at = waiting(["Odd"]), LookedAt(None, context["parameters"], context)
    shown = [line for line in arguments(item.action, looked_at, 120) if line.text.startswith("- ")]
    assert [line.text for line in shown][:4] == [
        "- amount: 5",
        "- “amount (metadata)”: 7",
        "- beneficiary (beside the parameters): MALLORY LTD",
        "- amount (metadata): 9",
    ]
    assert owed(item, looked_at)[-1] == f"argument override_to (metadata): {'x' * 500}"
    kept = LookedAt(context={"beneficiary": "MALLORY LTD"})
    item = waiting(parameters_digest="sha256:" + "a" * 64)
    assert [piece for piece in owed(item, kept) if piece.startswith("argument")] == [
        "argument beneficiary (beside the parameters): MALLORY LTD",
        f"argument : kept by the agent; their digest is sha256:{'a' * 64}",
    ]


LONG = {
    "a memo of many words": ("word " * 79 + "word", 60),
    "one that fills three lines and a word": ("x" * 41 + " " + "y" * 41 + " " + "z" * 42, 60),
    "wide characters": ("請求書" * 60, 60),
    "on a narrow terminal": ("1,000,000 EUR to DE89 3704 0044 and 7 more", 24),
    "one word": ("m" * 4000, 100),
    "what looks like the mark of what is left out": ("a " * 60 + "… 9 more characters; v shows them " * 9 + "end", 60),
}


@pytest.mark.parametrize(("value", "width"), LONG.values(), ids=LONG)
def test_a_value_that_the_card_cuts_off_is_owed_in_whole_and_v_shows_it(value: str, width: int) -> None:
    item, given = waiting(["Odd"]), {"amount": 5, "memo": value, "to": "DE89"}
    pieces, memo = owed(item, LookedAt(None, given)), f"argument memo: {value}"
    short = [
        *goal_lines(item.action, width),
        *stopped(item, width),
        *arguments(item.action, LookedAt(None, given), width),
    ]
    cut = frozenset(line.cut for line in short if line.cut is not None)
    assert {" ".join(piece.split()) for piece in cut} == {" ".join(memo.split())}
    shown = Visibility()
    shown.saw("act", parts(short), 1)
    lacking = shown.lacks("act", pieces, 1)
    assert lacking == list(cut), "all else was seen"
    assert [shown.way("act", lacking), shown.way("other", lacking)] == ["J", "J"], "nothing is drawn yet"
    shown.drawn = Drawn("act", cut, above=True)
    assert [shown.way("act", lacking), shown.way("act", ["argument to: DE89"])] == ["v", "K"]
    whole = [line for line in arguments(item.action, LookedAt(None, given), width, whole=True) if line.part is not None]
    assert not any(line.cut for line in whole)
    of_memo = [line.part for line in whole if line.part is not None and line.part.piece in cut]
    shown.saw("act", of_memo[:-1], 2)
    assert shown.lacks("act", pieces, 2) == list(cut), "but for its last line"
    shown.saw("act", of_memo[-1:], 3)
    assert shown.lacks("act", pieces, 3) == []


def test_of_what_is_too_long_or_too_many_the_beginning_is_owed_and_the_rest_counted() -> None:
    item, width = waiting([]), 10 + 2 + 50
    megabyte = LookedAt(None, {"blob": "x" * 1_000_000, "to": "DE89"})
    assert not_owed(item, megabyte) == 1
    lines = arguments(item.action, megabyte, width, whole=True)
    # "- blob:" stands on a line of its own, and 4,000 characters on 80 more.
    assert len([line for line in lines if line.part is not None and "blob" in line.part.piece]) == 1 + 4000 // 50
    assert len(lines) == 1 + 1_000_000 // 50 + 1
    for length, beyond in ((4000, 0), (4001, 1)):
        assert not_owed(item, LookedAt(None, {"a": "x" * length})) == beyond
    many = LookedAt(None, {f"n{number}": number for number in range(203)})
    assert (len(owed(item, many)) - len(item.reasons) - 1, not_owed(item, many)) == (200, 3)
    wide = LookedAt(None, {f"n{number}": "x" * 3998 for number in range(7)})
    assert (len(owed(item, wide)) - len(item.reasons) - 1, not_owed(item, wide)) == (5, 2), (
        "20,000 characters, with names"
    )
    assert (not_owed(item, None), not_owed(item, LookedAt())) == (0, 0)


def test_what_cannot_be_seen_whole_is_allowed_by_a_word_or_a_reason() -> None:
    desk = three()
    desk.board.looked_at["c"] = LookedAt(None, {"blob": "x" * 4001})
    assert desk.press(Key.ALLOW) == Outcome(Did.ASKS, ("c",))
    (held,) = desk.triage.decide(["c"], Verdict.ALLOW, DecisionDetails())
    assert held.deciding.lacks(DecisionDetails()) == f"{NOT_ALL} type allow, or say why."
    assert held.deciding.lacks(DecisionDetails(typed=" Allow ")) is None
    assert held.deciding.lacks(DecisionDetails("known to me")) is None
    assert desk.press(Key.ALLOW) == Outcome(Did.DECIDED, ("b",))


def test_what_was_shown_counts_at_any_width_and_what_is_another_text_does_not() -> None:
    item, shown = waiting(["Too risky"]), Visibility()
    shown.saw("act", lines_of(item, GIVEN), 1)
    shown.saw("act", lines_of(item, GIVEN, whole=True), 1)
    assert not shown.lacks("act", owed(item, LookedAt(None, GIVEN)), 1)
    assert shown.lacks("act", owed(item, LookedAt(None, GIVEN | {"amount": 9870})), 9), "an argument is another one"
    assert shown.lacks("act", owed(waiting(["Odd"]), LookedAt(None, GIVEN)), 9), "a reason is another one"
    half, other = lines_of(item, GIVEN, 60, whole=True), lines_of(item, GIVEN, 40, whole=True)
    shown.saw("b", half[: len(half) // 2], 1)
    shown.saw("b", other[len(half) // 2 :], 2)
    assert shown.lacks("b", owed(item, LookedAt(None, GIVEN)), 9), "halves of two widths are no whole"
    shown.keep(lambda name: name == "b")
    assert shown.lacks("act", owed(item, LookedAt(None, GIVEN)), 9), "what waits no longer is forgotten"


def test_what_flashes_by_was_not_seen() -> None:
    shown, pieces = Visibility(0.15), ["one", "two"]
    first, second = Part("one", 80, 0, 2), Part("one", 80, 1, 2)
    shown.saw("act", [first], 10.0)
    shown.saw("act", [second, Part("two", 80, 0, 1)], 10.1)
    assert shown.lacks("act", pieces, 10.2) == pieces
    assert (shown.comes("act", ["two"]), shown.comes("act", pieces)) == (True, False)
    assert shown.lacks("act", pieces, 10.26) == ["one"], "its first line was there for too short a time"
    shown.saw("act", [first, second], 10.3)
    assert shown.comes("act", ["one"])
    assert shown.lacks("act", pieces, 10.44) == ["one"]
    assert shown.lacks("act", pieces, 10.46) == []
    shown.saw("other", [Part("one", 80, 0, 1)], 11.0)
    shown.saw("", [], 11.1)
    assert shown.lacks("other", ["one"], 99.0) == ["one"], "behind a form it is not seen"


def test_a_digest_in_place_of_the_arguments_is_owed_and_where_there_are_none_goal_and_reasons_alone() -> None:
    digest = "sha256:" + "ab" * 32
    assert owed(waiting(["Odd"]), LookedAt()) == ["goal Roll out version 4", "reason Odd"]
    assert owed(waiting([], declared_goal=None), LookedAt())[0] == "goal no goal given"
    kept = waiting(["Odd"])
    kept = Waiting(action=msgspec.structs.replace(kept.action, parameters_digest=digest), approval=kept.approval)
    assert [part.piece for part in parts(arguments(kept.action, None, 200))] == owed(kept, LookedAt())[2:]
    assert digest in owed(kept, LookedAt())[2]


def test_a_long_text_says_how_much_is_left_out() -> None:
    assert shortened("one two", 20) == ["one two"]
    assert shortened("x" * 60, 20) == ["x" * 20] * MOST_LINES, "what fits is whole"
    assert shortened("x" * 100, 40) == ["x" * 40, "x" * 40, "x" * 20]
    assert shortened("x" * 1_000_000, 40)[-1] == "… 999920 more characters; v shows them"
    hidden = shortened("e\u0301" + "\u0301" * 900, 40)
    assert hidden[-1].startswith("… "), "marks that take no room are told, too"
    for width in (10, 17, 80):
        assert all(width_of(line) <= width for line in shortened("some words " * 900, width))


def test_a_request_is_allowed_once_its_arguments_are_known_and_were_seen_and_denied_before() -> None:
    desk = three()
    del desk.board.looked_at["c"]
    for key in (Key.ALLOW, Key.ALLOW_WITH, Key.GRANT):
        assert (desk.press(key).did, desk.press(key).why) == (Did.REFUSED, "its arguments are still being read")
    assert desk.press(Key.DENY).did is Did.ASKS
    desk.board.looked_at["c"] = LookedAt(None, {"amount": 5, "to": "DE89"})
    shown = desk.triage.shown
    seen = [Part(piece, 80, 0, 1) for piece in owed(desk.board.listed()[0], desk.board.looked_at["c"])]
    shown.saw("c", seen[:-1], desk.at)
    desk.at += 1
    for key in (Key.ALLOW, Key.GRANT):
        refusal = desk.triage.press(key, desk.at)
        assert (refusal.did, refusal.why.endswith("to their end; J shows the rest")) == (Did.REFUSED, True)
    shown.drawn = Drawn("c", above=True)
    assert desk.triage.press(Key.ALLOW_WITH, desk.at + 1).why.endswith("K shows the rest")
    assert desk.triage.press(Key.DENY, desk.at + 2).did is Did.ASKS
    shown.saw("c", seen[-1:], desk.at + 3)
    assert desk.triage.press(Key.ALLOW, desk.at + 2.9).did is Did.REFUSED, "the key went down before"
    soon = desk.triage.press(Key.GRANT, desk.at + 3.1)
    assert (soon.did, soon.why) == (Did.REFUSED, f"{TOO_SOON}; press it again")
    assert desk.triage.press(Key.GRANT, desk.at + 3.3).did is Did.ASKS
    assert desk.triage.press(Key.ALLOW, desk.at + 3.5).did is Did.DECIDED


def test_a_request_that_changes_has_to_be_seen_anew() -> None:
    desk = three()
    desk.paint()
    desk.board.looked_at["c"] = LookedAt(None, {"amount": 500_000})
    assert desk.triage.press(Key.ALLOW, desk.at + 1).did is Did.REFUSED
    assert desk.press(Key.ALLOW, after=2.0).did is Did.DECIDED


def selected() -> Desk:
    """All under the cursor once, so that their cards were on the screen, and selected."""
    desk = three()
    for _ in desk.board.listed():
        desk.press(Key.SELECT)
        desk.press(Key.NEXT)
    assert desk.board.selected == {"a", "b", "c"}
    return desk


def test_what_is_decided_together_needs_the_card_of_each() -> None:
    desk = selected()
    desk.board.looked_at["b"] = LookedAt(None, {"amount": 5})
    for key in (Key.ALLOW, Key.ALLOW_WITH):
        outcome = desk.press(key)
        assert (outcome.did, outcome.ids) == (Did.REFUSED, ("b",))
        assert outcome.why.startswith(
            "“goal of b”: its goal, why it was stopped and its arguments were not on the screen"
        )
    assert desk.press(Key.DENY).did is Did.ASKS
    desk.press(Key.PREVIOUS)
    assert desk.press(Key.ALLOW).did is Did.ASKS


def test_what_is_decided_together_needs_the_arguments_of_each() -> None:
    desk = selected()
    del desk.board.looked_at["a"], desk.board.looked_at["b"]
    for key in (Key.ALLOW, Key.DENY):
        outcome = desk.press(key)
        assert (outcome.did, outcome.ids) == (Did.REFUSED, ("b", "a"))
        assert outcome.why == "the arguments of “goal of b” and 1 more were not read yet; they are asked for now"
    assert desk.press(Key.LATER).did is Did.ASKS, "putting off decides nothing"
    desk.board.selected = {"b"}
    assert desk.press(Key.ALLOW).why == "the arguments of “goal of b” were not read yet; they are asked for now"
    assert desk.press(Key.DENY) == Outcome(Did.ASKS, ("b",)), "one alone has a form of its own, and can be denied"
