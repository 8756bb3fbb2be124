"""What a report makes of an action, without a service."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.actions import FINAL, Action, ActionStatus, UpdateOutcome
from assent.contract.problems import Code
from assent_service.base.clock import microseconds
from assent_service.base.problem import Refusal
from assent_service.control.actions import change
from tests.service.control.actions.samples import NINE, an_action

TEN = NINE + timedelta(hours=1)
NOW = microseconds(TEN)
MOVABLE = [status for status in ActionStatus if status is not ActionStatus.PENDING_APPROVAL]
REPORTABLE = [status for status in MOVABLE if status is not ActionStatus.BLOCKED]


def report(**members: Any) -> UpdateOutcome:
    return msgspec.convert(members, UpdateOutcome)


def after(action: Action, **members: Any) -> tuple[Action, str]:
    found, kind = change.outcome(action, report(**members), NOW)
    return change.changed(action, found, NOW), kind


@pytest.mark.parametrize("start", MOVABLE)
@pytest.mark.parametrize("end", REPORTABLE)
def test_an_outcome_sets_the_status_from_any_state(start: ActionStatus, end: ActionStatus) -> None:
    action, kind = after(an_action(status=start, timestamp_end=NINE if start in FINAL else None), status=end.value)
    assert action.status is end
    assert kind == ("correction" if start in {"completed", "failed", "cancelled", "blocked"} else "outcome")
    assert (action.updated_at, action.revision) == (TEN, 1)


def test_what_waits_for_an_operator_has_no_outcome() -> None:
    waiting = an_action(status=ActionStatus.PENDING_APPROVAL)
    for members in ({"status": "completed"}, {"output_summary": "sent"}, {}):
        with pytest.raises(Refusal) as found:
            change.outcome(waiting, report(**members), NOW)
        assert found.value.code is Code.AWAITING_APPROVAL


@pytest.mark.parametrize(
    "members", [{}, {"close_if_running": True}, {"status": "blocked"}, {"status": "pending_approval"}]
)
def test_a_report_that_says_nothing_or_too_much_is_refused(members: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as found:
        change.outcome(an_action(), report(**members), NOW)
    assert found.value.code is Code.INVALID_BODY


def test_an_end_is_when_it_is_said_else_when_it_happened_else_now() -> None:
    half = NINE + timedelta(minutes=30)
    assert after(an_action(), status="completed")[0].timestamp_end == TEN
    assert after(an_action(), status="completed", occurred_at=half.isoformat())[0].timestamp_end == half
    said = {"timestamp_end": half.isoformat(), "occurred_at": NINE.isoformat()}
    assert after(an_action(), status="completed", **said)[0].timestamp_end == half
    assert after(an_action(), output_summary="half way")[0].timestamp_end is None
    assert after(an_action(status=ActionStatus.FAILED), output_summary="at last")[0].timestamp_end == TEN
    ended = an_action(status=ActionStatus.FAILED, timestamp_end=half)
    assert after(ended, status="completed")[0].timestamp_end == half


def test_the_duration_is_from_start_to_end_in_milliseconds() -> None:
    assert after(an_action(), status="completed")[0].duration_ms == 3_600_000
    end = NINE + timedelta(seconds=1, microseconds=1999)
    assert after(an_action(), status="failed", timestamp_end=end.isoformat())[0].duration_ms == 1001
    before = NINE - timedelta(seconds=5)
    assert after(an_action(), status="failed", timestamp_end=before.isoformat())[0].duration_ms == 0
    assert after(an_action(), status="completed", duration_ms=7)[0].duration_ms == 7
    assert after(an_action(duration_ms=5), status="completed")[0].duration_ms == 5
    assert after(an_action(), output_summary="half way")[0].duration_ms is None


def test_metadata_is_merged_and_lists_are_replaced() -> None:
    action = an_action(metadata={"order": 7, "try": 1}, side_effects=["mail"])
    changed, _ = after(action, metadata={"try": 2, "ok": True}, side_effects=["call"])
    assert changed.metadata == {"order": 7, "try": 2, "ok": True}
    assert changed.side_effects == ["call"]
    assert action.metadata == {"order": 7, "try": 1}


def test_the_event_is_the_action_after_and_what_it_replaced() -> None:
    before = an_action(status=ActionStatus.COMPLETED, timestamp_end=NINE, output_summary="sent", cost_estimate=0.5)
    changed, kind = after(before, status="failed", error_message="it came back", cost_estimate=0.75)
    event = change.draft(before, changed, kind, actor="key_1", by="Bob", now=NOW)
    assert (event.type, event.subject, event.action, event.actor, event.ts) == (
        "action.updated",
        "act_1",
        "act_1",
        "key_1",
        NOW,
    )
    said = msgspec.json.decode(event.data)
    assert said.pop("change") == {
        "kind": "correction",
        "by": "Bob",
        "at": "2026-03-02T10:00:00Z",
        "changed": {"status": "failed", "error_message": "it came back", "cost_estimate": 0.75},
        "replaced": {"status": "completed", "error_message": None, "cost_estimate": 0.5},
    }
    assert msgspec.convert(said, Action) == changed
    assert (changed.output_summary, changed.timestamp_end) == ("sent", NINE)


reports = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from([status.value for status in REPORTABLE]),
        "output_summary": st.text(max_size=5),
        "error_message": st.text(max_size=5),
        "duration_ms": st.integers(0, 99),
        "tokens_in": st.integers(0, 99),
        "cost_estimate": st.floats(0, 9),
        "metadata": st.dictionaries(st.sampled_from("ab"), st.integers(), max_size=2),
        "side_effects": st.lists(st.text(max_size=3), max_size=2),
    },
).filter(bool)


@given(st.lists(reports, min_size=1, max_size=6))
def test_going_back_through_what_was_replaced_ends_at_the_beginning(said: list[dict[str, Any]]) -> None:
    first = action = an_action()
    events = []
    for number, members in enumerate(said, start=1):
        before = action
        found, kind = change.outcome(action, report(**members), NOW + number)
        action = change.changed(action, found, NOW + number)
        event = change.draft(before, action, kind, actor="key_1", by="Bob", now=NOW + number)
        events.append(msgspec.json.decode(event.data))
        for name, value in members.items():
            if name != "metadata":
                assert getattr(action, name) == value
    assert action.revision == len(said)
    for event in reversed(events):
        found = event.pop("change")
        assert set(found["changed"]) == set(found["replaced"])
        assert all(event[name] == value for name, value in found["changed"].items())
        event.update(found["replaced"])
        before_it = event
    kept = {"updated_at", "revision"}
    start = msgspec.to_builtins(first)
    assert {k: v for k, v in before_it.items() if k not in kept} == {k: v for k, v in start.items() if k not in kept}
