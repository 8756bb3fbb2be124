"""Facts: four tables as one. Every case is worked out by hand, and frame and SQL agree on any rows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, get_type_hints

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from assent.contract.analysis.facts import Censored, Fact
from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent_analytics import approvals as of_approvals
from assent_analytics import decisions as of_decisions
from assent_analytics.clusters import cluster_keys
from assent_analytics.episodes import episodes
from assent_analytics.facts import ACTIONS, APPROVALS, ASSUMPTIONS, DECISIONS, facts, facts_sql
from assent_analytics.risk import by_agent_and_type

AT = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)  # a Friday
TIME = pl.Datetime("us", "UTC")
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("occurred_at", "requested_at", "decided_at", "approved_at"), TIME),
    **dict.fromkeys(("timestamp_start", "timestamp_end"), TIME),
    **dict.fromkeys(("risk_score", "agent_risk_score", "risk_template_score", "cost_estimate"), pl.Float64),
    **dict.fromkeys(("confidence", "policy_version", "duration_ms", "tokens_in", "tokens_out"), pl.Int64),
    **dict.fromkeys(("reversible", "validated", "invalidated"), pl.Boolean),
}
COLUMNS = {"actions": ACTIONS, "decisions": DECISIONS, "approvals": APPROVALS, "assumptions": ASSUMPTIONS}
Tables = dict[str, pl.DataFrame]


def tables(**rows: list[dict[str, Any]]) -> Tables:
    return {
        name: pl.DataFrame(
            [dict.fromkeys(columns) | row for row in rows.get(name, [])],
            schema={column: _KINDS.get(column, pl.String) for column in columns},
        )
        for name, columns in COLUMNS.items()
    }


def by_sql(given: Tables, *, attempts: bool = False) -> pl.DataFrame:
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        for name, frame in given.items():
            database.register(name, frame)
        found: pl.DataFrame = database.sql(facts_sql(given["decisions"].columns, attempts=attempts)).pl()
    return found


def joined(given: Tables, *, attempts: bool = False) -> pl.LazyFrame:
    return facts(*(given[name] for name in COLUMNS), attempts=attempts)


def action(number: int, **members: Any) -> dict[str, Any]:
    return {
        "action_id": f"act_{number}",
        "decision_id": f"dec_{number}",
        "agent_id": "bot",
        "action_type": "pay",
        "decision": "allow",
        "status": "completed",
        "timestamp_start": AT,
        "source": "live",
        "metadata": "{}",
        **members,
    }


def decision(number: int, **members: Any) -> dict[str, Any]:
    return {
        "decision_id": f"dec_{number}",
        "agent_id": "bot",
        "action_type": "pay",
        "decision": "allow",
        "matched_policies": "[]",
        "occurred_at": AT - timedelta(seconds=2),
        **members,
    }


def of(given: Tables, *, attempts: bool = False) -> list[dict[str, Any]]:
    return joined(given, attempts=attempts).collect().to_dicts()


def test_a_row_has_all_that_the_tables_say_of_an_action() -> None:
    row = of(
        tables(
            actions=[
                action(
                    1,
                    approval_id="apr_1",
                    approved_by="kim",
                    status="failed",
                    risk_score=70.0,
                    duration_ms=1200,
                    cost_estimate=0.5,
                    metadata='{"tool": "charge", "thread_id": "ct_9", "other": {"tool": "no"}}',
                )
            ],
            decisions=[
                decision(
                    1,
                    decision="require_approval",
                    matched_policies='["pol_1"]',
                    risk_score=70.0,
                    risk_breakdown='{"base":60}',
                    predictive_risk='{"statistical":{},"total_adjustment":10}',
                )
            ],
            approvals=[
                {
                    "approval_id": "apr_1",
                    "state": "approved",
                    "requested_at": AT,
                    "decided_at": AT + timedelta(seconds=90.5),
                    "decided_by": "kim",
                }
            ],
            assumptions=[
                {"action_id": "act_1", "validated": True, "invalidated": False},
                {"action_id": "act_1", "validated": False, "invalidated": True},
                {"action_id": "act_1", "validated": False, "invalidated": False},
                {"action_id": "act_2", "validated": True, "invalidated": False},
            ],
        )
    )[0]
    expected = {
        "matched_policies": '["pol_1"]',
        "risk_breakdown": '{"base":60}',
        "risk_history": 10.0,
        "decision": "allow",  # the action's own word, where it has one
        "state": "approved",
        "decided_by": "kim",
        "waited_seconds": 90.5,
        "assumptions": 3,
        "assumptions_validated": 1,
        "assumptions_invalidated": 1,
        "outcome": "failed",
        "censored": None,
        "tool": "charge",
        "thread_id": "ct_9",
        "cluster": "thread:ct_9",
        "cluster_basis": "thread",
        "occurred_at": AT - timedelta(seconds=2),
        "hour": 10,
        "weekday": 5,
        "propensity": 1.0,
        "duration_ms": 1200,
        "cost_estimate": 0.5,
    }
    assert {name: row[name] for name in expected} == expected


CENSORED: dict[str, tuple[dict[str, Any], str | None, str | None]] = {
    "completed": ({}, None, None),
    "failed": ({"status": "failed"}, None, None),
    "blocked": ({"status": "blocked", "decision": "block"}, None, "blocked"),
    "denied": ({"status": "cancelled", "approval_id": "apr"}, "denied", "denied"),
    "expired": ({"status": "cancelled", "approval_id": "apr"}, "expired", "expired"),
    "withdrawn": ({"status": "cancelled", "approval_id": "apr"}, "withdrawn", "withdrawn"),
    "the approval is older": ({"status": "cancelled", "approval_id": "other"}, "denied", "not_approved"),
    "stopped after it was approved": (
        {"status": "cancelled", "approval_id": "apr", "approved_by": "kim"},
        "approved",
        "cancelled",
    ),
    "stopped": ({"status": "cancelled"}, None, "cancelled"),
    "waits": ({"status": "pending_approval", "approval_id": "apr"}, "awaiting", "awaiting"),
    "runs": ({"status": "running"}, None, "running"),
    "is pending": ({"status": "pending"}, None, "running"),
}


@pytest.mark.parametrize("case", CENSORED.values(), ids=CENSORED)
def test_what_did_not_run_has_no_outcome_and_says_why(case: tuple[dict[str, Any], str | None, str | None]) -> None:
    members, state, censored = case
    approvals = [] if state is None else [{"approval_id": "apr", "state": state, "requested_at": AT}]
    (row,) = of(tables(actions=[action(1, **members)], approvals=approvals))
    assert row["censored"] == censored
    assert row["outcome"] == (row["status"] if censored is None else None)


def test_questions_that_no_action_followed_are_rows_where_they_are_asked_for() -> None:
    given = tables(
        actions=[action(1)],
        decisions=[decision(1), decision(2, decision="block", action_type="wipe"), decision(3)],
    )
    assert [row["action_id"] for row in of(given)] == ["act_1"]
    rows = of(given, attempts=True)
    assert [(row["action_id"], row["decision_id"], row["censored"]) for row in rows] == [
        ("act_1", "dec_1", None),
        (None, "dec_2", "blocked"),
        (None, "dec_3", "not_begun"),
    ]
    assert rows[1]["action_type"] == "wipe"
    assert rows[1]["assumptions"] == 0


def test_an_action_without_a_decision_among_the_rows_keeps_what_it_knows_itself() -> None:
    (row,) = of(tables(actions=[action(1, risk_score=40.0)]))
    assert (row["decision"], row["risk_score"], row["occurred_at"]) == ("allow", 40.0, AT)
    assert row["matched_policies"] is None
    (unasked,) = of(tables(actions=[action(1, decision_id=None, decision=None)]))
    assert unasked["propensity"] is None


def test_the_propensity_is_the_decisions_where_the_table_says_it() -> None:
    given = tables(actions=[action(1), action(2)], decisions=[decision(1), decision(2)])
    given["decisions"] = given["decisions"].with_columns(propensity=pl.Series([0.02, None], dtype=pl.Float64))
    assert [row["propensity"] for row in of(given)] == [0.02, 1.0]
    assert sorted(by_sql(given)["propensity"]) == [0.02, 1.0]


def test_no_rows_have_all_columns_and_types_and_so_has_the_dictionary() -> None:
    none = joined(tables()).collect()
    assert none.height == 0
    assert none.columns == list(Fact.__struct_fields__)
    assert none.schema == by_sql(tables()).schema
    hints = get_type_hints(Fact)
    assert {name for name, kind in none.schema.items() if kind == TIME} == {
        name for name, hint in hints.items() if hint == datetime | None
    }


def test_missing_columns_are_named() -> None:
    given = tables()
    with pytest.raises(ValueError, match="decisions lack matched_policies; they have"):
        joined({**given, "decisions": given["decisions"].drop("matched_policies")})


def test_functions_of_single_tables_say_the_same_of_the_facts() -> None:
    given = tables(
        actions=[
            action(number, status=status, decision=verdict, risk_score=10.0 * number, session_id=f"s{number % 2}")
            | ({"approval_id": f"apr_{number}"} if verdict == "require_approval" else {})
            for number, (status, verdict) in enumerate(
                [("completed", "allow"), ("failed", "warn"), ("cancelled", "require_approval"), ("blocked", "block")]
            )
        ],
        decisions=[
            decision(number, decision=verdict)
            for number, verdict in enumerate(("allow", "warn", "require_approval", "block"))
        ],
        approvals=[
            {"approval_id": "apr_2", "state": "denied", "requested_at": AT, "decided_at": AT + timedelta(minutes=5)}
        ],
    )
    made = joined(given)
    assert_frame_equal(of_decisions.mix(made).collect(), of_decisions.mix(given["decisions"]).collect())
    assert_frame_equal(of_approvals.insight(made).collect(), of_approvals.insight(given["approvals"]).collect())
    assert_frame_equal(by_agent_and_type(made).collect(), by_agent_and_type(given["actions"]).collect())
    # Facts name the thread, which actions keep in their metadata.
    assert_frame_equal(episodes(made).drop("thread_id").collect(), episodes(given["actions"]).collect())
    keys = cluster_keys(made)
    assert keys.basis == "session"
    assert len(set(keys.codes)) == made.select(pl.col("cluster").n_unique()).collect().item() == 2


_ids = st.sampled_from(["1", "2", "3", None])
_texts = st.sampled_from(["", "a", "b:c", "ünï", None])
_times = st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)).map(lambda at: at.replace(tzinfo=UTC)) | st.none()  # noqa: DTZ001 - made aware
_metadata = st.sampled_from(
    ["{}", "null", None, '{"tool":"x"}', '{"tool":"","tool_name":"y"}', '{"tool":7}', '{"thread_id":"t","tool":null}']
)


@st.composite
def worlds(draw: st.DrawFn) -> Tables:
    def some(most: int) -> range:
        return range(draw(st.integers(0, most)))

    return tables(
        actions=[
            action(
                number,
                decision_id=f"dec_{number}" if draw(st.booleans()) else None,
                approval_id=f"apr_{draw(_ids)}" if draw(st.booleans()) else None,
                approved_by=draw(_texts),
                agent_id=draw(_texts),
                session_id=draw(_texts),
                status=draw(st.sampled_from(ActionStatus)).value,
                decision=draw(st.sampled_from(Decision) | st.none()),
                timestamp_start=draw(_times),
                metadata=draw(_metadata),
            )
            for number in some(5)
        ],
        decisions=[
            decision(
                number,
                decision=draw(st.sampled_from(Decision)).value,
                occurred_at=draw(_times),
                session_id=draw(_texts),
                predictive_risk=draw(st.sampled_from(['{"total_adjustment":5}', '{"total_adjustment":2.5}', "{}"])),
            )
            for number in some(6)
        ],
        approvals=[
            {
                "approval_id": f"apr_{number}",
                "state": draw(st.sampled_from(ApprovalState)).value,
                "requested_at": draw(_times),
                "decided_at": draw(_times),
            }
            for number in some(4)
        ],
        assumptions=[
            {"action_id": f"act_{draw(_ids)}", "validated": draw(st.booleans()), "invalidated": draw(st.booleans())}
            for _ in some(4)
        ],
    )


@given(worlds(), st.booleans())
def test_frame_and_sql_agree_on_any_rows(given: Tables, attempts: bool) -> None:
    frame = joined(given, attempts=attempts).collect()
    keys = ["action_id", "decision_id"]
    assert_frame_equal(frame.sort(keys), by_sql(given, attempts=attempts).sort(keys))
    assert set(frame["censored"].drop_nulls()) <= set(Censored)
    assert (frame["outcome"].is_null() != frame["censored"].is_null()).all()
