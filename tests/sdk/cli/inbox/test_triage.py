"""What each key does, without a screen: what was seen, selected, held, taken back, and who was faster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import msgspec
import pytest

from assent.cli.inbox.board import Board
from assent.cli.inbox.card import owed
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.inbox.triage import CARD, LIST, REPEATED, Did, Key, Outcome, Triage, came_of, held_words
from assent.cli.inbox.visibility import Part
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, Verdict
from assent.deciding import DecisionDetails, Stage
from tests.sdk.cli.inbox.test_board import action
from tests.sdk.data.fake_service import NOW, action_of, approval_of
from tests.tiers import deep

REASON = DecisionDetails("Not on a Friday")


def approval(name: str, **more: Any) -> Approval:
    made = action_of(name, {"action_type": "deploy", "agent_id": "bot", "declared_goal": "x"}, "y", "pending_approval")
    return msgspec.convert(approval_of(made) | more, Approval)


def denied(name: str, by: str = "ben") -> Approval:
    return approval(name, state="denied", decided_by=by, decided_at=NOW, reasoning="no time")


class Desk:
    """A board with a clock of its own; everything under the cursor was seen, unless a test says otherwise."""

    def __init__(self, *actions: Action, seconds: float = 5.0) -> None:
        self.at = 100.0
        self.board = Board()
        self.triage = Triage(self.board, self.now, seconds, lambda: self.at)
        self.board.replace(actions, len(actions))
        self.board.learn({each.action_id: approval(each.action_id) for each in actions})
        self.board.looked_at = {each.action_id: LookedAt() for each in actions}

    def now(self) -> datetime:
        return NOW + timedelta(seconds=self.at - 100.0)

    def paint(self, parts: Sequence[str] = (LIST, CARD)) -> None:
        for part in parts:
            self.triage.paint(part, self.triage.draw(part, self.board.cursor), self.at)
        if CARD in parts:
            self.read()

    def read(self) -> None:
        """The whole card of what the cursor is on has been on the screen."""
        item = self.board.current()
        looked_at = None if item is None else self.board.looked_at.get(item.action.action_id)
        if item is not None and looked_at is not None:
            parts = [Part(piece, 80, 0, 1) for piece in owed(item, looked_at)]
            self.triage.shown.saw(item.action.action_id, parts, self.at - 2 * REPEATED)

    def press(self, key: Key, after: float = 1.0) -> Outcome:
        """Looked at, and pressed a moment later."""
        self.paint()
        self.at += after
        return self.triage.press(key, self.at)

    @property
    def held(self) -> list[tuple[str, str]]:
        return [(each.action_id, each.deciding.verdict.value) for each in self.triage.holding]


def three() -> Desk:
    """The newest, c, is first and under the cursor."""
    return Desk(*(action(name, minute) for minute, name in enumerate("abc")))


def test_a_decides_on_what_was_seen_and_moves_on() -> None:
    desk = three()
    assert desk.press(Key.ALLOW) == Outcome(Did.DECIDED, ("c",))
    assert (desk.held, desk.board.cursor) == ([("c", "allow")], "b")
    assert [desk.triage.mark(name) for name in "cb"] == ["a", " "]
    assert desk.press(Key.DENY) == Outcome(Did.ASKS, ("b",)), "a denial asks for the reason first"
    desk.triage.decide(["b"], Verdict.DENY, REASON)
    assert (desk.held, desk.board.cursor) == ([("c", "allow"), ("b", "deny")], "a")
    assert held_words(desk.triage.holding) == (
        "allow “goal of c” in 4 s, deny “goal of b” in 5 s; u takes the last one back"
    )


def test_a_key_before_its_request_was_seen_does_nothing_and_says_so() -> None:
    desk = three()
    desk.paint()
    desk.at += 1
    desk.triage.press(Key.NEXT, desk.at)
    for key in (Key.ALLOW, Key.DENY, Key.SELECT, Key.ASK, Key.COMMENT, Key.GRANT, Key.LATER, Key.ALLOW_WITH):
        outcome = desk.triage.press(key, desk.at)
        assert (outcome.did, outcome.ids) == (Did.REFUSED, ("b",))
        assert "was not on the screen yet" in outcome.why
    desk.paint([LIST])
    assert desk.triage.press(Key.ALLOW, desk.at + 1).did is Did.REFUSED, "its card still shows another one"
    desk.triage.paint(CARD, desk.triage.draw(CARD, None), desk.at)
    assert desk.triage.press(Key.ALLOW, desk.at + 2).did is Did.REFUSED, "why it was stopped is still being read"
    desk.at += 3
    number = desk.triage.draw(CARD, "b")
    assert desk.triage.press(Key.DENY, desk.at).did is Did.REFUSED, "it is drawn, and not yet on the screen"
    desk.triage.paint(CARD, number, desk.at)
    desk.read()
    assert desk.triage.press(Key.ALLOW, desk.at - 0.01).did is Did.REFUSED, "the key went down before"
    assert desk.triage.press(Key.ALLOW, desk.at + 1).did is Did.DECIDED


def test_a_row_that_was_left_and_come_back_to_has_to_be_seen_again() -> None:
    desk = three()
    desk.paint()
    desk.triage.press(Key.NEXT, desk.at)
    desk.paint()
    desk.triage.press(Key.PREVIOUS, desk.at + 1)
    assert desk.board.cursor == "c"
    assert desk.triage.press(Key.ALLOW, desk.at + 1).did is Did.REFUSED, "the screen still shows b"
    before = desk.triage.draw(LIST, "c")
    desk.triage.draw(LIST, "b")
    desk.triage.draw(LIST, "c")
    desk.triage.paint(LIST, before, desk.at)
    desk.triage.paint(CARD, desk.triage.draw(CARD, "c"), desk.at)
    assert desk.triage.press(Key.ALLOW, desk.at + 2).did is Did.REFUSED, "what was told late is of before"


def test_a_key_that_is_held_down_decides_once() -> None:
    desk = three()
    assert desk.press(Key.ALLOW).did is Did.DECIDED
    for _ in range(10):
        outcome = desk.press(Key.ALLOW, after=0.04)
        assert (outcome.did, outcome.why) == (Did.REFUSED, "the key is held down")
    assert desk.press(Key.ALLOW, after=0.2) == Outcome(Did.DECIDED, ("b",))


def test_u_takes_back_the_last_one_as_long_as_it_has_not_left() -> None:
    desk = three()
    assert desk.press(Key.UNDO) == Outcome(Did.REFUSED, (), "nothing is held that could be taken back")
    desk.press(Key.ALLOW)
    desk.press(Key.ALLOW)
    assert desk.press(Key.UNDO) == Outcome(Did.TAKEN_BACK, ("b",))
    assert (desk.held, desk.triage.waits("b")) == ([("c", "allow")], True)
    desk.at += 10
    assert desk.triage.holding.leaving() is not None
    assert desk.press(Key.UNDO) == Outcome(Did.REFUSED, (), "it has left already")


def test_what_is_decided_already_is_not_decided_again() -> None:
    desk = Desk(action("only"))
    desk.press(Key.ALLOW)
    assert desk.board.cursor == "only"
    assert desk.press(Key.DENY) == Outcome(Did.REFUSED, ("only",), "you have decided on it; u takes that back")
    assert desk.press(Key.COMMENT) == Outcome(Did.ASKS, ("only",)), "a comment decides nothing"
    desk.at += 10
    desk.triage.holding.leaving()
    assert desk.press(Key.ALLOW) == Outcome(Did.REFUSED, ("only",), "it has left already")


@pytest.mark.parametrize(("left", "at_once"), [(19.9, True), (20.1, False), (None, False)])
def test_what_expires_soon_leaves_at_once(left: float | None, at_once: bool) -> None:
    desk = Desk(action("only"))
    end = approval("only", expires_at=NOW + timedelta(seconds=left)) if left is not None else None
    desk.board.learn({"only": end})
    desk.press(Key.ALLOW, after=0.0)
    assert (desk.triage.holding.leaving() is not None) is at_once


def test_a_high_risk_asks_first_and_below_it_does_not() -> None:
    desk = Desk(action("below", 0), action("high", 1))
    desk.board.replace(
        [
            msgspec.structs.replace(item.action, risk_score=risk)
            for item, risk in zip(desk.board.listed(), (90.0, 89.9), strict=True)
        ],
        2,
    )
    assert desk.press(Key.ALLOW) == Outcome(Did.ASKS, ("high",))
    (held,) = desk.triage.decide(["high"], Verdict.ALLOW, DecisionDetails())
    assert held.deciding.lacks(DecisionDetails()) == "Its risk is 90: type allow, or say why."
    assert held.deciding.lacks(DecisionDetails(typed="yes")) is not None
    assert held.deciding.lacks(DecisionDetails(typed=" ALLOW ")) is None
    assert held.deciding.lacks(DecisionDetails("I called them")) is None
    assert desk.press(Key.ALLOW) == Outcome(Did.DECIDED, ("below",))


def test_what_is_selected_is_decided_together_and_each_by_itself() -> None:
    desk = three()
    assert desk.press(Key.SELECT) == Outcome(Did.SELECTED, ("c",))
    desk.press(Key.NEXT)
    desk.press(Key.NEXT)
    assert desk.press(Key.SELECT) == Outcome(Did.SELECTED, ("a",))
    assert [desk.triage.mark(name) for name in "cba"] == ["x", " ", "x"]
    for key in (Key.ALLOW, Key.DENY, Key.ALLOW_WITH, Key.LATER):
        assert desk.press(key) == Outcome(Did.ASKS, ("c", "a")), "as they are listed, and not what the cursor is on"
    made = desk.triage.decide(["c", "a"], Verdict.DENY, REASON)
    assert (desk.held, desk.board.selected, desk.board.cursor) == ([("c", "deny"), ("a", "deny")], set(), "b")
    assert len({each.deciding.idempotency_key for each in made}) == 2
    assert desk.press(Key.UNDO) == Outcome(Did.TAKEN_BACK, ("c", "a")), "they are taken back together, too"
    assert desk.press(Key.SELECT).did is Did.SELECTED


def test_what_was_decided_together_is_taken_back_without_what_has_left_or_was_decided_by_itself() -> None:
    desk = Desk(*(action(name, minute) for minute, name in enumerate("abcd")))
    desk.triage.decide(["a"], Verdict.ALLOW, DecisionDetails())
    first, *_ = desk.triage.decide(["d", "c", "b"], Verdict.ALLOW, DecisionDetails())
    assert desk.triage.settled(denied("c")) is not None
    first.sending = True
    assert desk.press(Key.UNDO) == Outcome(Did.TAKEN_BACK, ("b",))
    assert desk.held == [("a", "allow"), ("d", "allow")]
    assert desk.press(Key.UNDO) == Outcome(Did.TAKEN_BACK, ("a",))
    assert desk.press(Key.UNDO) == Outcome(Did.REFUSED, (), "it has left already")


def test_who_was_faster_is_told_and_the_others_go_on() -> None:
    desk = three()
    desk.triage.decide(["c", "b", "a"], Verdict.ALLOW, DecisionDetails())
    said = desk.triage.settled(denied("b"))
    assert said == "“goal of b” was not allowed by you: denied by ben at 2026-05-01T09:00:00Z: no time"
    assert desk.held == [("c", "allow"), ("a", "allow")]
    assert list(desk.triage.notices) == [said]
    assert desk.triage.settled(denied("b")) is None, "once"


def test_what_has_begun_to_leave_is_told_by_its_own_answer() -> None:
    desk = three()
    (held,) = desk.triage.decide(["c"], Verdict.ALLOW, DecisionDetails())
    desk.at += 6
    assert desk.triage.holding.leaving() is held
    assert desk.triage.settled(approval("c", state="approved", decided_by="ana", decided_at=NOW)) is None
    held.deciding.passing, held.deciding.problem = True, "The service does not answer."
    assert desk.triage.attempted(held) is None
    assert held_words(desk.triage.holding) == "allow “goal of c” again in 2 s: The service does not answer."
    held.deciding.stage, held.deciding.settled = Stage.SENT, approval("c", state="approved", decided_by="ana")
    assert desk.triage.attempted(held) == "“goal of c”: allowed by ana"
    assert (desk.board.item("c"), desk.held, list(desk.triage.notices)) == (None, [], [])


def test_a_refusal_brings_it_back_and_is_told() -> None:
    desk = three()
    (held,) = desk.triage.decide(["c"], Verdict.ALLOW, DecisionDetails())
    held.deciding.problem = "The service refused: the kill switch is on."
    said = desk.triage.attempted(held)
    assert said == "“goal of c” was not allowed: The service refused: the kill switch is on. It still waits."
    assert (desk.triage.waits("c"), list(desk.triage.notices)) == (True, [said])
    assert came_of(held) == said


def test_what_ends_unheard_is_asked_about_where_somebody_would_miss_it() -> None:
    desk = Desk(*(action(name, minute) for minute, name in enumerate("abcde")))
    desk.triage.decide(["e"], Verdict.ALLOW, DecisionDetails())
    desk.board.select("a")
    assert desk.board.cursor == "d"
    missed = desk.triage.read([action("c", 2)], 1)
    assert sorted(each.action_id for each in missed) == ["a", "d", "e"], "and not b"
    assert desk.triage.settled(denied("a")) == "“goal of a”: denied by ben at 2026-05-01T09:00:00Z: no time"
    assert "was not allowed by you" in str(desk.triage.settled(denied("e")))
    assert desk.held == []
    assert desk.triage.settled(denied("d")) is not None
    assert desk.board.tomb is not None
    assert desk.board.tomb[1] == "denied by ben at 2026-05-01T09:00:00Z: no time"
    assert desk.press(Key.ALLOW) == Outcome(Did.REFUSED, ("d",), "it waits no longer")
    assert desk.press(Key.COMMENT) == Outcome(Did.ASKS, ("d",)), "a comment may be about what has ended"


class Storm:
    """Presses at random while requests come and go, on a screen that draws when it gets to it. What a key was meant for
    is what the screen showed when it went down."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.made = 0
        self.world: dict[str, Action] = {}
        self.desk = Desk()
        self.shown: list[tuple[float, str | None, str | None]] = [(0.0, None, None)]
        self.counts: Counter[Did] = Counter()
        self.decided: dict[str, str] = {}
        self.misdirected = 0
        self.told: list[tuple[str, int]] = []

    def arrive(self, count: int) -> None:
        for _ in range(count):
            name = f"n{self.made:05}"
            made = msgspec.structs.replace(action(name, self.made), risk_score=self.random.choice((10.0, 50.0, 95.0)))
            self.world[name] = made
            self.made += 1
        self.desk.triage.read(list(self.world.values()), len(self.world))
        self.desk.board.learn({name: approval(name) for name in self.desk.board.missing()})
        self.desk.board.looked_at |= {name: LookedAt() for name in self.world}

    def end(self) -> None:
        name = self.random.choice(sorted(self.world))
        del self.world[name]
        if self.random.random() < 0.7:
            self.desk.triage.settled(denied(name))
        else:
            for missed in self.desk.triage.read(list(self.world.values()), len(self.world)):
                self.desk.triage.settled(denied(missed.action_id))

    def send(self) -> None:
        while (held := self.desk.triage.holding.leaving()) is not None:
            assert held.action_id not in self.decided, "nothing is decided twice"
            self.decided[held.action_id] = held.deciding.verdict.value
            lost = held.action_id not in self.world
            held.deciding.stage = Stage.OVER if lost else Stage.SENT
            self.world.pop(held.action_id, None)
            self.desk.triage.attempted(held)

    def draw(self) -> None:
        """List and card, one of them sometimes later than the other."""
        cursor = self.desk.board.cursor
        _, list_of, card_of = self.shown[-1]
        parts = self.random.choice(((LIST,), (CARD,), (LIST, CARD), (LIST, CARD), (LIST, CARD)))
        self.told += [(part, self.desk.triage.draw(part, cursor)) for part in parts]
        list_of, card_of = (cursor if LIST in parts else list_of), (cursor if CARD in parts else card_of)
        self.shown.append((self.desk.at, list_of, card_of))
        if self.random.random() < 0.7:  # else what was drawn is told of later
            for part, number in self.told:
                self.desk.triage.paint(part, number, self.desk.at)
            self.told.clear()
            if CARD in parts:
                self.desk.read()

    def showed(self, at: float) -> str | None:
        """What list and card both showed then."""
        _, list_of, card_of = next(each for each in reversed(self.shown) if each[0] <= at)
        return list_of if list_of == card_of else None

    def press(self, key: Key, went_down: float) -> None:
        """A key is looked at a little after it went down."""
        outcome = self.desk.triage.press(key, went_down)
        self.counts[outcome.did] += 1
        about = outcome.ids
        single = not self.desk.board.selected or key not in (Key.ALLOW, Key.DENY, Key.ALLOW_WITH, Key.LATER)
        if outcome.did in (Did.DECIDED, Did.SELECTED, Did.UNSELECTED) or (outcome.did is Did.ASKS and single):
            self.misdirected += about != (self.showed(went_down),)
        if outcome.did is Did.REFUSED:
            assert outcome.why, "it says why"
        if outcome.did is Did.ASKS and key in (Key.DENY, Key.ALLOW_WITH, Key.ALLOW) and self.random.random() < 0.7:
            taken = self.desk.triage.decide(about, Verdict.DENY, REASON)
            assert [each.action_id for each in taken] == [name for name in about if name in {*about}]


KEYS: Sequence[Key] = [*Key, *[Key.NEXT] * 5, *[Key.PREVIOUS] * 3, *[Key.ALLOW] * 3, Key.UNDO]


@pytest.mark.parametrize(("presses", "seed"), [(1000, 1), pytest.param(10_000, 2, marks=deep("ten thousand presses"))])
def test_a_storm_of_keys_misdirects_and_loses_none(presses: int, seed: int) -> None:
    storm = Storm(seed)
    storm.arrive(40)
    for _ in range(presses):
        went_down = storm.desk.at
        for _ in range(storm.random.randrange(3)):  # what happens before the key is looked at
            storm.desk.at += storm.random.random() * 0.03
            happens = storm.random.random()
            if happens < 0.15 and len(storm.world) > 5:
                storm.end()
            elif happens < 0.3 and len(storm.world) < 60:
                storm.arrive(storm.random.randrange(1, 4))
            else:
                storm.draw()
        storm.press(storm.random.choice(KEYS), went_down)
        storm.desk.at += storm.random.choice((0.0, 0.05, 0.05, 0.3))
        storm.draw()
        storm.send()
    assert storm.misdirected == 0
    assert storm.counts.total() == presses, "each press has an outcome"
    rare = {Did.STAYED, Did.UNSELECTED, Did.HANDS_BACK}  # nobody takes care of anything here
    assert min(storm.counts[each] for each in Did if each not in rare) >= presses // 200, storm.counts
    assert len(storm.decided) >= presses // 80
