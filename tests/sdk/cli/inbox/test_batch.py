"""What a form about several requests says of each, in lines that fit."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.cli.approvals import Waiting
from assent.cli.inbox.batch import NONE_KNOWN, arguments_line, batch
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
        "- Pay it (bot, deploy, risk 10)",
        "  amount: 12; to: DE89; currency: EUR",
        "- Pay it (Eve�, deploy, risk 10, CANNOT BE UNDONE)",
        "  amount: 12000; to: FR76�; currency: EUR",
    ]
    assert [line.text for line in batch([items[0]], looked_at, 100)][1] == "  currency: EUR; amount: 12; to: DE89"
    assert batch([items[0]], {"a": LookedAt()}, 100)[1].text == f"  {NONE_KNOWN}"


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


@pytest.mark.parametrize("width", [24, 60, 92])
def test_no_line_is_wider_than_the_form(width: int) -> None:
    given = {f"argument{number}": "漢字" * 40 + str(number) for number in range(30)}
    items = [of(name, declared_goal="x" * 900) for name in "ab"]
    looked_at = {"a": LookedAt(None, given), "b": LookedAt(None, given | {"argument3": "other"})}
    lines = [line.text for line in batch(items, looked_at, width)]
    assert all(width_of(line) <= width for line in lines)
    assert [line.startswith("  argument3: ") for line in lines].count(True) == 2
    assert len(lines) <= 12
