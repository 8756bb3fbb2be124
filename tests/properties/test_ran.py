"""What did not run is neither success nor failure: one definition, in SQL, on frames, and for one action."""

from __future__ import annotations

from itertools import product

import duckdb
import polars as pl
import pytest

from assent.contract.control.actions import ActionStatus
from assent_analytics import calibration
from assent_analytics.episodes import RAN, episodes, has_run, ran

ROWS = [
    {"status": status, "approval_id": approval_id, "approved_by": approved_by}
    for status, approval_id, approved_by in product(
        [each.value for each in ActionStatus], [None, "apr_1"], [None, "ana"]
    )
]
ACTIONS = pl.DataFrame(ROWS, schema=dict.fromkeys(("status", "approval_id", "approved_by"), pl.String))


def test_sql_frames_and_single_actions_agree_on_every_action_there_can_be() -> None:
    one_by_one = [has_run(**row) for row in ROWS]  # type: ignore[arg-type]  # a status is never null
    with duckdb.connect() as connection:
        connection.register("actions", ACTIONS.to_arrow())
        in_sql = [found for (found,) in connection.sql(f"SELECT {RAN} FROM actions").fetchall()]
    assert ACTIONS.select(ran=ran(ACTIONS))["ran"].to_list() == in_sql == one_by_one
    assert 0 < sum(one_by_one) < len(ROWS)


@pytest.mark.parametrize(
    ("status", "approval_id", "approved_by", "counts"),
    [
        ("completed", "apr_1", "ana", True),
        ("failed", "apr_1", "ana", True),
        ("failed", None, None, True),
        ("cancelled", "apr_1", None, False),  # denied, expired, or withdrawn
        ("cancelled", "apr_1", "ana", True),  # allowed, and given up while it ran
        ("cancelled", None, None, True),
        ("blocked", None, None, False),
        ("pending_approval", "apr_1", None, False),
        ("running", None, None, False),
    ],
)
def test_what_counts(status: str, approval_id: str | None, approved_by: str | None, counts: bool) -> None:
    assert has_run(status, approval_id, approved_by) is counts


def test_without_an_approvals_id_the_decision_tells_who_waited() -> None:
    frame = pl.DataFrame(
        {"status": ["cancelled"] * 3, "decision": ["require_approval", "require_approval", "allow"],
         "approved_by": [None, "ana", None]}
    )  # fmt: skip
    assert frame.select(ran=ran(frame))["ran"].to_list() == [False, True, True]
    few = frame.drop("approved_by")
    assert few.select(ran=ran(few))["ran"].to_list() == [True, True, True]


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
