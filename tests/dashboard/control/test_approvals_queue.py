"""The queue of waiting requests: order, identical ones, and where the cursor goes."""

from __future__ import annotations

from typing import Any

import pytest

from assent import Runtime, Source, Verification
from assent_dashboard.views.addresses import Order
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.approvals.queue import (
    Cursor,
    QueueEntry,
    arrange,
    entries,
    likeness,
    moved,
    put_on,
    settle,
)
from tests.dashboard.control.approval_items import request


def alone(*ids: str) -> list[QueueEntry]:
    return [QueueEntry((request(each, digest=None),)) for each in ids]


def place(queue: list[QueueEntry], before: Cursor | None) -> str:
    cursor = settle(queue, before)
    assert cursor is not None
    return queue[cursor.place].ids[0]


def test_the_newest_the_longest_or_the_riskiest_comes_first() -> None:
    items = [
        request("a", 0, risk_score=10.0),
        request("b", 1, risk_score=90.0),
        request("c", 2, risk_score=10.0),
    ]
    assert [each.action.action_id for each in arrange(items, Order.NEWEST)] == ["c", "b", "a"]
    assert [each.action.action_id for each in arrange(items, Order.EXPIRES)] == ["a", "b", "c"]
    assert [each.action.action_id for each in arrange(items, Order.RISK)] == ["b", "a", "c"]


def test_identical_ones_stand_together_where_the_first_of_them_stands() -> None:
    items = [request("a"), request("b", digest="sha256:bb"), request("c", 1, session_id="s", risk_score=25.0)]
    assert [entry.ids for entry in entries(items)] == [("a", "c"), ("b",)]


@pytest.mark.parametrize(
    "other",
    [
        {"digest": "sha256:bb"},
        {"digest": None},
        {"agent_id": "other"},
        {"agent_name": "Other"},
        {"verification": Verification.REPLAYED},
        {"approval_reasons": ["another reason"]},
        {"approval_matched_policies": ["pol_2"]},
        {"reasoning": "because"},
        {"authorization_scope": "all of it"},
        {"trigger": "a mail"},
        {"input_summary": "a file"},
        {"runtime": Runtime.CODING_AGENT},
        {"source": Source.SIMULATED},
    ],
    ids=str,
)
def test_one_that_differs_in_what_an_operator_looks_at_is_not_identical(other: dict[str, Any]) -> None:
    assert likeness(request("a")) == likeness(request("b", 5))
    assert likeness(request("a")) != likeness(request("b", **other))


def test_requests_whose_context_was_erased_are_never_identical() -> None:
    gone: list[Item] = [request("a", digest=None), request("b", digest=None)]
    assert len(entries(gone)) == 2


def test_the_cursor_stays_on_its_entry_when_others_come_and_go() -> None:
    cursor = put_on(Cursor((("a",), ("b",), ("c",))), "b")
    assert place(alone("new", "a", "b", "c"), cursor) == "b"
    assert place(alone("b"), cursor) == "b"


@pytest.mark.parametrize(
    ("left", "nearest"), [("acd", "c"), ("ad", "d"), ("a", "a"), ("xa", "a"), ("x", "x")], ids=lambda text: str(text)
)
def test_when_its_request_is_decided_it_goes_to_the_nearest_that_still_waits(left: str, nearest: str) -> None:
    cursor = put_on(Cursor((("a",), ("b",), ("c",), ("d",))), "b")
    assert place(alone(*left), cursor) == nearest


@pytest.mark.parametrize(("left", "nearest"), [("abc", "c"), ("ab", "b"), ("xa", "a")], ids=lambda text: str(text))
def test_when_the_last_is_decided_it_goes_up_to_the_nearest(left: str, nearest: str) -> None:
    cursor = put_on(Cursor((("a",), ("b",), ("c",), ("d",))), "d")
    assert place(alone(*left), cursor) == nearest


def test_it_stays_on_what_is_left_of_identical_ones() -> None:
    cursor = put_on(Cursor((("a",), ("b", "c", "d"))), "b")
    assert place(alone("a", "d"), cursor) == "d"


def test_it_moves_by_one_and_stops_at_both_ends() -> None:
    cursor = Cursor((("a",), ("b",)))
    assert moved(cursor, -1).place == 0
    assert moved(cursor, 1).place == 1
    assert moved(moved(cursor, 1), 1).place == 1


def test_an_empty_queue_has_no_cursor() -> None:
    assert settle([], Cursor((("a",),))) is None
    assert settle(alone("a"), None) == Cursor((("a",),), 0)


def test_an_unknown_action_moves_no_cursor() -> None:
    cursor = Cursor((("a",), ("b",)), 1)
    assert put_on(cursor, "nobody") == cursor
