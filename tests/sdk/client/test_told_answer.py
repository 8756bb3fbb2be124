"""What a session is told of an answer: JSON, and whether that is all of it."""

from __future__ import annotations

import dataclasses
import io
import json
import math
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from assent.client.told_answer import as_told
from assent.errors import ApprovalError
from assent.testing import FakeService

BILL = "Dear customer, the open amount is 98.70; kindly pay it to DE89370400440532013000 by the end of the week."
FLOW = {"name": "Where values come from", "policy_type": "flow", "rules": {}}
PAY = {"action_type": "send_money", "parameters": {"recipient": "DE89370400440532013000", "amount": 98.7}}


@dataclasses.dataclass
class Bill:
    text: str


class Shown:
    def __str__(self) -> str:
        return f"a bill: {BILL}"


class Hidden:
    def __init__(self) -> None:
        self.text = BILL


class Named:
    def __init__(self) -> None:
        self.text = BILL

    def __repr__(self) -> str:
        return "<Named>"


class Failing:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


def itself() -> object:
    around: dict[str, object] = {"text": BILL}
    around["self"] = around
    return around


def nested(levels: int) -> object:
    found: object = BILL
    for _ in range(levels):
        found = [found]
    return found


WHOLE: list[tuple[object, object]] = [
    (None, None),
    (BILL, BILL),
    ({"a": [1, None, True, 1.5], "b": {"c": "d"}}, {"a": [1, None, True, 1.5], "b": {"c": "d"}}),
    (Bill("x"), {"text": "x"}),
    ({1: "x"}, {1: "x"}),
    (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
    (Shown(), f"a bill: {BILL}"),
    ({"score": math.nan, "most": -math.inf}, {"score": "nan", "most": "-inf"}),
]


@pytest.mark.parametrize(("given", "told"), WHOLE)
def test_what_can_be_written_is_all_of_it(given: object, told: object) -> None:
    assert as_told(given) == (told, True)


CUT: dict[str, tuple[Callable[[], object], object]] = {
    "half": (lambda: json.loads(f'{{"text": "{BILL} \\ud83d"}}'), {"text": f"{BILL} ?"}),
    "half of a key": (lambda: {"\udc80": BILL}, {"?": BILL}),
    "key": (lambda: {(1, 2): BILL, "x": math.nan}, {"(1, 2)": BILL, "x": "nan"}),
    "itself": (itself, f"{{'text': '{BILL}', 'self': {{...}}}}"),
    "very deep": (lambda: nested(100_000), ""),
    "failing": (lambda: {"a": BILL, "b": Failing()}, {"a": BILL, "b": ""}),
    "failing alone": (Failing, ""),
    "named": (Named, "<Named>"),
}


@pytest.mark.parametrize("case", CUT)
def test_what_cannot_be_written_is_told_as_far_as_it_can_be(case: str) -> None:
    made, told = CUT[case]
    assert as_told(made()) == (told, False)


@pytest.mark.parametrize(
    "made", [Hidden, lambda: iter([BILL]), lambda: (each for each in [BILL]), lambda: io.StringIO(BILL)]
)
def test_what_has_no_text_of_its_own_may_hold_more(made: Callable[[], object]) -> None:
    said, whole = as_told(made())
    assert (said[0], said[-1], whole) == ("<", ">", False)


def raised(make: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each test says what it looks at
        make()
    return caught.value


class Short(Exception):
    def __str__(self) -> str:
        return "it failed"


def caused() -> None:
    try:
        raise OSError(f"HTTP 404: {BILL}")
    except OSError as error:
        raise RuntimeError("no bill") from error


def hidden_cause() -> None:
    try:
        raise OSError(f"HTTP 404: {BILL}")
    except OSError:
        raise RuntimeError("no bill") from None


def group() -> None:
    noted = ValueError("one")
    noted.add_note(BILL)
    raise ExceptionGroup("several", [noted, KeyError("two")])


def refused(before: str | None) -> None:
    error = ApprovalError("act_1", "Nobody pays that on a Sunday")
    raise error from (None if before is None else OSError(before))


def test_an_exception_is_told_as_models_are_shown_it() -> None:
    assert as_told(ValueError("no such bill")) == ("ValueError: no such bill", True)
    assert as_told(Short(BILL)) == (f"Short: it failed\nShort({BILL!r})", True), "frameworks show the repr, too"
    assert as_told(raised(caused)) == (f"RuntimeError: no bill\nOSError: HTTP 404: {BILL}", True)
    assert as_told(raised(hidden_cause)) == ("RuntimeError: no bill", True)
    said, whole = as_told(raised(group))
    assert (f"ValueError: one\n{BILL}" in said, "KeyError: 'two'" in said, whole) == (True, True, True)
    assert as_told(RuntimeError("a\ud83d"))[1] is False


def test_a_refusal_is_no_answer_and_what_came_before_it_is() -> None:
    assert as_told(raised(lambda: refused(None))) == ("", True)
    assert as_told(raised(lambda: refused(BILL))) == (f"OSError: {BILL}", True)


def test_a_chain_without_end_is_cut() -> None:
    first: Exception = ValueError(BILL)
    last = first
    for number in range(300):
        last.__cause__ = ValueError(str(number))
        last = last.__cause__
    said, whole = as_told(first)
    assert (said.count("\n") + 1, whole) == (100, False)
    last.__cause__ = first
    assert as_told(last)[1] is False


@pytest.mark.parametrize("case", CUT)
def test_a_session_that_was_told_a_part_asks(case: str) -> None:
    service = FakeService()
    try:
        service.policies(FLOW)
        with service.client() as client, client.session("bill 17"):
            client.user_said("Please pay the open bill of Holz AG")
            assert not client.tool_answered("read_invoice", CUT[case][0]()).flow.complete
            assert client.guard(PAY).decision == "require_approval"
    finally:
        service.close()


@pytest.mark.parametrize("levels", [1, 50, 150])
def test_what_nests_is_told_or_cut_and_never_lost(levels: int) -> None:
    service = FakeService()
    try:
        service.policies(FLOW)
        with service.client() as client, client.session("bill 17"):
            client.user_said("Please pay the open bill of Holz AG")
            flow = client.tool_answered("read_invoice", nested(levels)).flow
            assert "untrusted_seen" in flow.labels or not flow.complete
            assert client.guard(PAY).decision == "require_approval"
    finally:
        service.close()
