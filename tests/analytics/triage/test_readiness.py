"""What triage would have done in a history: who counts, what is kept, labels that are missing, and its words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from assent.contract.control.injection import SCAN_POLICY
from assent_analytics.facts import COLUMNS
from assent_analytics.triage import Plan, audits_needed, draw_of, triage_readiness
from assent_analytics.triage.readiness import FACTS

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
PLAN = Plan(alpha=0.1, thresholds=(60,), starts=1, room=50)
NEEDED = audits_needed(0.1, 0.05 / 2 / 2)
TIMES = dict.fromkeys(("occurred_at", "requested_at", "decided_at", "timestamp_end"), pl.Datetime("us", "UTC"))
TYPES: dict[str, Any] = {
    "decision_id": pl.String, "action_type": pl.String, "decision": pl.String, "source": pl.String,
    "risk_score": pl.Float64, "reversible": pl.Boolean, "matched_policies": pl.String, "state": pl.String,
    "outcome": pl.String, "grant_id": pl.String, "propensity": pl.Float64, **TIMES,
}  # fmt: skip
DENIED = {"state": "denied", "outcome": None, "timestamp_end": None}


def rows(n: int, *, start: int = 0, **members: Any) -> list[dict[str, Any]]:
    """One request a minute, allowed after 5 seconds and completed after 10."""
    made = []
    for number in range(start, start + n):
        at = BEGIN + timedelta(minutes=number)
        made.append({
            "decision_id": f"dec_{number}", "action_type": "pay", "decision": "require_approval", "source": "live",
            "risk_score": 30.0, "reversible": True, "matched_policies": '["pol_a"]', "state": "approved",
            "outcome": "completed", "grant_id": None, "propensity": 1.0, "occurred_at": at, "requested_at": at,
            "decided_at": at + timedelta(seconds=5), "timestamp_end": at + timedelta(seconds=10),
        } | members)  # fmt: skip
    return made


def ready(*given: list[dict[str, Any]], plan: Plan = PLAN, **options: Any) -> list[dict[str, Any]]:
    frame = pl.DataFrame([row for each in given for row in each], schema=TYPES)
    return triage_readiness(frame, plan, **options).to_dicts()


def test_a_harmless_history_passes_once_it_is_certified() -> None:
    (row,) = ready(rows(NEEDED + 400))
    assert (row["requests"], row["kept"], row["harmful"], row["not_known"]) == (NEEDED + 400, 0, 0, 0)
    assert (row["state"], row["threshold"], row["tested"]) == ("passing", 60.0, NEEDED + 400 - row["passed"])
    assert row["passed"] == pytest.approx(300, abs=40), "three of four"
    assert row["fewer"] == row["passed"] / row["requests"]
    assert row["says"] == "Below a risk of 60 one of 4 is asked, others pass."
    assert (row["passed_harmful"], row["needed"], row["alarms"]) == (0, None, 0)


def test_before_that_it_says_how_many_are_missing() -> None:
    (row,) = ready(rows(40))
    assert (row["state"], row["needed"], row["fewer"]) == ("learning", NEEDED - 40, 0.0)
    assert row["says"] == f"Everything is asked; {NEEDED - 40} more without harm would certify a threshold."


@pytest.mark.parametrize("kept", [
    {"reversible": False}, {"reversible": None}, {"risk_score": None}, {"risk_score": 130.0},
    {"matched_policies": f'["pol_a", "{SCAN_POLICY}"]'}, {"matched_policies": '["pol_always"]'},
])  # fmt: skip
def test_what_is_never_let_through_is_kept_and_teaches_nothing(kept: dict[str, Any]) -> None:
    (row,) = ready(rows(30), rows(NEEDED + 100, start=30, **kept), always=["pol_always"])
    assert (row["kept"], row["passed"], row["tested"]) == (NEEDED + 100, 0, 30)


def test_a_policy_whose_name_begins_alike_is_another() -> None:
    (row,) = ready(rows(30, matched_policies='["pol_always_not"]'), always=["pol_always"])
    assert row["kept"] == 0


@pytest.mark.parametrize("not_asked", [
    {"decision": "warn"}, {"decision": "block"}, {"grant_id": "grant_1"}, {"propensity": 0.5}, {"decision_id": None},
])  # fmt: skip
def test_what_people_were_not_asked_by_rules_is_no_request(not_asked: dict[str, Any]) -> None:
    assert ready(rows(3, **not_asked)) == []


def test_what_was_denied_and_what_failed_is_harmful() -> None:
    (row,) = ready(rows(20), rows(2, start=20, **DENIED), rows(3, start=22, outcome="failed"))
    assert (row["harmful"], row["missing"], row["not_known"], row["tested"]) == (5, 0, 0, 25)
    assert ready(rows(20), rows(1)) == ready(rows(20)), "a decision counts once"


@pytest.mark.parametrize("missing", [
    {"state": "expired", "outcome": None, "timestamp_end": None},
    {"state": "withdrawn", "outcome": None, "timestamp_end": None},
    {"state": "approved", "outcome": None, "timestamp_end": None},
    {"state": "awaiting", "outcome": None, "timestamp_end": None, "decided_at": None},
])  # fmt: skip
def test_what_is_never_known_is_not_good(missing: dict[str, Any]) -> None:
    """After the horizon; what others say of it comes before."""
    given = rows(5, **missing), rows(NEEDED, start=5)
    (row,) = ready(*given, horizon=timedelta(minutes=20))
    assert (row["harmful"], row["missing"], row["not_known"], row["state"]) == (5, 5, 0, "learning")
    assert row["tested"] == NEEDED + 5


def test_what_is_not_known_yet_holds_back_what_came_after_it() -> None:
    running = {"outcome": None, "timestamp_end": None}
    (row,) = ready(rows(10), rows(1, start=10, **running), rows(NEEDED, start=11))
    assert (row["not_known"], row["tested"], row["state"]) == (1, 10, "learning")


def test_labels_come_when_they_came() -> None:
    """All are asked before the first one ends: nothing is known, so nothing passes."""
    late = [row | {"timestamp_end": BEGIN + timedelta(days=2)} for row in rows(NEEDED + 200)]
    (row,) = ready(late)
    assert (row["passed"], row["threshold"]) == (0, 60.0)


def test_a_column_says_otherwise_what_was_harmful() -> None:
    frame = pl.DataFrame(rows(NEEDED + 20), schema=TYPES)
    said = frame.with_columns(harmful=pl.int_range(pl.len()) % 2 == 0)
    (row,) = triage_readiness(said, PLAN).to_dicts()
    assert (row["harmful"], row["state"]) == ((NEEDED + 20) // 2, "learning")


@pytest.mark.parametrize(("outcome", "alarms"), [("completed", 0), ("failed", 1)])
def test_of_what_passed_failures_are_known_and_what_people_would_say_is_not(outcome: str, alarms: int) -> None:
    """After the certificate one of four is audited; harmful are exactly the others."""
    given = rows(NEEDED + 100)
    for number, row in enumerate(given):
        row["harmful"] = number >= NEEDED and draw_of("", row["decision_id"]) >= 0.25
        row["outcome"] = outcome if row["harmful"] else "completed"
    frame = pl.DataFrame(given, schema={**TYPES, "harmful": pl.Boolean})
    (row,) = triage_readiness(frame, PLAN).to_dicts()
    assert row["alarms"] == alarms
    assert row["passed_harmful"] == row["passed"] > 20


def test_an_alarm_is_told_with_what_would_have_passed() -> None:
    bad = rows(600, start=NEEDED, outcome="failed")
    (row,) = ready(rows(NEEDED), bad)
    assert row["alarms"] == 1
    assert row["state"] == "fallen_back"
    assert "Everything is asked again" in row["says"]
    assert 0 < row["passed_harmful"] == row["passed"] <= row["budget"]


def test_strata_are_apart_and_the_largest_comes_first() -> None:
    found = ready(rows(NEEDED, action_type="b"), rows(3, start=NEEDED, action_type="a", **DENIED))
    assert [(row["action_type"], row["state"]) for row in found] == [("b", "passing"), ("a", "learning")]
    (simulated,) = ready(rows(4, source="simulated"), by="source")
    assert (simulated["source"], simulated["simulated"]) == ("simulated", 4)


def test_the_same_seed_draws_the_same_and_another_others() -> None:
    given = rows(NEEDED + 200)
    assert ready(given, seed="a") == ready(given, seed="a")
    assert ready(given, seed="a")[0]["passed"] != ready(given, seed="b")[0]["passed"]


def test_no_requests_are_no_rows_and_what_is_missing_is_named() -> None:
    empty = triage_readiness(pl.DataFrame(schema=TYPES), PLAN)
    assert empty.height == 0
    assert "says" in empty.columns
    with pytest.raises(ValueError, match="facts lack reversible"):
        triage_readiness(pl.DataFrame(rows(1), schema=TYPES).drop("reversible"), PLAN)
    with pytest.raises(ValueError, match="by is 'state'"):
        ready(rows(1), by="state")
    with pytest.raises(ValueError, match="horizon"):
        ready(rows(1), horizon=timedelta(0))


def test_what_is_read_are_columns_of_facts() -> None:
    assert set(FACTS) <= set(COLUMNS)
