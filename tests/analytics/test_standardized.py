"""Velocity at the same work: by hand, and on mixes that change alone; `test_same_work` has it against a regression."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from assent_analytics.velocity import velocity
from tests.analytics.histories import history
from tests.benchmarks.mixes import WORLDS, World, judged
from tests.tiers import deep


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-7, abs=1e-9)


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


def test_a_monday_and_a_far_thursday_cannot_be_compared() -> None:
    (row,) = velocity(history(*[{"day": day, "score": 80 + day // 6} for day in (0, 0, 0, 0, 60)])).to_dicts()
    assert (row["standardized"], row["direction"], row["unmatched"]) == (None, "unclear", 5)
    assert row["velocity"] == near(1 / 6)


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


def test_sessions_that_are_longer_than_a_block_count_whole() -> None:
    """Five sessions of eight days each, one after the other: five things that are independent, and not 40 days."""
    random = np.random.default_rng(2)
    level = np.repeat(random.normal(60, 15, 5), 8)
    rows = [{"day": day, "score": round(level[day] + wobble)} for day in range(40) for wobble in (-2, 0, 2)]
    frame = history(*rows)
    (plain,) = velocity(frame).to_dicts()
    named = frame.with_columns(session_id=pl.Series([f"s{at // 24}" for at in range(120)]))
    (whole,) = velocity(named).to_dicts()
    assert (plain["clusters"], plain["basis"]) == (8, "5 days")
    assert (whole["clusters"], whole["basis"]) == (5, "5 days, whole sessions")
    assert (whole["standardized"], whole["mix"]) == (near(plain["standardized"]), near(plain["mix"]))
    assert (whole["n"], whole["windows"], whole["kinds"]) == (120, 40, 1)
    wide = [row["standardized_high"] - row["standardized_low"] for row in (whole, plain)]
    assert wide[0] > wide[1]
    days = np.arange(40.0)
    means = frame.group_by(pl.col("ended_at"), maintain_order=True).agg(pl.col("score").mean())["score"].to_numpy()
    without = [np.polyfit(days[days // 8 != at], means[days // 8 != at], 1)[0] for at in range(5)]
    error = np.sqrt(4 / 5 * ((np.array(without) - whole["standardized"]) ** 2).sum())
    lost = np.array([40 * days.var() - days[days // 8 != at].var() * 32 for at in range(5)])
    worth = lost.sum() ** 2 / (lost**2).sum()
    assert 3 < worth < 4
    assert wide[0] / 2 == near(3.182446305284263 * error)  # Student's, 3 degrees of freedom


@pytest.mark.parametrize("session", [None, "", "one"])
def test_short_or_unnamed_sessions_change_nothing_and_a_single_one_tells_no_direction(session: str | None) -> None:
    rows = [{"day": day, "score": 50 + day + wobble} for day in range(30) for wobble in (-3, 0, 1 + day % 2)]
    frame = history(*rows)
    (row,) = velocity(frame.with_columns(session_id=pl.lit(session, pl.String))).to_dicts()
    if session:
        assert (row["standardized_low"], row["direction"], row["clusters"]) == (None, "unclear", 1)
    else:
        assert row == velocity(frame).to_dicts()[0]
    each = frame.with_columns(session_id=pl.int_range(pl.len()).cast(pl.String))
    of_the_ends = pl.selectors.starts_with("score_delta_")
    assert velocity(each).drop(of_the_ends).equals(velocity(frame).drop(of_the_ends))
    assert velocity(each)["score_delta_basis"].item() == "session"


def test_a_thread_counts_as_a_session_where_there_is_none() -> None:
    """Threads of ten days side by side, named as sessions, as threads, and every other one as either."""
    runs = pl.int_range(pl.len()) % 3 + 3 * (pl.int_range(pl.len()) // 30)
    rows = [{"day": at / 3, "score": 60 + at * at % 17 + 9 * (at // 30)} for at in range(120)]
    frame = history(*rows).with_columns(run=runs.cast(pl.String))
    name, odd = pl.col("run"), runs % 2 == 1
    named = {
        "whole sessions": frame.with_columns(session_id=name),
        "whole threads": frame.with_columns(thread_id=name),
        "whole sessions and threads": frame.with_columns(
            session_id=pl.when(odd).then(name).otherwise(pl.lit("")),
            thread_id=pl.when(odd).then(pl.lit("x")).otherwise(name),
        ),
    }
    found = {words: velocity(each).to_dicts()[0] for words, each in named.items()}
    alone = velocity(frame).to_dicts()[0]
    for words, row in found.items():
        assert words in row["basis"]
        assert row["standardized"] == near(alone["standardized"])
        assert row["standardized_high"] == near(found["whole sessions"]["standardized_high"])
        assert row["standardized_high"] != near(alone["standardized_high"])


@deep("a simulation")
@pytest.mark.parametrize(
    "name",
    [
        *("types", "types, sessions of 10", "types, days correlate .5", "risk steps, sessions of 10"),
        "types, sessions of 10 over 10 days",
    ],
)
def test_a_mix_that_changes_is_no_learning(name: str) -> None:
    improving, declining, raw, mix = judged(WORLDS[name], 150)
    assert (improving + declining) / 150 <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
    assert raw / 150 > 0.6
    assert 0.85 < mix < 1.15


@deep("a simulation")
@pytest.mark.parametrize(
    "name", ["types, one session of 5 days", "types, one session of 10 days", "types, one thread of 10 days"]
)
def test_sessions_of_days_one_after_the_other_tell_no_direction(name: str) -> None:
    found = judged(WORLDS[name], 150)
    assert (found.improving + found.declining) / 150 <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5


@deep("a simulation")
def test_learning_that_is_there_is_found() -> None:
    assert judged(World(learns=1.0), 40).improving >= 32


@pytest.mark.parametrize(
    "days",
    [[0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 2], [*range(10), 70], [0, 0, 0, 0, 63]],
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
    slope = np.polyfit(range(4), score, 1)[0]
    without = [np.polyfit(np.delete(np.arange(4), day), np.delete(score, day), 1)[0] for day in range(4)]
    error = np.sqrt(3 / 4 * ((np.array(without) - slope) ** 2).sum())
    assert row["standardized"] == near(slope)
    assert (row["standardized_high"] - slope) == near(4.302652729911275 * error)
    assert row["direction"] == "unclear"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_not_finite_does_not_count(wrong: float) -> None:
    frame = history(*[{"day": day, "score": 60 + day % 3} for day in range(8)]).with_columns(
        pl.col("score").cast(float)
    )
    other = history({"day": 9}, {"day": 9, "agent_id": "other"}).with_columns(score=pl.lit(wrong))
    found = velocity(pl.concat([frame, other]))
    assert found.drop("left_out").equals(velocity(frame).drop("left_out"))
    assert found["left_out"].to_list() == [1]
