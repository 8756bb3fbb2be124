"""Whether hints help, tested on other clusters than they were found on: by hand, on noise and on what is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from assent_analytics.lessons import lessons
from assent_analytics.means import t_tail
from tests.analytics.histories import history
from tests.benchmarks.hints import NOISE, TIMES, World, shown
from tests.benchmarks.hints import history as simulated
from tests.tiers import deep


def sessions(n: int, success: Any, risk: Any) -> pl.DataFrame:
    """Sessions of two episodes, an hour apart; the second scores as the first."""
    rows = [
        {
            "day": at / 24,
            "risk_score": float(risk(at)),
            "success": success(at),
            "score": 90 - at % 7 if success(at) else 20 + at % 5,
            "reversible": None,
            "confidence": None,
        }
        for at in range(n)
    ]
    return history(*rows).with_columns(session_id=pl.Series([f"s{at // 2}" for at in range(n)]))


def test_a_hint_is_found_on_either_half_and_tested_on_the_other() -> None:
    """Against one fit over both halves, worked out here."""
    random = np.random.default_rng(4)
    risk = random.uniform(0, 100, 240)
    done = random.random(240) < np.where(risk < 50, 0.95, 0.35)
    frame = sessions(240, lambda at: bool(done[at]), lambda at: risk[at])
    (row,) = lessons(frame).to_dicts()
    (test,) = row["tests"]
    at, scores = np.arange(240), frame["score"].to_numpy()
    follows = np.zeros(240)
    for half in (0, 1):
        found = (at // 2) % 2 == half
        # 35% of 120 are 42: by score, then the latest.
        best = np.lexsort((at[found], scores[found]))[::-1][:42]
        follows[~found] = risk[~found] <= np.quantile(risk[found][best], 0.75)
    # 120 clusters are tested: 15 strata of 8, of 16 episodes each.
    stratum = at // 16
    hour = 2 * np.pi * (at % 24) / 24
    day = at // 24 % 7
    # Monday to Friday have 7 clusters for each hour, the weekend 8 for each eight hours; each day has 12.
    season = [day == each for each in range(7)]
    season += [(day < 5) & (at % 24 == each) for each in range(24)]
    season += [(day > 4) & (at % 24 // 8 == each) for each in range(3)]
    others = [at / 239, np.sin(hour), np.cos(hour), *season]
    levels = (stratum[:, None] == np.arange(15)).astype(float)
    design = np.column_stack([follows, *others, levels])

    def told(kept: Any) -> float:
        return float(np.linalg.lstsq(design[kept].astype(float), done[kept].astype(float), rcond=None)[0][0])

    whole, without = told(stratum >= 0), np.array([told(stratum != each) for each in range(15)])
    error = np.sqrt(14 / 15 * ((without - whole) ** 2).sum())
    assert test["gain"] == pytest.approx(whole)
    assert (test["high"] - test["low"]) / 2 / error == pytest.approx(2.16, abs=0.06)  # Student's, 11 to 14 degrees
    assert test["status"] == "shown"
    assert (test["n"], test["clusters"]) == (240, 120)
    assert (row["clusters"], row["basis"]) == (120, "session")
    gain, low, high = (f"{100 * test[name]:.0f}" for name in ("gain", "low", "high"))
    assert row["guidance"][1] == (
        f"Keep the risk at or below {row['risk_cap']:.0f}: of other episodes, those that did succeeded {gain} points "
        f"more often ({low} to {high})."
    )


def test_what_the_score_counts_helps_nobody() -> None:
    """The best have a low risk because the score says so; success has nothing to do with it."""
    random = np.random.default_rng(3)
    done = random.random(240) < 0.8
    risk = random.uniform(0, 100, 240)
    frame = sessions(240, lambda at: bool(done[at]), lambda at: risk[at])
    by_risk = frame.with_columns(score=(90 - pl.col("risk_score") / 2).cast(pl.Int64))
    (row,) = lessons(by_risk).to_dicts()
    assert row["risk_cap"] < 40
    assert row["tests"][0]["status"] == "not_shown"
    assert row["guidance"][1].endswith("whether that helps is not shown.")


@pytest.mark.parametrize(("n", "alike"), [(10, False), (30, False), (240, True)])
def test_too_few_clusters_or_all_alike_cannot_be_told(n: int, alike: bool) -> None:
    frame = sessions(n, lambda at: alike or at % 3 > 0, lambda at: at % 100)
    (row,) = lessons(frame).to_dicts()
    assert [test["status"] for test in row["tests"]] == ["insufficient_data"]
    assert row["guidance"][1].endswith("whether that helps cannot be told yet.")


def test_one_cluster_and_agents_hours() -> None:
    frame = sessions(60, lambda at: at % 3 > 0, lambda at: at % 100)
    (one,) = lessons(frame.with_columns(session_id=pl.lit("s"))).to_dicts()
    # Nothing is left to test on, and a sentence still says that nothing can be told.
    assert (one["clusters"], one["tests"]) == (1, [])
    assert one["guidance"][1].endswith("whether that helps cannot be told yet.")
    (hours,) = lessons(frame.drop("session_id")).to_dicts()
    assert (hours["clusters"], hours["basis"]) == (60, "agent and hour")


@pytest.mark.parametrize(("t", "df"), [(2.3, 9), (-1.0, 4), (0.0, 30), (12.0, 200)])
def test_the_tail_is_students(t: float, df: int) -> None:
    assert t_tail(t, df) == pytest.approx(scipy_stats.t.sf(t, df), rel=1e-9)


def test_long_histories_are_tested_by_their_newest() -> None:
    frame = simulated(World(n=3000), np.random.default_rng(1)).filter(pl.col("agent_id") == "0")
    for row in lessons(frame).to_dicts():
        assert 900 <= row["clusters"] <= 1100
        assert row["n"] == 3000


def test_success_and_risk_that_both_change_with_time_are_no_gain() -> None:
    """At any time success is the same whatever the risk; both are better later."""
    random = np.random.default_rng(8)
    at = np.arange(600)
    risk = random.uniform(0, 40, 600) + np.where(at < 300, 60, 0)
    done = random.random(600) < np.where(at < 300, 0.5, 0.95)
    frame = sessions(600, lambda each: bool(done[each]), lambda each: risk[each])
    (row,) = lessons(frame).to_dicts()
    (test,) = row["tests"]
    assert test["status"] != "shown"
    # With no regard to time those below the cap succeed half as often again.
    cap = row["risk_cap"]
    assert done[risk <= cap].mean() > done[risk > cap].mean() + 0.2


def test_a_cap_that_all_or_none_keep_at_a_time_tells_nothing() -> None:
    random = np.random.default_rng(9)
    done = random.random(400) < 0.7
    frame = sessions(400, lambda at: bool(done[at]), lambda at: 10.0 if at < 200 else 90.0)
    scored = frame.with_columns(score=(95 - pl.col("risk_score") / 2).cast(pl.Int64))
    (test,) = lessons(scored).to_dicts()[0]["tests"]
    assert (test["p_adjusted"], test["status"]) == (None, "insufficient_data")


@deep("a simulation")
@pytest.mark.parametrize("name", ["independent", "sessions of 5", "both trend", "both step, n 1,000, sessions of 5"])
def test_noise_shows_nothing(name: str) -> None:
    some, _, tested = shown(NOISE[name], 60)
    assert tested > 300
    assert some / 60 <= 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5


@deep("a simulation")
@pytest.mark.parametrize("name", list(TIMES)[:4])
def test_what_goes_with_the_time_of_the_week_shows_nothing(name: str) -> None:
    some, _, tested = shown(NOISE[f"both but {name}"], 20)
    assert tested > 100
    assert some <= 4


@deep("a simulation")
def test_what_helps_is_shown() -> None:
    _, caps, tested = shown(World(n=1000, session=5, slope=0.005), 3)
    assert caps / tested > 0.6
