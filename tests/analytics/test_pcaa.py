"""The rules of PCAA, case by case, each expectation read off the rules by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import polars as pl
import pytest

from assent.contract.evidence.pcaa import CheckpointId
from assent_analytics import pcaa
from tests.analytics.tables import NOW, actions, approvals, assumptions

LETTERS = {"c": "complete", "p": "pending", "m": "missing", "-": "not_required", "d": "denied"}
HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)

# What is changed of a completed, allowed, low-risk action; its approval, if any; its assumption's basis, if any.
# Then the statuses in the checkpoints' order, and how many of the expected receipts were observed.
Case = tuple[dict[str, Any], dict[str, Any] | None, str | None, str, int]
ASKED: dict[str, Any] = {"decision": "require_approval"}
WAITS = {**ASKED, "status": "pending_approval", "output_summary": None}
RUNS = {"status": "running", "output_summary": None}
CANCELLED = {**ASKED, "status": "cancelled", "output_summary": None, "error_message": "no"}
ALLOWED = {"state": "approved"}
EXPIRED = {"state": "expired", "decided_by": None}
AWAITING = {"state": "awaiting", "decided_by": None, "decided_at": None}
CASES: dict[str, Case] = {
    "done": ({}, None, None, "cc--c", 3),
    "done without words": ({"output_summary": ""}, None, None, "cc--c", 2),
    "failed with an error": (
        {"status": "failed", "output_summary": None, "error_message": "no"},
        None,
        None,
        "cc--c",
        3,
    ),
    "without a goal": ({"declared_goal": None}, None, None, "cc--c", 2),
    "with an empty goal": ({"declared_goal": ""}, None, None, "cc--c", 2),
    "without a decision": ({"decision_id": None}, None, None, "mc--c", 2),
    "a belief that nobody asked for": ({}, None, "the invoice", "cc--c", 3),
    "just under the risk": ({"risk_score": 59.999}, None, None, "cc--c", 3),
    "at the risk": ({"risk_score": 60.0}, None, None, "ccm-c", 3),
    "at the risk, with a belief": ({"risk_score": 60.0}, None, "the invoice", "ccc-c", 4),
    "at the risk, with a belief that rests on nothing": ({"risk_score": 60.0}, None, "", "ccc-c", 3),
    "risky and running": ({**RUNS, "risk_score": 90.0}, None, None, "ccp--", 2),
    "without a risk": ({"risk_score": None}, None, None, "cc--c", 3),
    "blocked": ({"decision": "block", "status": "blocked", "risk_score": 99.0}, None, None, "dc---", 2),
    "warned": ({"decision": "warn"}, None, None, "cc--c", 3),
    "waiting": (WAITS, AWAITING, None, "ccpp-", 2),
    "waiting, with a belief": (WAITS, AWAITING, "the invoice", "cccp-", 3),
    "approved and done": (ASKED, ALLOWED, "the invoice", "ccccc", 5),
    "approved by nobody": (ASKED, {"decided_by": None}, "the invoice", "ccccc", 4),
    "approved, no belief": (ASKED, ALLOWED, None, "ccmcc", 4),
    "denied": (CANCELLED, {"state": "denied"}, "the invoice", "cccd-", 4),
    "denied, and ran all the same": ({**ASKED, "status": "completed"}, {"state": "denied"}, "the invoice", "cccdc", 5),
    "expired": (CANCELLED, EXPIRED, "the invoice", "cccm-", 3),
    "asked but never recorded": (ASKED, None, "the invoice", "cccmc", 4),
    "asked by the agent itself": ({}, ALLOWED, "the invoice", "ccccc", 5),
    "cancelled by the agent": ({"status": "cancelled", "output_summary": None}, None, None, "cc--c", 2),
    "running": (RUNS, None, None, "cc---", 2),
    "running for an hour": ({**RUNS, "timestamp_start": NOW - HOUR}, None, None, "cc---", 2),
    "overdue": ({**RUNS, "timestamp_start": NOW - HOUR - MICROSECOND}, None, None, "cc--p", 2),
    "overdue for a day": ({**RUNS, "timestamp_start": NOW - 24 * HOUR}, None, None, "cc--p", 2),
    "lost": ({**RUNS, "timestamp_start": NOW - 24 * HOUR - MICROSECOND}, None, None, "cc--m", 2),
    "lost and risky": ({**RUNS, "timestamp_start": NOW - 25 * HOUR, "risk_score": 70.0}, None, None, "ccm-m", 2),
    "pending for two hours": (
        {"status": "pending", "output_summary": None, "timestamp_start": NOW - 2 * HOUR},
        *(None, None, "cc--p", 2),
    ),
    "waiting for days": ({**WAITS, "timestamp_start": NOW - 50 * HOUR}, AWAITING, None, "ccpp-", 2),
    "asked a day ago, approved just now": (
        {**RUNS, **ASKED, "timestamp_start": NOW - 30 * HOUR, "approved_at": NOW - MICROSECOND},
        *(ALLOWED, "the invoice", "cccc-", 4),
    ),
    "begins in the future": ({**RUNS, "timestamp_start": NOW + 9 * HOUR}, None, None, "cc---", 2),
    "through a hook, risky": ({"runtime": "coding_agent", "risk_score": 80.0}, None, None, "cc--c", 3),
    "through a hook, approved": ({**ASKED, "runtime": "coding_assistant"}, ALLOWED, None, "cc-cc", 4),
    "history": ({"runtime": "evidence_import", "risk_score": 99.0}, None, None, "cc--c", 3),
    "history that guard would have stopped": (
        {"source": "import", "decision": "block", "risk_score": 99.0},
        *(None, None, "cc--c", 3),
    ),
    "history that guard would have asked about": ({**ASKED, "source": "import"}, None, "the invoice", "cc--c", 3),
    "history without an end": (
        {**RUNS, "source": "import", "timestamp_start": NOW - 48 * HOUR},
        *(None, None, "cc--m", 2),
    ),
    "a runtime nobody knows": ({"runtime": "toaster", "risk_score": 80.0}, None, None, "ccm-c", 3),
    "a simulated block": ({"decision": "block", "status": "blocked", "source": "simulated"}, None, None, "dc---", 2),
}


def states(case: Case) -> pl.DataFrame:
    changed, approval, basis, *_ = case
    asked = approvals(approval) if approval is not None else approvals()
    believed = assumptions({"basis": basis}) if basis is not None else assumptions()
    return pcaa.checkpoint_states(actions(changed), believed, asked, NOW).collect()


@pytest.mark.parametrize("name", CASES)
def test_how_an_action_stands(name: str) -> None:
    case = CASES[name]
    found = states(case).row(0, named=True)
    assert [found[each] for each in CheckpointId] == [LETTERS[letter] for letter in case[3]]
    assert found["expected"] == sum(letter != "-" for letter in case[3])
    assert found["answered"] == sum(letter in "cd" for letter in case[3])
    assert found["observed"] == case[4]


def test_health_of_four_actions() -> None:
    # done            cc--c  3 of 3 answered, 3 of 3 receipts
    # risky, running  ccp--  2 of 3 answered, 2 of 3 receipts
    # denied          cccd-  4 of 4 answered, 4 of 4 receipts
    # asked, silent   ccmmc  3 of 5 answered, 2 of 5 receipts (no words)
    # coverage 100 * (1 + 2/3 + 1 + 3/5) / 4 = 81.666..., evidence 100 * (1 + 2/3 + 1 + 2/5) / 4 = 76.666...
    # one of four has an approval on record
    acts = actions(
        {},
        {"action_id": "act_2", **RUNS, "risk_score": 61.0},
        {"action_id": "act_3", **CANCELLED, "source": "simulated"},
        {"action_id": "act_4", **ASKED, "output_summary": None},
    )
    asked = approvals({"action_id": "act_3", "state": "denied"}, {"action_id": "another's"})
    found = pcaa.checkpoint_states(acts, assumptions({"action_id": "act_3"}), asked, NOW)
    assert found.collect()["action_id"].to_list() == ["act_1", "act_2", "act_3", "act_4"]
    health = pcaa.health(found).collect().row(0, named=True)
    assert health == {
        "n": 4,
        "checkpoint_coverage": pytest.approx(81 + 2 / 3),
        "approval_rate": 25.0,
        "evidence_completion": pytest.approx(76 + 2 / 3),
        "simulated": 1,
    }
    counts = pcaa.checkpoint_counts(found).collect()
    assert counts.columns == ["id", "complete", "pending", "missing", "not_required", "denied"]
    assert counts.rows() == [
        ("pre_action_admissibility", 4, 0, 0, 0, 0),
        ("action_open", 4, 0, 0, 0, 0),
        ("assumption_capture", 1, 1, 1, 1, 0),
        ("approval", 0, 0, 1, 2, 1),
        ("outcome_closure", 2, 0, 0, 2, 0),
    ]


def test_nothing_is_nothing() -> None:
    found = pcaa.checkpoint_states(actions(), assumptions(), approvals(), NOW)
    assert pcaa.health(found).collect().rows() == [(0, 0.0, 0.0, 0.0, 0)]
    counts = pcaa.checkpoint_counts(found).collect()
    assert counts["id"].to_list() == [each.value for each in CheckpointId]
    assert counts.select(pl.sum_horizontal(pl.exclude("id")).sum()).item() == 0


def test_an_action_that_asked_twice_stands_as_the_last_time() -> None:
    asked = approvals(
        {"state": "approved", "requested_at": NOW - HOUR},
        {"approval_id": "apr_0", "state": "expired", "requested_at": NOW - 2 * HOUR},
    )
    for order in (asked, asked.reverse()):
        found = pcaa.checkpoint_states(actions(ASKED), assumptions({}, {}), order, NOW).collect()
        assert found["approval"].to_list() == ["complete"]


@pytest.mark.parametrize(
    ("runtime", "source", "reach"),
    [
        ("sdk_service", "live", "enforce_before_execute"),
        ("sdk_service", "simulated", "enforce_before_execute"),
        ("toaster", "live", "enforce_before_execute"),
        (None, None, "enforce_before_execute"),
        ("coding_assistant", "live", "hook_mediated"),
        ("coding_agent", "simulated", "hook_mediated"),
        ("coding_agent", "import", "observe_only"),
        ("evidence_import", "live", "observe_only"),
        (None, "import", "observe_only"),
    ],
)
def test_how_far_guard_reaches_is_a_column(runtime: str | None, source: str | None, reach: str) -> None:
    found = pcaa.checkpoint_states(actions({"runtime": runtime, "source": source}), assumptions(), approvals(), NOW)
    assert found.collect()["enforceability"].to_list() == [reach]


def test_times_without_a_zone_are_utc() -> None:
    naive = actions({**RUNS, "timestamp_start": NOW - 2 * HOUR}).with_columns(
        pl.col("timestamp_start", "approved_at").dt.replace_time_zone(None)
    )
    found = pcaa.checkpoint_states(naive, assumptions(), approvals(), NOW).collect()
    assert found["outcome_closure"].to_list() == ["pending"]


def test_a_frame_that_lacks_columns_is_told_which() -> None:
    with pytest.raises(ValueError, match="actions lack runtime, source; they have action_id"):
        pcaa.checkpoint_states(actions({}).drop("runtime", "source"), assumptions(), approvals(), NOW)
