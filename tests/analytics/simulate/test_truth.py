"""What was put into a history can be found in it again, by arithmetic of its own and within four standard errors."""

from __future__ import annotations

from datetime import UTC, datetime
from math import erf, exp, log, sqrt

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from assent_analytics.simulate import Agent, History, Metric, PlantedChange, simulate
from tests.tiers import deep

pytestmark = deep("a simulated history, large enough for four standard errors")

UNTIL = datetime(2026, 3, 18, 16, 30, tzinfo=UTC)
ACTIONS = 200_000
ERRORS = 4.0
MIX = {"lookup_order": 1.0, "answer_ticket": 1.0, "refund": 1.0, "release": 1.0, "config": 1.0, "update_crm": 1.0}


def one_agent(**members: float) -> History:
    """A history of a single agent with all the skill there is in `members`."""
    given = {"skill": 0.3, "learning": 0.0} | members
    agent = Agent(agent_id="one", name="One", share=1.0, mix=MIX, **given)  # type: ignore[arg-type]  # numbers only
    return simulate(17, until=UNTIL, agents=[agent], actions=ACTIONS, changes=[])


@pytest.fixture(scope="module")
def usual() -> History:
    return simulate(29, until=UNTIL, actions=ACTIONS)


def ended(history: History) -> pl.DataFrame:
    """The actions that ended, in order, with k counted from what can be seen."""
    status = pl.col("status").cast(pl.String)
    ran = status.is_in(["completed", "failed", "running"])
    counted = history.actions.with_columns(
        k=(ran.cast(pl.Int64).cum_sum() - ran.cast(pl.Int64)).over("agent_id", "action_type"),
        failed=(status == "failed").cast(pl.Float64),
    )
    return counted.filter(status.is_in(["completed", "failed"]))


def test_failure_follows_the_curve_in_every_bin_of_risk() -> None:
    found = (
        ended(one_agent())
        .group_by((pl.col("risk_score") // 10).cast(pl.Int64).alias("bin"), "risk_score")
        .agg(pl.len().alias("n"), pl.col("failed").sum())
    )
    checked = 0
    for (_,), rows in found.group_by("bin"):
        n, failed = int(rows["n"].sum()), float(rows["failed"].sum())
        if n < 200:
            continue
        # By hand: intercept -3, slope 4 for a risk of 100, skill 0.3.
        chances = [(1 / (1 + exp(3.0 + 0.3 - 4.0 * risk / 100)), count) for risk, _, count, _ in _rows(rows)]
        expected = sum(p * count for p, count in chances)
        error = sqrt(sum(p * (1 - p) * count for p, count in chances))
        assert abs(failed - expected) <= ERRORS * error, f"{failed} of {n} failed, {expected:.0f} were expected"
        checked += 1
    assert checked >= 7


def _rows(frame: pl.DataFrame) -> list[tuple[float, int, int, float]]:
    return [(row["risk_score"], row["bin"], row["n"], row["failed"]) for row in frame.iter_rows(named=True)]


def fit(success: NDArray[np.float64], *columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Logistic regression by Newton's method: coefficients (intercept first) and their standard errors."""
    design = np.column_stack([np.ones(len(success)), *columns])
    weights = np.zeros(design.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ weights))
        information = (design * (p * (1 - p))[:, None]).T @ design
        weights += np.linalg.solve(information, design.T @ (success - p))
    return weights, np.sqrt(np.diag(np.linalg.inv(information)))


def test_risk_skill_and_learning_add_up_in_the_logit() -> None:
    rows = ended(one_agent(skill=0.7, learning=0.25))
    k = rows["k"].to_numpy().astype(float)
    found, errors = fit(1 - rows["failed"].to_numpy(), rows["risk_score"].to_numpy() / 100, np.log(1 + k))
    wanted = np.array([3.0 + 0.7, -4.0, 0.25])
    assert np.all(np.abs(found - wanted) <= ERRORS * errors), (found, errors)
    assert np.all(errors < [0.3, 0.1, 0.03])


def test_the_truth_tells_the_chances_behind_the_outcomes(usual: History) -> None:
    rows = ended(usual).join(usual.truth.actions, on="number")
    assert (rows["k"] == rows["exposure"]).all()
    failing = 1 - rows["success_probability"].to_numpy()
    off = rows["failed"].to_numpy().sum() - failing.sum()
    assert abs(off) <= ERRORS * sqrt((failing * (1 - failing)).sum())


def test_a_chance_is_the_formula_of_what_can_be_seen(usual: History) -> None:
    skills = {"support-concierge": (0.8, 0.25), "refund-desk": (0.2, 0.15), "ops-steward": (-0.4, 0.35)}
    for agent_id, (skill, learning) in skills.items():
        rows = ended(usual).filter(pl.col("agent_id") == agent_id).join(usual.truth.actions, on="number")
        k, risk = rows["k"].to_numpy(), rows["risk_score"].to_numpy()
        logit = 3.0 + skill - 4.0 * risk / 100 + learning * np.log(1 + k)
        np.testing.assert_allclose(rows["success_probability"].to_numpy(), 1 / (1 + np.exp(-logit)), rtol=1e-9)


def test_waiting_times_are_log_normal_by_operator(usual: History) -> None:
    given = {"Mara Lind": (log(360), 0.8), "Jonas Okafor": (log(1500), 1.0)}  # the third one's are cut off at a day
    waits = (pl.col("decided_at") - pl.col("requested_at")).dt.total_microseconds() / 1e6
    rows = usual.approvals.filter(pl.col("decided_by").is_not_null()).with_columns(log_wait=waits.log())
    for name, (mu, sigma) in given.items():
        found = rows.filter(pl.col("decided_by") == name)["log_wait"].to_numpy()
        n = len(found)
        assert n > 4000
        assert abs(found.mean() - mu) <= ERRORS * sigma / sqrt(n)
        assert abs(found.std() - sigma) <= ERRORS * sigma / sqrt(2 * n)
        # The whole shape, by Kolmogorov and Smirnov: 1.95 / sqrt(n) is exceeded once in a thousand histories.
        normal = np.array([(1 + erf(z / sqrt(2))) / 2 for z in np.sort(found - mu) / sigma])
        assert np.abs(normal - (np.arange(n) + 0.5) / n).max() < 1.95 / sqrt(n)


def test_the_true_waiting_times_are_complete(usual: History) -> None:
    waits = usual.truth.approvals.filter(pl.col("operator") == "Priya Raman")["wait_seconds"]
    answered = waits.filter(waits.is_finite()).log()
    assert abs(float(answered.mean()) - log(5400)) <= ERRORS * 1.2 / sqrt(len(answered))  # type: ignore[arg-type]  # a number
    assert abs(float(answered.std()) - 1.2) <= ERRORS * 1.2 / sqrt(2 * len(answered))  # type: ignore[arg-type]  # a number
    assert answered.max() > log(24 * 3600)  # type: ignore[operator]  # a number
    nobody = usual.truth.approvals["wait_seconds"].is_infinite()
    assert within(int(nobody.sum()), len(nobody), 0.05)


def test_operators_say_no_as_often_as_they_do(usual: History) -> None:
    for name, denies in {"Mara Lind": 0.12, "Jonas Okafor": 0.3, "Priya Raman": 0.08}.items():
        states = usual.approvals.filter(pl.col("decided_by") == name)["state"].cast(pl.String)
        assert within(int((states == "denied").sum()), len(states), denies), name


def within(hits: int, n: int, chance: float) -> bool:
    return abs(hits - n * chance) <= ERRORS * sqrt(n * chance * (1 - chance))


@pytest.mark.parametrize(("kind", "mu", "sigma"), [("test", 12.2, 0.7), ("review", 11.4, 0.6)])
def test_a_change_of_duration_is_as_large_as_it_was_planted(usual: History, kind: str, mu: float, sigma: float) -> None:
    changed = datetime(2026, 3, 9, 16, 30, tzinfo=UTC)  # 21 of 30 days
    own = usual.actions.filter(pl.col("agent_id") == "release-captain", pl.col("action_type") == kind)
    z = own.filter(pl.col("duration_ms").is_not_null()).select(
        "timestamp_start", z=(pl.col("duration_ms").log() - mu) / sigma
    )
    before = z.filter(pl.col("timestamp_start") < changed)["z"].to_numpy()
    after = z.filter(pl.col("timestamp_start") >= changed)["z"].to_numpy()
    assert abs(before.mean()) <= ERRORS / sqrt(len(before))
    assert abs(after.mean() - 2.0) <= ERRORS / sqrt(len(after))
    assert abs(after.std() - 1) <= ERRORS / sqrt(2 * len(after))
    others = usual.actions.filter(pl.col("agent_id") == "ops-steward", pl.col("action_type") == "test")
    steady = (others["duration_ms"].drop_nulls().log() - 12.2) / 0.7
    assert abs(float(steady.mean())) <= ERRORS / sqrt(len(steady))  # type: ignore[arg-type]  # a number


def test_a_change_of_risk_is_as_large_as_it_was_planted(usual: History) -> None:
    changed = datetime(2026, 3, 3, 16, 30, tzinfo=UTC)  # 15 of 30 days
    own = usual.actions.join(usual.truth.actions, on="number").filter(
        pl.col("agent_id") == "campaign-writer", pl.col("action_type") == "send_email"
    )
    parts = {late: own.filter((pl.col("timestamp_start") >= changed) == late) for late in (False, True)}
    for late, shift in ((False, 0.0), (True, 1.2)):
        z = parts[late]["risk_z"].to_numpy()
        assert abs(z.mean() - shift) <= ERRORS / sqrt(len(z))
        # The median of what can be seen, by hand: floor 35, logit mean -1.9, spread 0.9.
        median = 35 + 65 / (1 + exp(1.9 - 0.9 * shift))
        assert abs(float(parts[late]["risk_score"].median()) - median) <= 1  # type: ignore[arg-type]  # a number
    agents = usual.truth.agents.filter(pl.col("agent_id") == "campaign-writer")
    assert agents.select("change_metric", "change_at", "change_size").row(0) == ("risk", changed, 1.2)


def test_changes_are_those_that_are_asked_for() -> None:
    changes = [PlantedChange(agent_id="refund-desk", metric=Metric.DURATION, at=0.25, size=-1.0)]
    history = simulate(8, until=UNTIL, actions=60_000, changes=changes)
    rows = history.actions.join(history.truth.actions, on="number").filter(pl.col("agent_id") == "refund-desk")
    late = rows.filter("changed")
    assert abs(late["duration_z"].to_numpy().mean() + 1) <= ERRORS / sqrt(len(late))
    assert (
        not history.actions.join(history.truth.actions.filter("changed"), on="number")
        .filter(pl.col("agent_id") != "refund-desk")
        .height
    )


def gap(history: History, agent_id: str) -> tuple[float, float]:
    """Mean confidence less the share of successes, and its standard error."""
    rows = ended(history).filter(pl.col("agent_id") == agent_id)
    missed = rows["confidence"].cast(pl.Float64) / 100 - (1 - rows["failed"])
    return float(missed.to_numpy().mean()), float(missed.to_numpy().std()) / sqrt(len(rows))


ROUNDING = 0.0005
"""Confidence is in whole percent; over many actions the rounding all but cancels."""


def test_a_calibrated_agent_is_right_as_often_as_it_says(usual: History) -> None:
    for agent_id in ("support-concierge", "release-captain", "crm-gardener", "campaign-writer"):
        found, error = gap(usual, agent_id)
        assert abs(found) <= ERRORS * error + ROUNDING, agent_id


def test_an_over_confident_agent_says_more_than_it_holds(usual: History) -> None:
    for agent_id, a, b in (("refund-desk", 2.0, 0.6), ("ops-steward", 1.6, 0.0)):
        rows = ended(usual).filter(pl.col("agent_id") == agent_id).join(usual.truth.actions, on="number")
        p = rows["success_probability"].to_numpy()
        wanted = float((1 / (1 + np.exp(-b) * ((1 - p) / p) ** a) - p).mean())
        found, error = gap(usual, agent_id)
        assert abs(found - wanted) <= ERRORS * error + ROUNDING, agent_id
        assert found > 0.02, agent_id


def test_wrong_assumptions_go_with_failure(usual: History) -> None:
    rows = usual.assumptions.join(ended(usual), left_on="action_number", right_on="number").filter(
        pl.col("validated") | pl.col("invalidated")
    )
    for failed, chance in ((1.0, 0.35), (0.0, 0.04)):
        own = rows.filter(pl.col("failed") == failed)
        assert within(int(own["invalidated"].sum()), len(own), chance)


def test_days_and_weeks_have_their_rhythm(usual: History) -> None:
    start = usual.actions["timestamp_start"]
    full = start.filter((start >= datetime(2026, 2, 18, tzinfo=UTC)) & (start < datetime(2026, 3, 18, tzinfo=UTC)))
    by_day = dict(full.dt.weekday().value_counts().iter_rows())
    weekday = sum(by_day[day] for day in range(1, 6)) / 5
    assert abs(by_day[7] / weekday - 0.3) <= ERRORS * 0.3 * sqrt(1 / by_day[7] + 1 / (5 * weekday))
    assert abs(by_day[6] / weekday - 0.4) <= ERRORS * 0.4 * sqrt(1 / by_day[6] + 1 / (5 * weekday))
    by_hour = dict(full.dt.hour().value_counts().iter_rows())
    assert by_hour[10] > 5 * by_hour[3]
