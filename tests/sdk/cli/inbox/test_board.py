"""The list's order and its cursor, which stays on its action whatever happens around it."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from assent.cli.inbox.board import Board, Order
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from tests.sdk.data.fake_service import NOW, action_of, approval_of


def action(name: str, minute: int = 0, **more: object) -> Action:
    given = {"action_type": "deploy", "agent_id": "bot", "declared_goal": f"goal of {name}", **more}
    made = action_of(name, given, "require_approval", "pending_approval")
    return msgspec.convert({**made, "created_at": NOW + timedelta(minutes=minute)}, Action)


def board(*actions: Action) -> Board:
    made = Board()
    made.replace(list(actions), len(actions))
    return made


def ids(made: Board) -> list[str]:
    return [item.action.action_id for item in made.listed()]


def test_the_newest_is_first_and_the_cursor_on_it() -> None:
    made = board(action("old", 0), action("new", 2), action("mid", 1))
    assert ids(made) == ["new", "mid", "old"]
    assert made.cursor == "new"


def test_the_cursor_stays_on_its_action_when_others_come_and_go_and_the_order_turns() -> None:
    made = board(action("a", 0), action("b", 1, risk_score=90), action("c", 2))
    made.go(1)
    assert made.cursor == "b"
    gone = made.replace([action("a", 0), action("b", 1, risk_score=90), action("d", 3), action("e", 4)], 4)
    assert [each.action_id for each in gone] == ["c"]
    assert (made.cursor, made.place()) == ("b", 2)
    made.turn()
    assert (made.order, ids(made), made.cursor) == (Order.LONGEST, ["a", "b", "d", "e"], "b")
    made.turn()
    assert (made.order, ids(made)[0], made.place()) == (Order.RISK, "b", 0)
    made.turn()
    assert made.order is Order.NEWEST


@pytest.mark.parametrize(("at", "by", "then"), [(0, 1, "b"), (1, 1, "a"), (1, -1, "c"), (2, -1, "b")])
def test_what_ends_under_the_cursor_stays_there_until_the_cursor_moves(at: int, by: int, then: str) -> None:
    made = board(action("a", 0), action("b", 1), action("c", 2))
    made.go(at)
    under = made.cursor
    assert under is not None
    removed = made.remove(under, "denied by ben")
    assert removed is not None
    assert (removed.action_id, made.cursor, made.total) == (under, under, 2)
    assert made.tomb is not None
    assert (made.tomb[1], ids(made), made.item(under)) == ("denied by ben", ["c", "b", "a"], None)
    made.turn()
    made.replace([action(name, minute) for minute, name in enumerate("abc") if name != under], 2)
    assert (made.cursor, len(ids(made))) == (under, 3), "neither an order nor a list moves it"
    made.turn()
    made.turn()
    made.move(by)
    assert made.cursor == then
    assert sorted(ids(made)) == sorted({"a", "b", "c"} - {under})


def test_a_list_that_lacks_what_was_under_the_cursor_says_so() -> None:
    made = board(action("a", 0), action("b", 1))
    (gone,) = made.replace([action("a", 0)], 1)
    assert gone.action_id == "b"
    assert made.current() is not None
    assert [each.action_id for each in made.replace([], 0)] == ["a"]
    assert (made.cursor, ids(made)) == ("b", ["b"]), "it stays where nothing else is listed, too"
    assert made.remove("a", "late") is None


@pytest.mark.parametrize("words", ["", "goal of"])
def test_what_is_alone_stays_under_the_cursor_when_another_takes_its_place(words: str) -> None:
    made = board(action("a", 0))
    made.narrow(words)
    made.remove("a", "withdrawn by bot's key")
    made.replace([], 0)
    made.replace([action("b", 1)], 1)
    made.put_off({})
    assert (made.cursor, ids(made), made.item("a")) == ("a", ["b", "a"], None)
    made.move(-1)
    assert (made.cursor, ids(made)) == ("b", ["b"])


def test_what_is_alone_and_has_ended_goes_with_the_next_key_or_where_it_was_decided_here() -> None:
    made = board(action("a", 0))
    made.remove("a", "denied by ben")
    made.move(1)
    assert (made.cursor, made.tomb, ids(made)) == (None, None, [])
    made.replace([action("b", 1)], 1)
    made.replace([], 0)
    assert (made.cursor, ids(made)) == ("b", ["b"])
    made.remove("b", "allowed by ana", decided_here=True)
    assert (made.cursor, ids(made)) == (None, [])


def test_what_has_ended_does_not_come_back_with_an_older_list() -> None:
    made = board(action("a", 0), action("b", 1))
    made.remove("a", "allowed by ben")
    assert made.replace([action("a", 0), action("b", 1)], 2) == []
    assert (ids(made), made.total) == (["b"], 1)


def test_a_list_that_was_not_read_whole_ends_nothing() -> None:
    made = board(action("a", 0), action("b", 1))
    made.go(1)
    assert made.replace([action("b", 1), action("c", 2)], 3) == []
    assert (ids(made), made.cursor, made.total) == (["c", "b", "a"], "a", 3)


def test_what_is_selected_stays_so_until_it_ends_or_is_put_off() -> None:
    made = board(*(action(name, minute) for minute, name in enumerate("abcd")))
    for name in "abcd":
        assert made.select(name)
    assert not made.select("d")
    made.remove("b", "expired")
    made.put_off({"a": NOW + timedelta(hours=1)})
    assert made.selected == {"c"}


def test_moving_stops_at_both_ends() -> None:
    made = board(action("a", 0), action("b", 1))
    places = []
    for by in (-1, 9, 1):
        made.move(by)
        places.append(made.place())
    assert places == [0, 1, 1]
    empty = board()
    empty.move(1)
    assert empty.cursor is None


def test_narrowing_finds_words_in_goal_agent_type_systems_and_reasons() -> None:
    made = board(action("a", 0, systems_touched=["billing"]), action("b", 1, agent_id="Other"), action("c", 2))
    approval = msgspec.convert(
        approval_of(action_of("c", {"action_type": "x", "agent_id": None, "declared_goal": None}, "y", "z"))
        | {"reasons": ["Too risky"], "systems_touched": []},
        Approval,
    )
    made.learn({"c": approval, "unknown": None})
    for words, found in {"BILL": ["a"], "other deploy": ["b"], "risky": ["c"], "goal": ["c", "b", "a"]}.items():
        made.narrow(words)
        assert ids(made) == found
        assert made.cursor in found
    made.narrow("nothing has this")
    assert (ids(made), made.cursor) == ([], None)
    made.narrow("")
    assert made.cursor is not None


def test_an_id_counts_as_a_whole_since_a_number_stands_in_many_by_chance() -> None:
    made = board(action("act_75ab", declared_goal="Refund"), action("act_cd75", 1, declared_goal="Refund"))
    made.narrow("75")
    assert ids(made) == []
    made.narrow("deploy ACT_75ab")
    assert ids(made) == ["act_75ab"]


def test_approvals_are_known_once_they_were_read_even_when_there_is_none() -> None:
    made = board(action("a", 0), action("b", 1))
    assert made.missing() == ["b", "a"]
    made.learn({"a": None})
    assert (made.missing(), made.known("a"), made.known("b")) == (["b"], True, False)
    made.replace([action("b", 1)], 1)
    assert not made.known("a")
