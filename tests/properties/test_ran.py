"""What has no outcome is neither success nor failure: one definition, in SQL, on frames, for one action, and in every
place that judges how actions ended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from typing import Any

import duckdb
import polars as pl
import pytest

from assent.contract.analysis.changes import ChangeMeasure
from assent.contract.analysis.facts import Censored
from assent.contract.control.actions import FINAL, ActionStatus
from assent_analytics import calibration, facts, risk
from assent_analytics.backtest.replay import FAILED, NO_OUTCOME, BacktestQuestion, replay
from assent_analytics.calibration.bins import judged
from assent_analytics.changes import measured
from assent_analytics.drivers import METRICS
from assent_analytics.episodes import CANCELLED, RAN, STOPPED, cancelled, episodes, has_run, ran, stopped

AT = datetime(2026, 11, 20, 9, tzinfo=UTC)
KINDS = product([each.value for each in ActionStatus], [None, "apr"], [None, "ana"])
ROWS: list[dict[str, Any]] = [
    {
        "action_id": f"act_{at}",
        "decision_id": f"dec_{at}",
        "agent_id": "a",
        "action_type": "t",
        "session_id": f"s{at}",
        "status": status,
        "approval_id": approval_id and f"apr_{at}",
        "approved_by": approved_by,
        "confidence": 40,
        "risk_score": 60.0,
        "source": "live",
        "timestamp_start": AT,
    }
    for at, (status, approval_id, approved_by) in enumerate(KINDS)
]
ACTIONS = pl.DataFrame(ROWS, infer_schema_length=None)
DECISIONS = ACTIONS.select(
    *("decision_id", "agent_id", "action_type", "session_id", "risk_score", "source"),
    decision=pl.lit("allow"),
    occurred_at="timestamp_start",
)


def whole(frame: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """With the columns that it lacks, empty."""
    return frame.with_columns(pl.lit(None).alias(name) for name in names if name not in frame.columns)


def as_facts() -> pl.DataFrame:
    approvals = whole(ACTIONS.select("approval_id").drop_nulls(), facts.APPROVALS)
    assumptions = pl.DataFrame(schema={"action_id": pl.String, "validated": pl.Boolean, "invalidated": pl.Boolean})
    joined = facts.facts(whole(ACTIONS, facts.ACTIONS), whole(DECISIONS, facts.DECISIONS), approvals, assumptions)
    return joined.collect()


# What each place that judges makes of the rows: whether each failed, None where it has no outcome there.


def by_facts() -> list[bool | None]:
    return [None if each is None else each == "failed" for each in as_facts()["outcome"]]


def by_drivers() -> list[bool | None]:
    return ACTIONS.select(METRICS["failure_rate"].value().cast(pl.Boolean)).to_series().to_list()


def by_changes() -> list[bool | None]:
    rows = whole(ACTIONS, ("decision", "state", "requested_at", "decided_at")).with_columns(
        pl.col("requested_at", "decided_at").cast(pl.Datetime("us", "UTC"))
    )
    return measured(rows).collect()[ChangeMeasure.FAILED].cast(pl.Boolean).to_list()


def by_episodes() -> list[bool | None]:
    found = episodes(ACTIONS).collect()
    return of_ids(dict(zip(found["action_id"], ~found["success"], strict=True)))


def by_calibration_of_risk() -> list[bool | None]:
    found = judged(ACTIONS, "risk_score", [pl.col("action_id")]).collect()
    return of_ids(dict(zip(found["action_id"], found["happened"], strict=True)))


def by_calibration_of_confidence() -> list[bool | None]:
    found = judged(ACTIONS, "confidence", [pl.col("action_id")]).collect()
    return of_ids(dict(zip(found["action_id"], ~found["happened"], strict=True)))


def by_suggested_templates() -> list[bool | None]:
    each = [calibration.suggest_template(ACTIONS.slice(at, 1)) for at in range(ACTIONS.height)]
    return [bool(found.failed) if found.n else None for found in each]


def by_risk() -> list[bool | None]:
    each = [risk.by_agent_and_type(ACTIONS.slice(at, 1)).collect().row(0, named=True) for at in range(ACTIONS.height)]
    return [bool(found["failed"]) if found["ended"] else None for found in each]


def by_backtests() -> list[bool | None]:
    found = replay(whole(DECISIONS, ("context",)), ACTIONS, BacktestQuestion(policies=[]))
    known = dict(zip(found.ids, found.outcome, strict=True))
    return [None if known[id_] == NO_OUTCOME else bool(known[id_] == FAILED) for id_ in ACTIONS["decision_id"]]


def of_ids(known: dict[str, bool]) -> list[bool | None]:
    return [known.get(action_id) for action_id in ACTIONS["action_id"]]


@pytest.mark.parametrize(
    "place",
    [
        by_facts,
        by_drivers,
        by_changes,
        by_episodes,
        by_calibration_of_risk,
        by_calibration_of_confidence,
        by_suggested_templates,
        by_risk,
        by_backtests,
    ],
)
def test_every_place_sees_the_same_outcomes(place: Callable[[], list[bool | None]]) -> None:
    expected = [{"completed": False, "failed": True}.get(str(row["status"])) for row in ROWS]
    assert place() == expected
    assert expected.count(None) == 20, "all that neither completed nor failed"


def test_sql_frames_and_single_actions_agree_on_every_action_there_can_be() -> None:
    one_by_one = [has_run(row["status"]) for row in ROWS]
    with duckdb.connect() as connection:
        connection.register("actions", ACTIONS.to_arrow())
        in_sql = connection.sql(f"SELECT {RAN}, {STOPPED}, {CANCELLED} FROM actions").fetchall()
    on_frames = ACTIONS.select(ran=ran(), stopped=stopped(ACTIONS), cancelled=cancelled(ACTIONS)).rows()
    assert on_frames == in_sql
    assert [each[0] for each in in_sql] == one_by_one
    for row, each in zip(ROWS, in_sql, strict=True):
        assert sum(each) == (row["status"] in FINAL), "what ended is one of the three, and nothing else is any"


def test_what_was_stopped_and_what_was_cancelled_are_censored_as_such() -> None:
    known = as_facts().with_columns(stopped=stopped(ACTIONS), cancelled=cancelled(ACTIONS))
    halted, given_up = (set(known.filter(pl.col(name))["censored"]) for name in ("stopped", "cancelled"))
    assert halted == {Censored.BLOCKED, Censored.NOT_APPROVED}
    assert given_up == {Censored.CANCELLED}
    rest = known.filter(~pl.col("stopped") & ~pl.col("cancelled"))["censored"]
    assert set(rest) == {None, Censored.AWAITING, Censored.RUNNING}


@pytest.mark.parametrize(
    ("status", "approval_id", "approved_by", "what"),
    [
        ("completed", "apr_1", "ana", "ran"),
        ("failed", "apr_1", "ana", "ran"),
        ("failed", None, None, "ran"),
        ("cancelled", "apr_1", None, "stopped"),  # denied, expired, or withdrawn
        ("cancelled", "apr_1", "ana", "cancelled"),  # allowed, and given up while it ran
        ("cancelled", None, None, "cancelled"),
        ("blocked", None, None, "stopped"),
        ("pending_approval", "apr_1", None, None),
        ("running", None, None, None),
    ],
)
def test_what_counts_as_what(status: str, approval_id: str | None, approved_by: str | None, what: str | None) -> None:
    frame = pl.DataFrame({"status": [status], "approval_id": [approval_id], "approved_by": [approved_by]})
    found = frame.select(ran=ran(), stopped=stopped(frame), cancelled=cancelled(frame)).row(0, named=True)
    assert found == {name: name == what for name in ("ran", "stopped", "cancelled")}


def test_without_an_approvals_id_the_decision_tells_who_waited() -> None:
    frame = pl.DataFrame(
        {"status": ["cancelled"] * 3, "decision": ["require_approval", "require_approval", "allow"],
         "approved_by": [None, "ana", None]}
    )  # fmt: skip
    assert frame.select(each=stopped(frame))["each"].to_list() == [True, False, False]
    assert frame.select(each=cancelled(frame))["each"].to_list() == [False, True, True]
    few = frame.drop("approved_by")
    assert few.select(each=stopped(few))["each"].to_list() == [False] * 3
    assert few.select(each=cancelled(few))["each"].to_list() == [True] * 3


def test_what_was_given_up_is_counted_apart_and_bounds_what_came_true() -> None:
    """Of 100 actions of risk 75, 40 completed, 20 failed, 30 were denied and 10 given up while they ran: 20 of 60
    failed, and with all that nobody knows between 20 and 60 of 100."""
    kinds = [(40, "completed", None, None), (20, "failed", None, None), (30, "cancelled", "apr", None),
             (10, "cancelled", "apr", "ana")]  # fmt: skip
    frame = pl.DataFrame(
        [(75.0, *kind) for n, *kind in kinds for _ in range(n)],
        schema=["risk_score", "status", "approval_id", "approved_by"],
        orient="row",
    )
    (bin_,) = calibration.reliability(frame, "risk_score").to_dicts()
    assert (bin_["n"], bin_["observed"]) == (60, pytest.approx(20 / 60))
    (whole_,) = calibration.bounds(frame, "risk_score", bins=1).to_dicts()
    assert [whole_[name] for name in ("n", "stopped", "cancelled")] == [60, 30, 10]
    assert [whole_[name] for name in ("least", "most")] == pytest.approx([0.2, 0.6])
    found = calibration.suggest_template(frame)
    assert (found.n, found.failed, found.stopped, found.cancelled) == (60, 20, 30, 10)
    assert [found.rate_least, found.rate_most] == pytest.approx([0.2, 0.6])
    assert "30 were stopped and 10 were cancelled and have no outcome" in found.note


def test_the_risk_of_what_nobody_allowed_is_not_held_against_it() -> None:
    """Of 100 actions of risk 75, 20 were denied and 10 expired; 50 completed and 20 failed: 28.6 % of what ran."""
    kinds = [
        (50, "completed", "allow", None), (12, "failed", "allow", None), (8, "failed", "require_approval", "ana"),
        (30, "cancelled", "require_approval", None),
    ]  # fmt: skip
    actions = pl.DataFrame(
        [(75.0, 60.0, *kind, "live") for n, *kind in kinds for _ in range(n)],
        schema=["risk_score", "confidence", "status", "decision", "approved_by", "source"],
        orient="row",
    )
    (bin_,) = calibration.reliability(actions, "risk_score").to_dicts()
    assert (bin_["bin"], bin_["n"]) == (7, 70)
    assert bin_["observed"] == pytest.approx(20 / 70)
    assert calibration.quality(actions, "risk_score").row(0, named=True)["n"] == 70
    assert calibration.reliability(actions, "confidence")["observed"].to_list() == [pytest.approx(50 / 70)]
    rows = actions.with_columns(agent_id=pl.lit("a"), action_type=pl.lit("t"), timestamp_start=pl.lit(None))
    assert episodes(rows).collect()["success"].to_list().count(False) == 20
