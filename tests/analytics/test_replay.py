"""An action's life as a timeline."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from assent_analytics.charts import replay_gantt
from assent_analytics.replay import timeline
from tests.analytics.traces import START, after, approval, trace

NOW = START + timedelta(seconds=100)


def shown(of: dict[str, Any]) -> list[tuple[str, str, float, float | None, bool]]:
    """Lane, kind, and seconds from START to its begin and end."""

    def seconds(at: datetime | None) -> float | None:
        return None if at is None else (at - START).total_seconds()

    rows = timeline(of, NOW).select("lane", "kind", "start", "end", "open").rows()
    return [(lane, kind, seconds(start) or 0.0, seconds(end), still) for lane, kind, start, end, still in rows]


DECISION = ("decision", "allow", 0.0, None, False)


def test_it_ran() -> None:
    assert shown(trace()) == [
        DECISION,
        ("run", "running", 0.0, 20.0, False),
        ("outcome", "completed", 20.0, None, False),
    ]


def test_it_runs() -> None:
    assert shown(trace("running", end=None)) == [DECISION, ("run", "running", 0.0, 100.0, True)]


def test_it_was_blocked() -> None:
    assert shown(trace("blocked", "block", 0)) == [
        ("decision", "block", 0.0, None, False),
        ("outcome", "blocked", 0.0, None, False),
    ]


def test_it_waits() -> None:
    waiting = trace("pending_approval", "require_approval", None, approval=approval("awaiting", None))
    assert shown(waiting)[1:] == [("approval", "waiting", 1.0, 100.0, True)]


def test_it_ran_once_it_was_approved() -> None:
    assert shown(trace("completed", "require_approval", approval=approval("approved", 12)))[1:] == [
        ("approval", "waiting", 1.0, 12.0, False),
        ("approval", "approved", 12.0, None, False),
        ("run", "running", 12.0, 20.0, False),
        ("outcome", "completed", 20.0, None, False),
    ]


@pytest.mark.parametrize("state", ["denied", "expired", "withdrawn"])
def test_it_never_ran(state: str) -> None:
    refused = trace("cancelled", "require_approval", 12, approval=approval(state, 12) | {"reasoning": "Not now"})
    refused["action"]["error_message"] = "Not now"
    assert shown(refused)[1:] == [
        ("approval", "waiting", 1.0, 12.0, False),
        ("approval", state, 12.0, None, False),
        ("outcome", state, 12.0, None, False),
    ]
    texts = timeline(refused, NOW)["text"].to_list()
    assert texts[0] == "guard decided: require approval"
    assert texts[-1] == f"did not run: {state}", "the reason stands with the approval, and is not said again"


def test_what_was_allowed_and_then_given_up_is_cancelled() -> None:
    given_up = trace("cancelled", "require_approval", approval=approval("approved", 12))
    given_up["action"]["error_message"] = "No longer due"
    last = timeline(given_up, NOW).filter(lane="outcome")
    assert last.select("kind", "text").rows() == [("cancelled", "cancelled: No longer due")]


def test_it_was_denied_and_ran_all_the_same() -> None:
    found = shown(trace("completed", "require_approval", approval=approval("denied", 12)))
    assert ("run", "running", 12.0, 20.0, False) in found


def test_assumptions_and_corrections() -> None:
    said = {"occurred_at": after(2), "assumption": "it was paid"}
    change = {"kind": "correction", "at": after(30), "by": "ops", "changed": {"status": "failed", "error_message": "x"}}
    outcome = {"kind": "outcome", "at": after(20), "by": "bot", "changed": {"status": "completed"}}
    found = timeline(trace(trace={"assumptions": {"items": [said]}, "changes": [outcome, change]}), NOW)
    assert found.filter(lane="assumptions")["text"].to_list() == ["it was paid"]
    assert found.filter(kind="correction")["text"].to_list() == ["ops corrected status, error message"]


def test_messages_about_it() -> None:
    said = {"created_at": after(3), "from_agent_id": "bot", "to_agent_id": "desk", "urgent": False, "subject": None}
    urgent = said | {"created_at": after(4), "to_agent_id": None, "urgent": True, "subject": "Slow"}
    messages = {"total": 2, "items": [said | {"body": "is it due?"}, urgent | {"body": "it is slow"}]}
    found = timeline(trace(trace={"assumptions": {"items": []}, "changes": [], "messages": messages}), NOW)
    lane = found.filter(lane="messages")
    assert lane["text"].to_list() == ["bot to desk: is it due?", "urgent, bot to all: Slow"]
    assert [(at - START).total_seconds() for at in lane["start"]] == [3.0, 4.0]
    assert set(lane["kind"]) == {"message"}


def test_guards_own_time_counts_where_it_is_known() -> None:
    assert shown(trace(decision="allow") | {"decision": {"evaluated_at": after(-3)}})[0][2] == -3.0


@pytest.mark.parametrize("source", ["import", "simulated"])
def test_history_was_decided_on_when_it_happened(source: str) -> None:
    told = trace() | {"decision": {"evaluated_at": after(86_400)}}
    told["action"] = told["action"] | {"source": source, "created_at": after(86_400)}
    assert shown(told)[0] == DECISION


def test_moments_and_texts_are_the_same() -> None:
    as_text = trace()
    as_moments = {**as_text, "action": {**as_text["action"], "timestamp_start": START}}
    assert timeline(as_text, NOW).equals(timeline(as_moments, NOW))


def test_an_approval_that_was_used() -> None:
    used = approval("approved", 12) | {"claimed_at": after(14), "claimed_by": "bot"}
    found = timeline(trace("completed", "require_approval", approval=used), NOW).filter(kind="claimed")
    assert found.select("lane", "text").rows() == [("approval", "the approval was used by bot")]
    assert [(at - START).total_seconds() for at in found["start"]] == [14.0]


def test_what_was_left_open_and_when_that_was_closed() -> None:
    still = {
        "loop_type": "followup",
        "description": "tell the customer",
        "status": "open",
        "created_at": after(21),
        "resolved_at": None,
        "resolution": None,
    }
    closed = still | {"status": "resolved", "resolved_at": after(40), "resolution": "told"}
    loops = {"items": [still, closed | {"created_at": after(22), "loop_type": "question"}]}
    found = timeline(trace(trace={"assumptions": {"items": []}, "changes": [], "loops": loops}), NOW)
    lane = found.filter(lane="loops")
    assert lane.select("kind", "text").rows() == [
        ("loop", "left open, followup: tell the customer"),
        ("loop", "left open, question: tell the customer"),
        ("loop_closed", "resolved: told"),
    ]
    assert [(at - START).total_seconds() for at in lane["start"]] == [21.0, 22.0, 40.0]
    assert lane["end"].null_count() == 3, "what stays open for weeks does not press an hour's work into a line"


@pytest.mark.parametrize(("source", "marks"), [("live", [60.0]), ("import", []), ("simulated", [])])
def test_since_when_it_is_proven(source: str, marks: list[float]) -> None:
    covered = {"assumptions": {"items": []}, "changes": [], "proof": {"size": 812, "signed_at": after(60)}}
    told = trace(trace=covered)
    told["action"] = told["action"] | {"source": source}
    lane = timeline(told, NOW).filter(lane="proof")
    assert [(at - START).total_seconds() for at in lane["start"]] == marks
    assert lane["text"].to_list() == ["covered by a signed tree head of 812 events"] * len(marks)


@pytest.mark.parametrize(("seconds", "at_the_edge"), [(5.0, False), (20.0, False), (600.0, True)])
def test_a_proof_that_came_much_later_does_not_press_the_life_into_a_line(seconds: float, at_the_edge: bool) -> None:
    covered = {"size": 812, "signed_at": after(20 + seconds)}
    told = timeline(trace(trace={"assumptions": {"items": []}, "changes": [], "proof": covered}), NOW)
    drawn = replay_gantt(told).to_dict()
    shapes = [layer["mark"].get("shape") for layer in drawn["layer"]]
    assert ("triangle-right" in shapes) is at_the_edge
    rows = [row for rows in drawn["datasets"].values() for row in rows]
    assert max(row["start"] for row in rows)[:19] == after(20 if at_the_edge else 20 + seconds)[:19]
    assert [layer["mark"]["text"] for layer in drawn["layer"] if "text" in layer["mark"]] == (
        ["10 min later"] if at_the_edge else []
    )
