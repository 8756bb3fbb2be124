"""One action by the scalar rules, and the same in a table by the columns: every combination of everything that is
asked, ages on both sides of each border, and None everywhere."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product
from typing import Any

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Runtime, Source
from assent.contract.evidence.pcaa import CheckpointId
from assent.pcaa import ActionFacts, checkpoint_states_of, facts_from, receipts_of
from assent_analytics import pcaa
from tests.analytics.tables import ACTION, APPROVAL, ASSUMPTION, NOW, TIME, actions, approvals, assumptions
from tests.tiers import deep

HOUR, MICROSECOND = timedelta(hours=1), timedelta(microseconds=1)
DECISIONS = [None, *map(str, Decision)]
STATUSES = [None, "on_the_moon", *map(str, ActionStatus)]
RUNTIMES = [None, "toaster", *map(str, Runtime)]
SOURCES = [None, *map(str, Source)]
STATES = [None, "in_the_post", *map(str, ApprovalState)]
RISKS = [None, 59.999, 60.0]
# When it happened, and when it was approved.
TIMES: list[tuple[datetime | None, datetime | None]] = [
    (None, None),
    (NOW + HOUR, None),
    (NOW - HOUR, None),
    (NOW - HOUR - MICROSECOND, None),
    (NOW - 24 * HOUR, None),
    (NOW - 24 * HOUR - MICROSECOND, None),
    (NOW - 30 * HOUR, NOW - HOUR),
    (NOW - 30 * HOUR, NOW - 24 * HOUR - MICROSECOND),
    (None, NOW - HOUR - MICROSECOND),
]
TEXTS = [None, "", "said"]
BELIEFS: list[tuple[tuple[str, str | None], ...]] = [
    (),
    (("asm_1", None),),
    (("asm_1", ""),),
    (("asm_1", "the invoice"), ("asm_2", None)),
]
PLAIN: dict[str, Any] = {
    "action_id": "act_1",
    "decision": "allow",
    "decision_id": "dec_1",
    "status": "completed",
    "risk_score": 20.0,
    "runtime": "sdk_service",
    "source": "live",
    "declared_goal": "refund the order",
    "timestamp_start": NOW,
    "approved_at": None,
    "output_summary": "refunded",
    "error_message": None,
}
TYPES: dict[str, Any] = {
    **{name: TIME if name in ("timestamp_start", "approved_at") else pl.String for name in PLAIN},
    "risk_score": pl.Float64,
    "assumed": pl.Boolean,
    "based": pl.Boolean,
    "approval_state": pl.String,
    "approval_decided_by": pl.String,
}


def gathered(every: list[ActionFacts]) -> pl.DataFrame:
    own = [name for name in TYPES if name not in ("assumed", "based")]
    made: dict[str, list[Any]] = {name: [getattr(each, name) for each in every] for name in own}
    made["assumed"] = [bool(each.assumptions) for each in every]
    made["based"] = [any(basis for _, basis in each.assumptions) for each in every]
    return pl.DataFrame({name: made[name] for name in TYPES}, schema=TYPES)


def by_columns(states: pl.DataFrame) -> list[tuple[Any, ...]]:
    names = [*(each.value for each in CheckpointId), "enforceability", "expected", "observed", "answered"]
    return states.select(names).rows()


def one_by_one(every: list[ActionFacts]) -> list[tuple[Any, ...]]:
    found = []
    for facts in every:
        statuses = [each.status.value for each in checkpoint_states_of(facts, NOW)]
        receipts = receipts_of(facts, NOW)
        observed = len(set(receipts.expected) & set(receipts.observed))
        answered = sum(status in ("complete", "denied") for status in statuses)
        assert receipts.completeness == observed / len(receipts.expected)
        found.append((*statuses, receipts.enforceability.value, len(receipts.expected), observed, answered))
    return found


def agree(every: list[ActionFacts]) -> None:
    columns = by_columns(pcaa.judge(gathered(every), NOW).collect())
    wrong = [
        (facts, left, right)
        for facts, left, right in zip(every, columns, one_by_one(every), strict=True)
        if left != right
    ]
    assert not wrong, f"{len(wrong)} of {len(every)} differ; the first (facts, columns, one by one): {wrong[0]}"


@deep("every combination; samples of them are in the quick tier")
def test_every_combination_of_what_decides() -> None:
    every = [
        ActionFacts(
            **PLAIN
            | {"decision": decision, "status": status, "runtime": runtime, "source": source, "risk_score": risk}
            | {"timestamp_start": times[0], "approved_at": times[1], "approval_state": state}
        )
        for decision, status, runtime, source, risk, times, state in product(
            DECISIONS, STATUSES, RUNTIMES, SOURCES, RISKS, TIMES, STATES
        )
    ]
    assert len(every) == 5 * 9 * 6 * 4 * 3 * 9 * 7
    agree(every)


def test_every_combination_of_what_only_has_to_be_there() -> None:
    every = [
        ActionFacts(
            **PLAIN
            | {"action_id": action_id, "decision_id": decision_id, "declared_goal": goal, "output_summary": output}
            | {"error_message": error, "status": status, "decision": "require_approval", "risk_score": 90.0}
            | {"assumptions": believed, "approval_state": state, "approval_decided_by": by}
        )
        for action_id, decision_id, goal, output, error, status, believed, state, by in product(
            TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, ["running", "failed"], BELIEFS, [None, "denied", "expired"], TEXTS
        )
    ]
    assert len(every) == 3**5 * 2 * 4 * 3 * 3
    agree(every)


ROWS = st.fixed_dictionaries(
    {
        "decision": st.sampled_from(DECISIONS),
        "status": st.sampled_from(STATUSES),
        "runtime": st.sampled_from(RUNTIMES),
        "source": st.sampled_from(SOURCES),
        "risk_score": st.none() | st.floats(0, 100),
        "declared_goal": st.sampled_from(TEXTS),
        "output_summary": st.sampled_from(TEXTS),
        "timestamp_start": st.datetimes(NOW.replace(tzinfo=None) - 40 * HOUR, NOW.replace(tzinfo=None)).map(
            lambda at: at.replace(tzinfo=NOW.tzinfo)
        ),
    }
)
BELIEVED = st.lists(st.tuples(st.sampled_from(["act_1", "act_2"]), st.sampled_from(TEXTS)), max_size=4)
ASKED = st.none() | st.tuples(st.sampled_from(["act_1", "act_2"]), st.sampled_from(list(map(str, ApprovalState))))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ROWS, BELIEVED, ASKED)
def test_whole_tables_and_the_rows_of_one_action(
    row: dict[str, Any], believed: list[tuple[str, str | None]], asked: tuple[str, str] | None
) -> None:
    """Also what belongs to another action, which neither may count."""
    beliefs = [
        {"action_id": action_id, "basis": basis, "assumption_id": f"asm_{n}"}
        for n, (action_id, basis) in enumerate(believed)
    ]
    approval = None if asked is None else APPROVAL | {"action_id": asked[0], "state": asked[1]}
    facts = facts_from(ACTION | row, [ASSUMPTION | each for each in beliefs], approval)
    states = pcaa.checkpoint_states(
        actions(row),
        assumptions(*({"action_id": each["action_id"], "basis": each["basis"]} for each in beliefs)),
        approvals() if approval is None else approvals(approval),
        NOW,
    )
    assert by_columns(states.collect()) == one_by_one([facts])
