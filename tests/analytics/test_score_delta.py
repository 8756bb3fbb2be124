"""What a last window has more than a first one, over sessions; and percentiles of a scale over sessions."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from assent_analytics.calibration import scales
from assent_analytics.calibration.scales import AT
from assent_analytics.clusters import clustered_difference
from assent_analytics.velocity import velocity
from tests.analytics.histories import MONDAY
from tests.tiers import deep

NAMES = ("low", "high", "clusters", "n_effective", "basis")


def sessions(*windows: tuple[int, int, float], per: int = 5, agent: str = "a") -> pl.DataFrame:
    """For each window its day, how many sessions and their mean score; the scores of a session lie 10 around its own,
    of which every other one is 8 above and 8 below the mean."""
    rows = [
        {
            "agent_id": agent,
            "session_id": f"{agent}{day}-{session}",
            "ended_at": MONDAY + timedelta(days=day, minutes=session),
            "score": mean + (8 if session % 2 else -8) + (10 if at % 2 else -10),
            "success": True,
        }
        for day, number, mean in windows
        for session in range(number)
        for at in range(per)
    ]
    return pl.DataFrame(rows)


def test_it_is_the_clustered_difference_of_the_first_and_the_last_window() -> None:
    frame = sessions((0, 12, 40.0), (1, 3, 90.0), (5, 14, 55.0))
    (row,) = velocity(frame).to_dicts()
    parts = [frame.filter(pl.col("ended_at").dt.date() == (MONDAY + timedelta(days=day)).date()) for day in (0, 5)]
    numbers = {session: at for at, session in enumerate(frame["session_id"].unique())}
    of = [(part["score"], [numbers[session] for session in part["session_id"]]) for part in parts]
    expected = clustered_difference(*of)
    assert (row["score_delta_low"], row["score_delta_high"]) == pytest.approx((expected.low, expected.high))
    assert row["score_delta"] == pytest.approx(15.0)
    assert row["score_delta_low"] < 15 < row["score_delta_high"]
    assert (row["score_delta_clusters"], row["score_delta_basis"]) == (26, "session")
    assert 26 <= row["score_delta_n_effective"] < 130, "sessions are alike, so that 130 episodes are worth fewer"
    alone = velocity(frame.with_columns(session_id=pl.int_range(pl.len()).cast(pl.String))).to_dicts()[0]
    assert alone["score_delta_high"] - alone["score_delta_low"] < row["score_delta_high"] - row["score_delta_low"]


def test_one_cluster_one_score_and_one_window_tell_nothing() -> None:
    one = velocity(sessions((0, 1, 40.0), (1, 1, 50.0))).to_dicts()[0]
    assert (one["score_delta_low"], one["score_delta_high"], one["score_delta_clusters"]) == (None, None, 2)
    alike = velocity(sessions((0, 12, 40.0), (1, 12, 50.0)).with_columns(score=pl.lit(70.0))).to_dicts()[0]
    assert (alike["score_delta"], alike["score_delta_low"]) == (0.0, None)
    short = velocity(sessions((0, 12, 40.0))).to_dicts()[0]
    assert [short[f"score_delta_{name}"] for name in NAMES] == [None] * 5


def test_scores_that_are_not_finite_and_episodes_to_come_do_not_change_it() -> None:
    frame = sessions((0, 12, 40.0), (3, 12, 60.0))
    broken = frame.head(20).with_columns(score=pl.lit(float("nan")))
    (with_broken,), (alone,) = (velocity(each).to_dicts() for each in (pl.concat([frame, broken]), frame))
    assert (with_broken.pop("left_out"), alone.pop("left_out")) == (20, 0)
    assert with_broken == alone


def test_each_agent_has_its_own() -> None:
    both = pl.concat([sessions((0, 12, 40.0), (1, 12, 60.0), agent="b"), sessions((2, 11, 70.0), (4, 11, 50.0))])
    rows = {row["agent_id"]: row for row in velocity(both).to_dicts()}
    assert {name: round(row["score_delta"]) for name, row in rows.items()} == {"a": -20, "b": 20}
    assert {name: row["score_delta_clusters"] for name, row in rows.items()} == {"a": 22, "b": 24}


def durations(seed: int, clusters: int, per: int, alike: float) -> pl.DataFrame:
    """Durations around 1 of sessions that share so much of the variance."""
    random = np.random.default_rng(seed)
    session = np.repeat(np.arange(clusters), per)
    shared = random.standard_normal(clusters)[session]
    values = np.sqrt(alike) * shared + np.sqrt(1 - alike) * random.standard_normal(len(session))
    return pl.DataFrame({"duration_ms": values, "session_id": [f"s{each}" for each in session]})


@deep("three hundred histories")
def test_a_percentile_of_sessions_is_covered_as_often_as_it_says() -> None:
    """The true median is 0. Of 300 histories of 30 sessions of 10 that are half alike: 95 % give or take chance, where
    intervals that count rows alone cover far less."""
    hits = {"session_id": 0, "none": 0}
    for seed in range(300):
        frame = durations(seed, 30, 10, 0.5)
        for by in hits:
            row = scales(frame if by in frame.columns else frame.drop("session_id"), ["duration_ms"]).to_dicts()[0]
            hits[by] += row["p50_low"] <= 0 <= row["p50_high"]
    assert 0.92 <= hits["session_id"] / 300 <= 0.99
    assert hits["none"] / 300 < 0.75


def test_a_scale_says_its_clusters_and_what_they_are_worth() -> None:
    row = scales(durations(1, 30, 10, 0.9), ["duration_ms"]).to_dicts()[0]
    assert (row["n"], row["clusters"], row["basis"]) == (300, 30, "session")
    assert 20 < row["n_effective"] < 60
    bare = scales(durations(1, 30, 10, 0.9).drop("session_id"), ["duration_ms"]).to_dicts()[0]
    assert (bare["clusters"], bare["n_effective"], bare["basis"]) == (None, None, None)
    assert [row[name] for name in AT] == [bare[name] for name in AT], "the percentiles stay as they are"


@pytest.mark.parametrize(
    ("values", "session"),
    [([5.0] * 40, "many"), ([*np.arange(39.0), float("nan")], "many"), (list(np.arange(40.0)), "one")],
)
def test_values_and_sessions_that_tell_nothing(values: list[float], session: str) -> None:
    ids = [f"s{at // 4}" if session == "many" else "s" for at in range(40)]
    row = scales(pl.DataFrame({"duration_ms": values, "session_id": ids}), ["duration_ms"]).to_dicts()[0]
    for name in AT:
        assert row["min"] <= row[f"{name}_low"] <= row[name] <= row[f"{name}_high"] <= row["max"]
    if session == "one":
        assert (row["p50_low"], row["p50_high"], row["clusters"]) == (0, 39, 1)
