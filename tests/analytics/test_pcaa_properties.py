"""What holds of PCAA's numbers whatever the actions are."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Runtime, Source
from assent.contract.evidence.pcaa import CheckpointStatus
from assent_analytics import pcaa
from tests.analytics.tables import ACTION, NOW, TIME

text = st.sampled_from([None, "", "said"])
hours = st.sampled_from([0.0, 0.5, 1.0, 1.5, 24.0, 30.0])
GATHERED = st.fixed_dictionaries(
    {
        "decision": st.sampled_from(list(Decision)).map(str),
        "decision_id": text,
        "status": st.sampled_from(list(ActionStatus)).map(str),
        "risk_score": st.sampled_from([None, 0.0, 59.9, 60.0, 100.0]),
        "runtime": st.sampled_from(list(Runtime)).map(str),
        "source": st.sampled_from(list(Source)).map(str),
        "declared_goal": text,
        "timestamp_start": hours.map(lambda ago: NOW - timedelta(hours=ago)),
        "approved_at": st.none() | hours.map(lambda ago: NOW - timedelta(hours=ago)),
        "output_summary": text,
        "error_message": text,
        "assumed": st.booleans(),
        "based": st.booleans(),
        "approval_state": st.none() | st.sampled_from(list(ApprovalState)).map(str),
        "approval_decided_by": text,
    }
)
ROWS = st.lists(GATHERED, min_size=1, max_size=12)
quick = settings(suppress_health_check=[HealthCheck.too_slow])


def gathered(rows: list[dict[str, Any]], times: list[int] | None = None) -> pl.DataFrame:
    types: dict[str, Any] = {name: TIME if name in {"timestamp_start", "approved_at"} else pl.String for name in ACTION}
    types |= {"risk_score": pl.Float64, "assumed": pl.Boolean, "based": pl.Boolean}
    types |= {"approval_state": pl.String, "approval_decided_by": pl.String}
    del types["agent_id"], types["action_type"]
    frame = pl.DataFrame([{"action_id": "x"} | row for row in rows], schema=types)
    return frame if times is None else frame.with_columns(n=pl.Series(times, dtype=pl.Int64))


def numbers(frame: pl.DataFrame) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    states = pcaa.judge(frame, NOW)
    return pcaa.health(states).collect().row(0, named=True), pcaa.checkpoint_counts(states).collect().to_dicts()


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one == {name: pytest.approx(value) for name, value in other.items()}


@quick
@given(ROWS)
def test_the_five_statuses_add_up_and_shares_are_shares(rows: list[dict[str, Any]]) -> None:
    health, counts = numbers(gathered(rows))
    assert health["n"] == len(rows)
    assert len(counts) == 5
    for each in counts:
        assert sum(each[status.value] for status in CheckpointStatus) == len(rows)
    for name in ("checkpoint_coverage", "approval_rate", "evidence_completion"):
        assert 0.0 <= health[name] <= 100.0
    states = pcaa.judge(gathered(rows), NOW).collect()
    assert (states["expected"] >= 2).all()
    assert (states["answered"] <= states["expected"]).all()
    assert (states["observed"] <= states["expected"]).all()


@quick
@given(st.lists(st.tuples(GATHERED, st.integers(1, 5)), min_size=1, max_size=8))
def test_a_weight_is_a_repetition(weighted: list[tuple[dict[str, Any], int]]) -> None:
    rows, times = [row for row, _ in weighted], [n for _, n in weighted]
    repeated = [row for row, n in weighted for _ in range(n)]
    (one, counted), (other, counted_too) = numbers(gathered(rows, times)), numbers(gathered(repeated))
    assert same(one, other)
    assert counted == counted_too


@quick
@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_rows_does_not_matter(both: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> None:
    (one, counted), (other, counted_too) = (numbers(gathered(rows)) for rows in both)
    assert same(one, other)
    assert counted == counted_too


@quick
@given(ROWS, ROWS)
def test_two_windows_add_up_to_one(earlier: list[dict[str, Any]], later: list[dict[str, Any]]) -> None:
    (one, counted), (other, counted_too) = numbers(gathered(earlier)), numbers(gathered(later))
    whole, counted_whole = numbers(gathered(earlier + later))
    n = one["n"] + other["n"]
    assert whole["n"] == n
    assert whole["simulated"] == one["simulated"] + other["simulated"]
    for name in ("checkpoint_coverage", "approval_rate", "evidence_completion"):
        assert whole[name] == pytest.approx((one[name] * one["n"] + other[name] * other["n"]) / n)
    for left, right, both in zip(counted, counted_too, counted_whole, strict=True):
        assert all(both[name.value] == left[name.value] + right[name.value] for name in CheckpointStatus)
