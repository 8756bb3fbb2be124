"""Failures that sessions share in time: the ratio by hand, its test on worlds with and without an outage, bad input."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from assent_analytics.backtest import evaluate_policy
from assent_analytics.concentration import LEVEL, MOST, RATIO, Concentration, concentration
from tests.analytics.backtest.tables import NOW
from tests.analytics.backtest.test_evaluation import frames
from tests.tiers import deep

HOURS = 48


def world(seed: int, *, outages: int, sessions: int = 240, length: int = 5) -> tuple[np.ndarray, ...]:
    """Sessions in hours, each with a share of failures of its own around .1; in the hours of an outage, .6."""
    random = np.random.default_rng(seed)
    hour = np.repeat(random.integers(0, HOURS, sessions), length)
    session = np.repeat(np.arange(sessions), length)
    share = np.where(hour < outages, 0.6, np.repeat(random.beta(0.5, 4.5, sessions), length))
    return (random.random(len(hour)) < share).astype(float), session, hour


def flagged(worlds: int, outages: int) -> float:
    return float(np.mean([concentration(*world(seed, outages=outages)).concentrated for seed in range(worlds)]))


def test_the_ratio_by_hand() -> None:
    # Twelve clusters of one row in four hours of three; the mean is 1/4. All of the first hour failed.
    values = [1.0] * 3 + [0.0] * 9
    found = concentration(values, range(12), np.arange(12) // 3)
    # Squares of the hours: (3 * .75)^2 + 3 * (3 * .25)^2 = 6.75; of the cells: 3 * .75^2 + 9 * .25^2 = 2.25.
    assert found.ratio == pytest.approx(6.75 / 2.25)
    assert (found.clusters, found.hours, found.worst) == (12, 4, 0)
    # Chance puts all three into one hour in 4 of 220 cases.
    assert found.p_value is not None
    assert 0.005 <= found.p_value <= 0.04
    spread = concentration([1.0, 0.0, 0.0] * 4, range(12), np.arange(12) // 3)
    assert spread.ratio == pytest.approx(0.0)
    assert not spread.concentrated


def test_what_a_session_shares_alone_is_not_concentrated() -> None:
    """At a level of .01: of 40 worlds whose sessions differ and hours do not, 2 or fewer (chance of more: .007)."""
    assert flagged(40, outages=0) <= 2 / 40


def test_an_outage_of_four_hours_in_two_days_is_found() -> None:
    assert flagged(20, outages=4) >= 0.9


@deep("three hundred worlds")
def test_its_false_alarms_and_its_power_are_as_published() -> None:
    """1 % of worlds without an outage may be flagged; of those with two hours of one in two days, most are."""
    assert flagged(200, outages=0) <= 0.03
    assert flagged(100, outages=2) >= 0.65


def test_sessions_that_span_hours_share_nothing_with_themselves() -> None:
    """Ten agents that differ, over all hours: what each has in several hours is its own."""
    random = np.random.default_rng(1)
    agent, hour = np.tile(np.arange(10), 200), np.arange(2000) // 42
    share = np.linspace(0, 0.6, 10)[agent]
    assert not concentration((random.random(2000) < share).astype(float), agent, hour).concentrated


def test_many_cells_are_drawn_by_hours_and_give_the_same_answer_again() -> None:
    values, session, hour = world(3, outages=2, sessions=MOST + 5000, length=1)
    found = concentration(values, session, hour)
    assert found == concentration(values, session, hour)
    assert found.concentrated
    assert found.worst in (0, 1)


@pytest.mark.parametrize(
    ("values", "clusters", "hours"),
    [
        ([], [], []),
        ([1.0] * 40, range(40), range(40)),
        ([float("nan")] * 40, range(40), [0] * 40),
        ([0.0, 1.0] * 20, [0] * 40, range(40)),
        ([0.0, 1.0] * 4, range(8), [0, 0, 1, 1, 2, 2, 3, 3]),
        ([0.0, 1.0] * 20, range(40), range(40)),
    ],
    ids=["nothing", "one value", "NaN", "one cluster", "eight clusters", "a cluster an hour"],
)
def test_what_tells_nothing_has_no_ratio(values: list[float], clusters: list[int], hours: list[int]) -> None:
    found = concentration(values, list(clusters), list(hours))
    assert isinstance(found, Concentration)
    assert (found.ratio, found.p_value, found.worst, found.concentrated) == (None, None, None, False)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values, 1 clusters and 2 hours"):
        concentration([0.0, 1.0], [1], [1, 2])


def evaluated(outages: int) -> list[str]:
    values, session, hour = world(11, outages=outages)
    rows = [{"status": "failed" if failed else "completed"} for failed in values]
    decisions, actions = frames(*rows)
    at = [NOW + timedelta(hours=int(each)) for each in hour]
    decisions = decisions.with_columns(
        session_id=pl.Series([f"s{each}" for each in session]),
        occurred_at=pl.Series(at, dtype=pl.Datetime("us", "UTC")),
    )
    return evaluate_policy(decisions, actions, []).says


def test_the_value_of_a_policy_says_that_an_outage_is_not_covered() -> None:
    (said,) = [each for each in evaluated(outages=2) if "concentrated" in each]
    assert "The intervals do not cover what sessions share" in said
    assert f"in the hour from {NOW:%Y-%m-%d %H:%M} UTC" in said or f"{NOW + timedelta(hours=1):%Y-%m-%d %H:%M}" in said
    assert not [each for each in evaluated(outages=0) if "concentrated" in each]


def test_blocked_decisions_and_unknown_outcomes_are_left_out() -> None:
    """Sixty that were blocked in one hour, and sixty that never ended in another, are no outage."""
    rows: list[dict[str, Any]] = [{"status": "failed" if at % 10 == 0 else "completed"} for at in range(200)]
    rows += [{"decision": "block", "status": None}] * 60 + [{"status": None}] * 60
    decisions, actions = frames(*rows)
    at = [NOW + timedelta(hours=at % 7 if at < 200 else 30 + at // 260) for at in range(len(rows))]
    decisions = decisions.with_columns(occurred_at=pl.Series(at, dtype=pl.Datetime("us", "UTC")))
    assert not [each for each in evaluate_policy(decisions, actions, []).says if "concentrated" in each]


def test_the_threshold_and_the_level_are_as_documented() -> None:
    assert (RATIO, LEVEL) == (1.25, 0.01)
