"""Lessons against NumPy, and by hand."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
import polars as pl
import pytest

from assent_analytics.lessons import group_counts, lessons
from assent_analytics.rates import wilson
from assent_analytics.shrinkage import among, population
from tests.analytics.histories import drawn, history


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_lessons_are_numpys(seed: int) -> None:
    frame = drawn(seed, 300, agents=4, kinds=3)
    rows = lessons(frame).to_dicts()
    assert len(rows) == 12
    for row in rows:
        pair = (pl.col("agent_id") == row["agent_id"]) & (pl.col("action_type") == row["action_type"])
        own = frame.filter(pair)
        k, n = int(own["success"].sum()), len(own)
        assert (row["n"], row["success_rate"]) == (n, near(k / n))
        assert (row["success_low"], row["success_high"]) == near(wilson(k, n))
        group = [
            (int(each["success"].sum()), len(each))
            for _, each in frame.filter(pl.col("action_type") == row["action_type"]).group_by("agent_id")
        ]
        after = among(k, n, population(group))
        assert (row["shrunk_rate"], row["shrunk_low"], row["shrunk_high"]) == near((after.rate, after.low, after.high))
        assert row["group_members"] == 4
        raw = 35 + min(25, 2 * n) + 25 * k / n + 0.4 * (own["score"].to_numpy().mean() - 50)
        assert row["confidence"] == min(95, max(35, floor(raw + 0.5)))
        best = own.sort("score", "ended_at", descending=True)[: max(3, ceil(0.35 * n - 1e-9))]
        assert row["best_n"] == len(best)
        for hint, column, share in (
            ("risk_cap", "risk_score", 0.75),
            ("confidence_floor", "confidence", 0.25),
            ("expected_duration_ms", "duration_ms", 0.5),
            ("expected_cost", "cost_estimate", 0.5),
        ):
            assert row[hint] == near(np.quantile(best[column].drop_nulls().to_numpy(), share))
        assert row["prefer_reversible"] == (best["reversible"].to_numpy().mean() >= 0.6)


def test_the_best_are_chosen_by_score_and_then_the_latest() -> None:
    rows = [{"day": day, "score": 90, "risk_score": 10.0 * day} for day in range(6)]
    (row,) = lessons(history(*rows)).to_dicts()
    # 35% of 6 are 3 rounded up: risks 50, 40 and 30, whose third quartile is 45.
    assert (row["best_n"], row["risk_cap"]) == (3, 45.0)


@pytest.mark.parametrize("n", [1, 2, 3, 9, 40])
def test_of_episodes_that_score_alike_the_latest_are_among_the_best(n: int) -> None:
    # 7 has no common divisor with 41: each day comes once, in no order, and each of 3 scores many times.
    given = [{"day": 7 * at % 41, "score": 70 + 10 * (at % 3), "risk_score": float(7 * at % 41)} for at in range(n)]
    (row,) = lessons(history(*given), min_samples=1).to_dicts()
    best = sorted(given, key=lambda each: (each["score"], each["day"]), reverse=True)[: max(3, -(-35 * n // 100))]
    assert row["best_n"] == len(best)
    assert row["risk_cap"] == near(np.quantile([each["risk_score"] for each in best], 0.75))


def test_a_share_is_not_rounded_up_by_an_error_of_the_machine() -> None:
    (row,) = lessons(history(*({} for _ in range(20)))).to_dicts()
    assert row["best_n"] == 7


def test_too_few_have_rates_and_no_hints() -> None:
    (row,) = lessons(history({}, {}, {"success": False})).to_dicts()
    assert row["status"] == "insufficient_data"
    hints = ("risk_cap", "prefer_reversible", "confidence_floor", "expected_duration_ms", "expected_cost")
    assert [row[name] for name in hints] == [None] * 5
    assert (row["success_rate"], row["group_members"]) == (near(2 / 3), 1)
    # Jeffreys's prior: (0.5 + 2) / (1 + 3).
    assert row["shrunk_rate"] == near(2.5 / 4)
    assert row["guidance"] == ["Only 3 episodes of refund so far, 5 make a lesson; expect 62% to succeed (18% to 96%)."]
    (enough,) = lessons(history({}, {}, {"success": False}), min_samples=3).to_dicts()
    assert (enough["status"], enough["risk_cap"]) == ("ok", 20.0)


def test_guidance_says_the_numbers() -> None:
    (row,) = lessons(history(*({"success": at > 0, "score": 90 if at else 10} for at in range(8)))).to_dicts()
    assert row["guidance"] == [
        "7 of 8 episodes of refund succeeded; expect 83% (55% to 99%).",
        "Three quarters of the best 3 kept the risk at or below 20; whether that helps cannot be told yet.",
        "100% of the best 3 could be taken back; whether that helps cannot be told yet.",
        "Three quarters of the best 3 were at least 80 confident; whether that helps cannot be told yet.",
        "Expect 1.0 seconds, the median of the best 3.",
        "Expect a cost of $0.5, the median of the best 3.",
    ]


def test_what_the_best_do_not_say_is_not_hinted() -> None:
    unknown = dict.fromkeys(("risk_score", "confidence", "duration_ms", "cost_estimate", "reversible"))
    (row,) = lessons(history(*(unknown for _ in range(5)))).to_dicts()
    assert (row["risk_cap"], row["prefer_reversible"], row["expected_cost"]) == (None, None, None)
    assert len(row["guidance"]) == 1
    least = history(*({} for _ in range(5))).drop(*unknown)
    assert lessons(least).to_dicts()[0]["risk_cap"] is None


def test_the_group_may_be_given_apart() -> None:
    everybody = drawn(1, 200)
    own = everybody.filter(pl.col("agent_id") == "agent-0")
    alone, among = lessons(own), lessons(own, groups=group_counts(everybody))
    all_rows = lessons(everybody).filter(pl.col("agent_id") == "agent-0")
    assert among["shrunk_rate"].to_list() == all_rows["shrunk_rate"].to_list()
    assert alone["group_members"].to_list() == [1, 1]
    assert among["success_rate"].to_list() == alone["success_rate"].to_list()


def test_the_surest_come_first() -> None:
    found = lessons(drawn(2, 200)).select("confidence", "n").rows()
    assert found == sorted(found, reverse=True)


def test_nothing_and_what_cannot_be() -> None:
    found = lessons(history({}).clear())
    assert found.height == 0
    assert found.schema == lessons(history({})).schema
    with pytest.raises(ValueError, match="min_samples is 0"):
        lessons(history({}), min_samples=0)
    with pytest.raises(ValueError, match="episodes lack success"):
        lessons(history({}).drop("success"))


def test_what_did_not_end_is_no_failure_and_what_is_no_number_says_nothing() -> None:
    """Worked out by hand: of five episodes one has no success to tell, so 3 of 4 succeeded."""
    told = [{"day": day, "score": 50 + day, "risk_score": 10.0 * day, "success": day > 0} for day in range(4)]
    frame = history(*told, {"day": 9, "score": 99, "risk_score": 99.0, "success": True})
    frame = frame.with_columns(success=pl.when(pl.col("score") < 99).then("success"))
    (row,) = lessons(frame, min_samples=1).to_dicts()
    assert (row["n"], row["successes"], row["best_n"], row["risk_cap"]) == (4, 3, 3, 25.0)
    assert group_counts(frame).collect()["n"].to_list() == [4]
    broken = frame.with_columns(
        score=pl.when(pl.col("score") == 50).then(float("nan")).otherwise("score"),
        risk_score=pl.when(pl.col("score") == 53).then(float("inf")).otherwise("risk_score"),
    )
    (row,) = lessons(broken, min_samples=1).to_dicts()
    # Of three scores the best are all; their known risks are 10 and 20, whose third quartile is 17.5.
    assert (row["n"], row["avg_score"], row["risk_cap"]) == (4, 52.0, 17.5)
    assert lessons(frame.with_columns(success=pl.lit(None, pl.Boolean))).is_empty()
