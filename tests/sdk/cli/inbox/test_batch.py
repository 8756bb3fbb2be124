"""What a form about several requests says of each, in lines that fit."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.batch import NONE_KNOWN, arguments_line, batch, differing_unseen
from assent.cli.inbox.inbox_client import LookedAt
from assent.cli.text import width_of
from tests.sdk.cli.inbox.making import waiting


def of(name: str, **more: Any) -> Waiting:
    item = waiting(**more)
    return Waiting(action=msgspec.structs.replace(item.action, action_id=name), approval=item.approval)


def test_each_says_who_wants_what_and_its_arguments_those_that_differ_first() -> None:
    items = [of("a", declared_goal="Pay it"), of("b", declared_goal="Pay it", reversible=False, agent_name="Eve\x1b")]
    looked_at = {
        "a": LookedAt(None, {"currency": "EUR", "amount": 12, "to": "DE89"}),
        "b": LookedAt(None, {"currency": "EUR", "amount": 12_000, "to": "FR76\x1b"}),
    }
    assert [line.text for line in batch(items, looked_at, 100)] == [
        "- Pay it (bot, deploy, names no system, risk 10)",
        "  amount: 12; to: DE89; currency: EUR",
        "- Pay it (“Eve�” (bot), deploy, names no system, risk 10, CANNOT BE UNDONE)",
        "  amount: 12000; to: FR76�; currency: EUR",
    ]
    assert [line.text for line in batch([items[0]], looked_at, 100)][1] == "  currency: EUR; amount: 12; to: DE89"
    assert batch([items[0]], {"a": LookedAt()}, 100)[1].text == f"  {NONE_KNOWN}"


def test_each_says_what_it_touches_and_what_is_told_of_that_alike_is_counted() -> None:
    touched = [["staging"], ["production", "db\x1b"], ["db\x1b", "production"], ["a, b"], ["a", "b"]]
    touched += [["x\x1b"], ["x\x7f"]]
    items = [
        of(name, declared_goal="Deploy", systems_touched=each) for name, each in zip("abcdefg", touched, strict=True)
    ]
    items[1] = of("b", declared_goal="Deploy", systems_touched=touched[1], reversible=False, risk_score=55.04)
    looked_at = {name: LookedAt(None, {"v": "1.4"}) for name in "abcdefg"}
    shown = texts(items, [{"v": "1.4"}] * 7, 100)
    assert [each[0] for each in shown] == [
        "- Deploy (bot, deploy, touches staging, risk 10)",
        "- Deploy (bot, deploy, touches production, “db�”, risk 55, CANNOT BE UNDONE)",
        "- Deploy (bot, deploy, touches “db�”, production, risk 10)",
        "- Deploy (bot, deploy, touches “a, b”, risk 10)",
        "- Deploy (bot, deploy, touches a, b, risk 10)",
        *["- Deploy (bot, deploy, touches “x�”, risk 10)"] * 2,
    ]
    assert [each[2:] for each in shown[:3]] == [[], [], []]
    assert [each[-1] for each in shown[5:]] == ["  differs in what is not shown: systems"] * 2
    assert differing_unseen(items, looked_at) == {"f", "g"}


def test_what_differs_is_seen_beside_long_texts() -> None:
    memo = "for the invoice of the month " * 20
    given = [{"memo": f"{memo}{end}", "to": f"DE{end}", "note": "n" * 500} for end in ("one", "two")]
    lines = [arguments_line(each, given, 70) for each in given]
    assert all(width_of(line) <= 70 for line in lines)
    assert lines[0].startswith("memo: …h one; to: DEone; note: nnn")
    assert lines[1].startswith("memo: …h two; to: DEtwo; note: nnn")
    assert lines[0].endswith("…")
    missing = [{"to": "x", "cc": "y"}, {"to": "x"}]
    assert arguments_line(missing[0], missing, 70) == "cc: y; to: x"


def test_a_line_of_arguments_says_how_many_have_no_room() -> None:
    given = {"note": "word " * 40, "to": "Ana", "amount": "5", "currency": "EUR"}
    assert arguments_line(given, [given], 60) == "note: word word word word word word word word w…; and 3 more"
    short = given | {"note": "word"}
    assert arguments_line(short, [short], 60) == "note: word; to: Ana; amount: 5; currency: EUR"
    assert arguments_line(short, [short], 40) == "note: word; to: Ana; and 2 more"
    assert arguments_line(given, [given], 20) == "note: word word wor…"


@pytest.mark.parametrize("width", [24, 60, 92])
def test_no_line_is_wider_than_the_form(width: int) -> None:
    given = {f"argument{number}": "漢字" * 40 + str(number) for number in range(30)}
    items = [of(name, declared_goal="x" * 900) for name in "ab"]
    looked_at = {"a": LookedAt(None, given), "b": LookedAt(None, given | {"argument3": "other"})}
    lines = [line.text for line in batch(items, looked_at, width)]
    assert all(width_of(line) <= width for line in lines)
    assert [line.startswith("  argument3: ") for line in lines].count(True) == 2
    assert len(lines) <= 14


def texts(items: list[Waiting], given: list[dict[str, Any]], width: int) -> list[list[str]]:
    """The lines of each; a new one begins with a dash."""
    looked_at = {item.action.action_id: LookedAt(None, its) for item, its in zip(items, given, strict=True)}
    found: list[list[str]] = []
    for line in batch(items, looked_at, width):
        if line.text.startswith("- "):
            found.append([])
        found[-1].append(line.text)
    return found


@pytest.mark.parametrize("width", [24, 60, 100])
def test_no_two_that_differ_have_the_same_lines(width: int) -> None:
    begins, ends = "Pay what was agreed. " * 20, ("AND DELETE", "AND KEEP", "AND KEEP IT")
    goals = [of(name, declared_goal=begins + end) for name, end in zip("abc", ends, strict=True)]
    alike = of("d", declared_goal=goals[0].action.declared_goal)
    given: dict[str, Any] = {"to": "DE89"}
    shown = texts([*goals, alike], [given] * 4, width)
    assert shown[0] == shown[3]
    assert len({tuple(each) for each in shown}) == 3
    assert shown[0][-1] == "    …D DELETE"
    agents = [of(name, agent_name="Night shift", agent_id=agent) for name, agent in (("a", "one"), ("b", "two"))]
    for agent, each in zip(("one", "two"), texts(agents, [given] * 2, width), strict=True):
        assert f"({agent})" in " ".join(each)
    strange = [of(name, agent_id=agent) for name, agent in (("a", "one\x1b"), ("b", "one\x7f"))]
    for each in texts(strange, [given] * 2, width):
        assert " ".join(" ".join(each[-3:]).split()).endswith("differs in what is not shown: id of the agent")


def test_arguments_that_are_cut_alike_say_from_where_they_differ() -> None:
    items = [of(name) for name in "abc"]
    many = {f"argument{number}": number for number in range(40)}
    values = [many | {f"x{number}": "y" * 30 + end for number in range(9)} for end in ("one", "two", "two")]
    shown = texts(items, values, 80)
    assert shown[0] != shown[1] == shown[2]
    missing = texts(items[:2], [{"b" * 90: 1, "cc": 2}, {"b" * 90: 1, "dd": 2}], 40)
    assert missing[0] != missing[1]
    unread = [{"body": "a\u200bb"}, {"body": "a\u200cb"}]
    assert [each[-1] for each in texts(items[:2], unread, 80)] == ["  differs in what is not shown: argument body"] * 2


def test_what_differs_and_is_shown_alike_is_counted() -> None:
    items = [of("a"), of("b"), of("c", declared_goal="Roll  out version 4"), of("d", declared_goal="Other")]
    looked_at = {name: LookedAt(None, {"n": 1, "m": 2}) for name in "ac"} | {
        name: LookedAt(None, {"m": 2, "n": 1}) for name in "bd"
    }
    assert differing_unseen(items[:2], looked_at) == set(), "an object has no order"
    assert differing_unseen(items, looked_at) == {"a", "b", "c"}
    assert differing_unseen(items, {}) == set()
    # By what was sent, U+E000 stands behind z and before U+E001; as it is shown, both are one sign.
    signs = {name: LookedAt(None, {f"{sign}": 1, "\ue000z": 2}) for name, sign in (("a", "\u200b"), ("b", "\ue001"))}
    assert differing_unseen(items[:2], signs) == {"a", "b"}
    assert [line.text for line in batch(items[:2], signs, 80) if "not shown" in line.text] == [
        "  differs in what is not shown: argument �"
    ] * 2
