"""What is different in a request from the nearest approved call like it."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from assent.contract.control.inbox import ActionApproval
from assent.nearest import (
    ALIKE,
    ALLOWED,
    BEYOND,
    COMPARED,
    UNLIKE,
    Difference,
    Nearest,
    candidates_of,
    nearest_of,
)
from tests.sdk.cli.inbox.making import past


def allowed(action_id: str) -> ActionApproval:
    return past("approved", action_id=action_id)


def test_the_nearest_approved_call_is_the_one_that_differs_least() -> None:
    now = {
        "action_type": "pay",
        "agent_id": "a",
        "parameters": {"to": "ACME", "amount": 900, "tags": ["x"]},
        "note": "n",
    }
    found = nearest_of(
        now,
        [
            (allowed("newest"), {"parameters": {"to": "Other", "amount": 5}}),
            (
                allowed("nearest"),
                {"session_id": "s", "parameters": {"to": "ACME", "amount": 90, "tags": ["x"], "memo": "m"}},
            ),
            (allowed("erased"), {}),
        ],
    )
    assert found is not None
    assert (found.item.action.action_id, found.among, found.same) == ("nearest", 2, 2)
    assert found.changes == [
        Difference(name="parameters.amount", before="90", now="900"),
        Difference(name="parameters.memo", before="m", now=None),
        Difference(name="note", before=None, now="n"),
    ]


def test_what_the_agent_says_allows_the_call_is_compared_and_is_no_argument() -> None:
    same = {"parameters": {"to": "ACME"}, "authorization_scope": "an argument of that name"}
    bare = past("approved")
    before = replace(bare, action=replace(bare.action, authorization_scope="refunds up to 50"))

    def found(said: str | None) -> Nearest:
        nearest = nearest_of(same, [(before, same)], said)
        assert nearest is not None
        assert (nearest.same, nearest.arguments, nearest.more) == (2, 2, 0)
        return nearest

    assert found("refunds up to 50").changes == []
    assert found("anything").changes == [Difference(ALLOWED, "refunds up to 50", "anything")]
    assert found(None).changes == [Difference(ALLOWED, "refunds up to 50", None)]
    assert found("refunds up to 5０").changes == [
        Difference(ALLOWED, "refunds up to 50", "refunds up to 5０ (other characters than in “50”)")
    ]


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        ("rm -rf /a b", "rm -rf /a  b", ("rm -rf /a b", "rm -rf /a␣␣b")),
        ("10\u00a0000", "10\u2003000", ("10␣000", f"10␣000 ({UNLIKE})")),
        ("a\nb", "a\u2028b", ("a ⏎ b", f"a ⏎ b ({UNLIKE})")),
        ("x" * 500, "x" * 400 + "y" * 100, ("…" + "x" * 140, "…" + "x" * 40 + "y" * 100)),
        (
            "Dear Ana,\n" + "a b " * 40 + "\n  - page 1\n" + "c d " * 40,
            "Dear Ana,\n" + "a b " * 40 + "\n  - page 3\n" + "c d " * 40,
            (
                "…a b a b a b a b a b a b a b␣ ⏎ ␣␣- page 1 ⏎ c d c d c d c d c d c d c d c d c d c…",
                "…a b a b a b a b a b a b a b␣ ⏎ ␣␣- page 3 ⏎ c d c d c d c d c d c d c d c d c d c…",
            ),
        ),
        (
            "k" * 90 + " p\u0430y " + "l" * 90,
            "k" * 90 + " pay " + "l" * 90,
            (
                f"…{'k' * 38} p\u0430y {'l' * 38}… (other characters than in “pay”)",
                f"…{'k' * 38} pay {'l' * 38}…",
            ),
        ),
        (
            ["a"] * 60 + ["b"] + ["a"] * 60,
            ["a"] * 60 + ["c"] + ["a"] * 60,
            ('…a",' + '"a",' * 9 + '"b"' + ',"a"' * 9 + ',"a…', '…a",' + '"a",' * 9 + '"c"' + ',"a"' * 9 + ',"a…'),
        ),
        ("coco.com", "\u0441\u043e\u0441\u043e.com", ("coco.com", f"\u0441\u043e\u0441\u043e.com ({ALIKE})")),
        ("caf\u00e9", "cafe\u0301", ("caf\u00e9", f"cafe\u0301 ({ALIKE})")),
        ("ACME", "acme", ("ACME", "acme")),
        ([1], [True], ("[1]", "[true]")),
        ("1", 1, ('"1"', "1")),
        (
            "Monday " + "x" * 500,
            "Friday " + "x" * 500 + "!",
            ("Monday " + "x" * 392 + "…", f"Friday {'x' * 392}… ({BEYOND})"),
        ),
        ("INV 77", "INV 77\U000e0167\U000e0168", ("INV 77", "INV 77��")),
        (
            "paypal.com",
            "p\u0430yp\u0430l.com",
            ("paypal.com", "p\u0430yp\u0430l.com (other characters than in “paypal”)"),
        ),
    ],
)
def test_what_is_shown_alike_and_is_not_is_different(before: Any, now: Any, shown: tuple[str, str]) -> None:
    found = nearest_of({"parameters": {"given": now}}, [(allowed("one"), {"parameters": {"given": before}})])
    assert found is not None
    assert found.changes == [Difference(name="parameters.given", before=shown[0], now=shown[1])]
    assert found.same == 0


def test_every_difference_is_listed_or_counted() -> None:
    before: dict[str, Any] = {f"note{n}": f"one {n}" for n in range(26)} | {
        "iban": "DE89",
        "to": {"iban": "A"},
        "to.iban": "A",
    }
    now = {f"note{n}": f"two {n}" for n in range(26)} | {"iban": "XX00", "to": {"iban": "B"}, "to.iban": "A"}
    found = nearest_of({"parameters": now}, [(allowed("one"), {"parameters": before})])
    assert found is not None
    assert (len(found.changes), found.more, found.same) == (24, 4, 1)
    shadowed = nearest_of(
        {"parameters": {"to": {"iban": "B"}, "to.iban": "A", "limit": None, "filter": {}}},
        [(allowed("one"), {"parameters": {"to": {"iban": "A"}, "to.iban": "A"}})],
    )
    assert shadowed is not None
    assert shadowed.changes == [
        Difference(name="parameters.to.iban", before="A", now="B"),
        Difference(name="parameters.limit", before=None, now="null"),
        Difference(name="parameters.filter", before=None, now="{}"),
    ]
    dotted = nearest_of({"a.b": 1}, [(allowed("one"), {"a": {"b": 1}})])
    assert dotted is not None
    assert {change.name for change in dotted.changes} == {"“a.b”", "a.b"}


def test_of_two_that_differ_alike_the_newest_is_compared_and_of_none_nothing() -> None:
    same = {"parameters": {"to": "ACME"}}
    found = nearest_of(same, [(allowed("newest"), same), (allowed("older"), same)])
    assert found is not None
    assert (found.item.action.action_id, found.changes, found.same) == ("newest", [], 1)
    assert nearest_of(same, []) is None
    assert nearest_of({}, [(allowed("one"), same)]) is None


def test_the_goal_and_the_systems_are_no_arguments() -> None:
    said = {"declared_goal": "pay", "systems_touched": ["bank"], "reversible": False, "externality": {"sends": True}}
    one = said | {"parameters": {"to": "ACME"}, "metadata": {"team": "red"}, "note": "n"}
    found = nearest_of(one | {"declared_goal": "refund"}, [(allowed("one"), one)])
    assert found is not None
    assert ([each.name for each in found.changes], found.same, found.arguments) == (["declared_goal"], 3, 3)
    found = nearest_of(said, [(allowed("one"), said)])
    assert found is not None
    assert (found.changes, found.same, found.arguments) == ([], 0, 0)


def test_what_is_kept_back_is_compared_by_its_digest_where_the_rest_is_the_same() -> None:
    one, other = ({"parameters_digest": f"sha256:{each * 64}"} for each in "ab")
    found = nearest_of(one, [(allowed("one"), other)])
    assert found is not None
    assert [each.name for each in found.changes] == ["parameters: what is kept back, by its digest"]
    found = nearest_of(one, [(allowed("one"), one)])
    assert found is not None
    assert (found.changes, found.same, found.arguments) == ([], 1, 1)
    hidden = {"parameters": {"token": "[REDACTED:token]", "to": "ACME"}}
    found = nearest_of(hidden | one, [(allowed("one"), hidden | other), (allowed("two"), hidden | one)])
    assert found is not None
    assert (found.item.action.action_id, found.changes, found.same) == ("two", [], 2)
    found = nearest_of(hidden | one, [(allowed("one"), hidden | other)])
    assert found is not None
    assert (len(found.changes), found.same) == (1, 2)
    found = nearest_of(hidden | one, [(allowed("one"), hidden)])
    assert found is not None
    assert found.changes == [], "who shows them need not send their digest"


def test_what_a_grant_let_through_is_compared_only_where_nobody_approved_any() -> None:
    granted = [past("approved", action_id=f"granted{n}", grant_id="grant_1") for n in range(4)]
    people = [allowed(f"allowed{n}") for n in range(4)]
    others = [past("denied", action_id="denied"), past("expired", action_id="expired")]
    found = candidates_of([*granted, *others, *people])
    assert [each.action.action_id for each in found] == ["allowed0", "allowed1", "allowed2", "allowed3"]
    found = candidates_of([*granted, *others])
    assert [each.action.action_id for each in found] == ["granted0", "granted1", "granted2", "granted3"]
    assert len(candidates_of(people * 2)) == COMPARED
