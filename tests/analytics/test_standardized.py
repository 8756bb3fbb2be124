"""Velocity at the same work: against a regression over single episodes, by hand, and on mixes that change alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from assent_analytics.velocity import velocity
from tests.analytics.histories import drawn, history
from tests.benchmarks.mixes import WORLDS, World, judged
from tests.tiers import deep


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_slope_of_a_regression_on_kinds(seed: int) -> None:
    """Weighted least squares over single episodes, with a column for each kind; the jackknife leaves out windows."""
    frame = drawn(seed, 240, agents=2, days=12).with_columns(pl.col("risk_score").fill_null(35.0))
    for row in velocity(frame).to_dicts():
        own = frame.filter(pl.col("agent_id") == row["agent_id"])
        day = own["ended_at"].dt.truncate("1d").rank("dense").to_numpy().astype(int) - 1
        first = own["ended_at"].dt.truncate("1d")
        time = ((first - first.min()).dt.total_days()).to_numpy().astype(float)
        risk = own["risk_score"].to_numpy()
        kinds = own.select(
            pl.concat_str("action_type", pl.col("reversible").cast(pl.String), (pl.col("risk_score") / 20).floor())
        ).to_series()
        names = sorted(set(kinds))
        dummies = np.array([[kind == name for name in names] for kind in kinds], dtype=float)
        design = np.column_stack([time, dummies, risk])
        root = np.sqrt(1 / np.bincount(day)[day])
        score = own["score"].to_numpy().astype(float)
        slope = np.linalg.lstsq(design * root[:, None], score * root, rcond=None)[0][0]
        assert row["standardized"] == near(slope)
        assert row["standardized"] + row["mix"] == near(row["velocity"])
        assert (row["kinds"], row["clusters"], row["basis"]) == (len(names), row["windows"], "day")
        others = design[:, 1:] * root[:, None]
        across = time * root - others @ np.linalg.lstsq(others, time * root, rcond=None)[0]
        rest = score * root - others @ np.linalg.lstsq(others, score * root, rcond=None)[0]
        left, moved = np.bincount(day, across**2), np.bincount(day, across * rest)
        groups = len(left)
        without = (moved.sum() - moved) / (left.sum() - left)
        # The deviations of rule 2 of `clusters`, which weighs what is left by cluster.
        error = np.sqrt((groups - 1) / groups * ((without - slope) ** 2).sum())
        half = (row["standardized_high"] - row["standardized_low"]) / 2
        free = len(own) - len(names) - 1
        assert half == near(2.2009851600829 * error * np.sqrt(len(own) / free))  # Student's, 11 degrees of freedom


def test_only_easier_work_is_all_mix() -> None:
    """Easy work scores 90 and hard work 50, each day as ever; there is more of the easy one from day to day."""
    rows = [
        {"day": day, "action_type": "easy" if at < day else "hard", "score": 90 if at < day else 50}
        for day in range(8)
        for at in range(8)
    ]
    (row,) = velocity(history(*rows)).to_dicts()
    # Five points of score a day more, since one of eight episodes turns from 50 into 90.
    assert (row["velocity"], row["standardized"], row["mix"]) == (near(5), near(0), near(5))
    assert row["slope_low"] > 0
    assert row["direction"] == "unclear"


def test_the_same_work_is_no_mix() -> None:
    rows = [{"day": day, "score": 40 + 4 * day + wobble} for day in range(12) for wobble in (-3, 0, 1 + day % 2)]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["standardized"], row["mix"], row["kinds"]) == (near(row["velocity"]), near(0), 1)
    assert row["direction"] == "improving"
    assert row["standardized_low"] > 3


def test_work_that_never_comes_twice_says_nothing() -> None:
    """Each day another type: nothing can be compared with itself."""
    rows = [{"day": day, "action_type": f"kind-{day}", "score": 40 + 5 * day} for day in range(10) for _ in range(3)]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["standardized"], row["standardized_low"], row["direction"]) == (None, None, "unclear")
    assert row["velocity"] == near(5)


@pytest.mark.parametrize(
    "rows",
    [
        [{"risk_score": float("nan"), "day": day} for day in range(6)],
        [{"risk_score": None, "reversible": None, "day": day, "score": 70 + day % 3} for day in range(6)],
        [{"action_type": None, "day": day, "score": 70 + day % 3} for day in range(6)],
        [{"day": 40_000 + day, "score": 70 + day % 3} for day in range(6)],
        [{"day": day % 2, "score": 70} for day in range(10)],
    ],
    ids=["nan", "nothing known", "no type", "future", "ten rows, all alike"],
)
def test_whatever_stands_there(rows: list[dict[str, Any]]) -> None:
    (row,) = velocity(history(*rows)).to_dicts()
    assert row["status"] == "ok"
    assert row["standardized"] == near(row["velocity"])
    assert row["direction"] == "unclear"


def test_many_windows_are_blocks() -> None:
    rows = [{"day": day, "score": 60 + (day * 7) % 11} for day in range(40)]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["clusters"], row["basis"]) == (14, "3 days")


@deep("a simulation")
@pytest.mark.parametrize("name", ["types", "types, sessions of 10", "types, days correlate .5"])
def test_a_mix_that_changes_is_no_learning(name: str) -> None:
    improving, raw, mix = judged(WORLDS[name], 150)
    assert improving / 150 <= 0.06 + 3 * (0.06 * 0.94 / 150) ** 0.5
    assert raw / 150 > 0.6
    assert 0.85 < mix < 1.15


@deep("a simulation")
def test_learning_that_is_there_is_found() -> None:
    improving, _, _ = judged(World(learns=1.0), 40)
    assert improving >= 32


@pytest.mark.parametrize(
    "days",
    [[0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [*range(10), 70], [0, 0, 0, 0, 60]],
    ids=["two", "three", "gap", "far"],
)
def test_few_windows_or_one_that_lies_far_away_tell_no_direction(days: list[int]) -> None:
    scores = [80, 82, 70, 71, 72, 75, 74, 80, 79, 71, 90]
    rows = [{"day": day, "score": score} for day, score in zip(days, scores, strict=False)]
    (row,) = velocity(history(*rows)).to_dicts()
    assert row["standardized"] is not None
    assert (row["standardized_low"], row["standardized_high"], row["direction"]) == (None, None, "unclear")


def test_windows_on_one_line_have_no_chance_to_measure() -> None:
    (row,) = velocity(history(*[{"day": day, "score": 50 + 3 * day} for day in range(8)])).to_dicts()
    assert (row["standardized"], row["standardized_low"]) == (near(3), None)


def test_four_windows_have_students_interval_with_two_degrees_of_freedom() -> None:
    """Days 0 to 3 weigh 9, 1, 1, 9: (sum of w)^2 / (sum of w^2) is 400 / 164, so t has two degrees of freedom."""
    score = [70, 73, 71, 78]
    (row,) = velocity(history(*[{"day": day, "score": each} for day, each in enumerate(score)])).to_dicts()
    x, y = np.array([-1.5, -0.5, 0.5, 1.5]), np.array(score) - 73
    slope = float(x @ y) / 5
    moved = x * (y - slope * x) / (5 - x**2)
    error = np.sqrt(3 / 4 * (moved**2).sum())
    assert row["standardized"] == near(slope)
    assert (row["standardized_high"] - slope) == near(4.302652729911275 * error * np.sqrt(4 / 2))
    assert row["direction"] == "unclear"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite_does_not_count(wrong: float) -> None:
    frame = history(*[{"day": day, "score": 60 + day % 3} for day in range(8)]).with_columns(
        pl.col("score").cast(float)
    )
    other = history({"day": 9}, {"day": 9, "agent_id": "other"}).with_columns(score=pl.lit(wrong))
    assert velocity(pl.concat([frame, other])).equals(velocity(frame))
