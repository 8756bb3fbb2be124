"""The log of a simulated home holds the contract's own records, in the order of what happened."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import Decision, RecordedDecision
from assent.contract.evidence.traces import Change
from tests.service.analysis.simulation.conftest import Simulated
from tests.stories.evidence import Recorded, read_log
from tests.tiers import deep

pytestmark = deep("a simulated month")

RECORDS: dict[str, type[Any]] = {
    "guard.decision.created": RecordedDecision,
    "action.created": Action,
    "action.updated": Action,
    "approval.requested": Approval,
    "approval.decided": Approval,
    "approval.expired": Approval,
    "assumption.created": Assumption,
    "assumption.updated": Assumption,
}


@pytest.fixture(scope="module")
def log(simulated: Simulated) -> list[Recorded]:
    return read_log(simulated.home)


def history(log: list[Recorded]) -> list[Recorded]:
    return [event for event in log if event.type in RECORDS]


def test_every_payload_is_a_record_of_the_contract(log: list[Recorded]) -> None:
    for event in history(log):
        members = dict(event.data)
        if event.type == "action.updated":
            msgspec.convert(members.pop("change"), Change)
        record = msgspec.convert(members, RECORDS[event.type])
        assert json.loads(msgspec.json.encode(record)) == members, event


def test_there_is_one_of_everything(log: list[Recorded], simulated: Simulated) -> None:
    report, counts = simulated.report, Counter(event.type for event in log)
    assert len(log) == report.events
    assert counts["guard.decision.created"] == counts["action.created"] == report.actions
    assert counts["approval.requested"] == report.approvals
    answered = counts["approval.decided"] + counts["approval.expired"]
    assert answered == report.approvals - report.waiting
    assert counts["assumption.created"] == report.assumptions
    assert min(counts["approval.decided"], counts["approval.expired"], counts["assumption.updated"]) > 0
    assert len({event.subject for event in log if event.type == "action.created"}) == report.actions


def happened(event: Recorded) -> str:
    """When it happened, as the event says."""
    data = event.data
    names = {
        "guard.decision.created": "occurred_at",
        "action.created": "timestamp_start",
        "approval.requested": "requested_at",
        "approval.decided": "decided_at",
        "approval.expired": "decided_at",
        "assumption.created": "occurred_at",
        "assumption.updated": "validated_at",
    }
    if event.type != "action.updated":
        return str(data[names[event.type]])
    return str(data["approved_at"] if data["change"]["kind"] == "approval" else data["timestamp_end"])


def test_events_stand_in_the_order_of_what_happened(log: list[Recorded]) -> None:
    moments = [datetime.fromisoformat(happened(event)) for event in history(log)]
    assert moments == sorted(moments)


def test_each_action_goes_through_its_states_one_by_one(log: list[Recorded]) -> None:
    opening = {Decision.BLOCK: "blocked", Decision.REQUIRE_APPROVAL: "pending_approval"}
    last: dict[str, dict[str, Any]] = {}
    for event in history(log):
        if event.type == "action.created":
            assert event.data["status"] == opening.get(Decision(event.data["decision"]), "running")
            assert event.data["revision"] == 0
            last[event.subject] = event.data
        elif event.type == "action.updated":
            before, change = last[event.subject], event.data["change"]
            assert event.data["revision"] == before["revision"] + 1
            assert change["replaced"] == {name: before[name] for name in change["changed"]}
            assert change["changed"] == {name: event.data[name] for name in change["changed"]}
            untouched = before.keys() - change["changed"].keys() - {"revision", "updated_at"}
            assert {name: event.data[name] for name in untouched} == {name: before[name] for name in untouched}
            last[event.subject] = {name: value for name, value in event.data.items() if name != "change"}


def test_times_of_recording_never_lie(log: list[Recorded]) -> None:
    recorded = [event.data["created_at"] for event in log if event.type == "action.created"]
    assert recorded == sorted(recorded)
    for event in history(log):
        assert datetime.fromisoformat(happened(event)) <= datetime.fromisoformat(event.data["created_at"])
