"""A trend at the same season: against a regression over single episodes, by hand, and on agents that never changed."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as scipy_stats

from assent_analytics.same_work import seasons
from assent_analytics.velocity import velocity
from tests.analytics.histories import MONDAY, drawn, history
from tests.benchmarks.mixes import WORLDS, judged
from tests.tiers import deep


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-7, abs=1e-7)


def differ(part: Any, window: Any) -> bool:
    """Whether the halves of the windows have parts in shares that are 8 % apart, worked out one by one."""
    order = sorted(set(window))
    half = (len(order) + 1) // 2
    shares = []
    for own in (order[:half], order[-half:]):
        share: dict[int, float] = defaultdict(float)
        for each in own:
            for value in part[window == each]:
                share[value] += 1 / (window == each).sum() / half
        shares.append(share)
    return sum(abs(shares[0][each] - shares[1][each]) for each in set(part)) / 2 >= 0.08


@pytest.mark.parametrize(
    ("seed", "n", "days", "period"),
    [
        (0, 240, 12, "daily"),
        (1, 240, 24, "daily"),
        (2, 300, 45, "daily"),
        (3, 2400, 45, "daily"),
        (4, 600, 84, "weekly"),
    ],
)
def test_it_is_the_slope_of_a_regression_on_kinds_and_season(seed: int, n: int, days: int, period: Any) -> None:
    """Weighted least squares over single episodes, with a column for each kind, part of the day and day of the week,
    made anew without each block."""
    frame = drawn(seed, n, agents=2, days=days).with_columns(pl.col("risk_score").fill_null(35.0).clip(0, 99))
    width = 1 if period == "daily" else 7
    for row in velocity(frame, period).to_dicts():
        own = frame.filter(pl.col("agent_id") == row["agent_id"])
        past = [at - MONDAY for at in own["ended_at"]]
        time = np.array([each // timedelta(days=width) for each in past], dtype=float)
        hours = np.array([each % timedelta(days=1) // timedelta(hours=4) for each in past])
        weekdays = np.array([each // timedelta(days=1) % 7 for each in past])
        kinds = own.select(
            pl.concat_str("action_type", pl.col("reversible").cast(pl.String), (pl.col("risk_score") / 20).floor())
        ).to_series()
        names = sorted(set(kinds))
        others = [
            np.array([[kind == name for name in names] for kind in kinds], dtype=float),
            own["risk_score"].to_numpy()[:, None],
        ]
        season = []
        for name, part in (("hours", hours), ("days of the week", weekdays)):
            long = (time.max() - time.min()) * width >= 13
            if differ(part, time) and (name == "hours" or long):
                others.append((part[:, None] == np.unique(part)[1:]).astype(float))
                season.append(name)
        design = np.column_stack(others)
        day = np.unique(time, return_inverse=True)[1]
        root = np.sqrt(1 / np.bincount(day)[day])
        score = own["score"].to_numpy().astype(float)

        def told(
            kept: Any, design: Any = design, score: Any = score, root: Any = root, time: Any = time
        ) -> tuple[float, float]:
            """The slope, and what the other columns leave of the square of time."""
            x, y, beside = ((each.T * root).T[kept] for each in (time, score, design))
            x = x - beside @ np.linalg.lstsq(beside, x, rcond=None)[0]
            return float(x @ y / (x @ x)), float(x @ x)

        windows = int(day.max()) + 1
        blocks = min(windows, max(4, min(10, windows // 5 if width == 1 else windows)))
        block = day * blocks // windows
        whole, square = told(block >= 0)
        without = np.array([told(block != each) for each in range(blocks)])
        error = np.sqrt((blocks - 1) / blocks * ((without[:, 0] - whole) ** 2).sum())
        lost = square - without[:, 1]
        worth = int(lost.sum() ** 2 / (lost**2).sum() + 1e-9)
        assert row["standardized"] == near(whole)
        assert row["standardized"] + row["mix"] == near(row["velocity"])
        assert (row["kinds"], row["clusters"]) == (len(names), blocks)
        said = f", at the same {' and '.join(season)}" if season else ""
        least, most = windows // blocks, -(-windows // blocks)
        word = "day" if width == 1 else "week"
        length = word if most == 1 else f"{least} {word}s" if least == most else f"{least} to {most} {word}s"
        assert row["basis"] == length + said
        assert row["without_season"] == near(told(block >= 0, np.column_stack(others[:2]))[0])
        if not season:
            assert row["without_season_low"] == row["standardized_low"]
        half = (row["standardized_high"] - row["standardized_low"]) / 2
        assert half == near(scipy_stats.t.ppf(0.975, min(worth, blocks - 1)) * error)


def test_only_better_hours_are_all_mix() -> None:
    """Nights score 50 and days 90, each as ever; there is more work by day from day to day."""
    rows = [
        {"day": day + (0.5 if at < day else 0.1), "score": 90 if at < day else 50}
        for day in range(8)
        for at in range(8)
    ]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["velocity"], row["standardized"], row["mix"]) == (near(5), near(0), near(5))
    assert row["slope_low"] > 0
    assert (row["direction"], row["basis"]) == ("unclear", "2 days, at the same hours")
    assert row["unmatched"] == 0


def test_more_weekends_are_no_decline() -> None:
    """Weekends score 40 and other days 80; they are worked on from the third week on."""
    rows = [
        {"day": day, "score": (40 if day % 7 > 4 else 80) + wobble}
        for day in range(28)
        if day % 7 < 5 or day >= 14
        for wobble in (-1, 1)
    ]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["standardized"], row["basis"]) == (near(0), "6 days, at the same days of the week")
    assert row["mix"] < -0.3
    # Two weekends of two days with two episodes each, all in the later half.
    assert row["unmatched"] == 8


def test_a_direction_is_told_where_both_fits_tell_it() -> None:
    """The first four hours of an eight-hour day score 60, the others 80, and the day begins a little later each day."""
    rows = [
        {"day": day + (4 + hour + 8 * day / 40) / 24, "score": (60 if hour < 4 else 80) + (7 * day + 3 * hour) % 5}
        for day in range(40)
        for hour in range(8)
    ]
    (row,) = velocity(history(*rows)).to_dicts()
    assert row["standardized_high"] < -0.05
    assert row["without_season_low"] < 0 < row["without_season_high"]
    assert row["velocity"] == near(row["without_season"])
    assert row["direction"] == "unclear"


def test_what_only_one_half_has_is_counted() -> None:
    rows = [{"day": day + hour / 24, "score": 60 + day % 3} for day in range(10) for hour in (9, 1 if day < 5 else 21)]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["n"], row["unmatched"], row["basis"]) == (20, 10, "2 to 3 days, at the same hours")
    # A middle window belongs to both halves.
    rows = [{"day": day + hour / 24} for day in range(5) for hour in (9, 1 if day < 2 else 21)]
    (row,) = velocity(history(*rows)).to_dicts()
    assert (row["n"], row["unmatched"]) == (10, 2)


@pytest.mark.parametrize(("later", "apart"), [(57, False), (59, True)])
def test_eight_percent_of_the_work_at_other_hours_is_another_season(later: int, apart: bool) -> None:
    counts = pl.DataFrame(
        [(7, 0, 0, 50), (7, 0, 5, 50), (7, 1, 0, later), (7, 1, 5, 100 - later)],
        schema={"_agent": pl.UInt64, "_at": pl.Int64, "_part": pl.Int64, "n": pl.Int64},
        orient="row",
    )
    assert seasons(counts, 1).rows() == [(7, apart, False, 0)]


def test_days_of_the_week_are_levels_from_two_weeks_on_only() -> None:
    """Days 0 to 4 and 7 to 11, on which nothing repeats but Monday to Friday; then one day more."""
    for last, days in ((12, False), (13, True)):
        there = [0, 1, 2, 3, 4, 8, 9, 12, last]
        counts = pl.DataFrame(
            {"_agent": [1] * 9, "_at": there, "_part": [6 * (day % 7) for day in there], "n": [1] * 9}
        ).unique(maintain_order=True)
        assert seasons(counts, 1)["days"].to_list() == [days]


@pytest.mark.parametrize(
    ("windows", "basis", "blocks"),
    [
        (4, "day", 4),
        (7, "1 to 2 days", 4),
        (12, "3 days", 4),
        (22, "5 to 6 days", 4),
        (30, "5 days", 6),
        (40, "5 days", 8),
        (70, "7 days", 10),
    ],
)
def test_blocks_are_of_five_days_or_more_where_there_are_enough(windows: int, basis: str, blocks: int) -> None:
    (row,) = velocity(history(*[{"day": day, "score": 60 + day * day % 11} for day in range(windows)])).to_dicts()
    said = str(row["basis"]).partition(", at the same")[0]
    assert (said, row["clusters"]) == (basis, blocks)


@deep("a simulation")
@pytest.mark.parametrize("days", [12, 22, 30, 40, 90])
def test_days_that_correlate_tell_no_direction(days: int) -> None:
    """Of 1,000 agents that never changed, whose days' means correlate by .5, at most 5 % have one, but for chance."""
    random = np.random.default_rng(days)
    level = random.normal(0, 10, (1000, days))
    for day in range(1, days):
        level[:, day] = 0.5 * level[:, day - 1] + np.sqrt(0.75) * level[:, day]
    at = MONDAY.timestamp() * 1e6 + (np.arange(days) * 24 + 9) * 3_600e6
    frame = pl.DataFrame(
        {
            "agent_id": pl.Series(np.repeat(np.arange(1000), days)).cast(pl.String),
            "ended_at": pl.Series(np.tile(at, 1000).astype(np.int64)).cast(pl.Datetime("us", "UTC")),
            "score": 50 + level.ravel(),
            "success": True,
        }
    )
    told = int((velocity(frame)["direction"] != "unclear").sum())
    assert told / 1000 <= 0.05 + 3 * (0.05 * 0.95 / 1000) ** 0.5


@deep("a simulation")
@pytest.mark.parametrize(
    "name",
    [
        *("types, nights become days", "types, weekends come and fail more", "types, the clock moves"),
        *("types, the working day moves", "types, the working day steps"),
    ],
)
def test_work_at_other_hours_is_no_learning(name: str) -> None:
    improving, declining, _, _ = judged(WORLDS[name], 300)
    assert (improving + declining) / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


@deep("a simulation")
def test_learning_beside_other_hours_is_found() -> None:
    assert judged(WORLDS["learning: nights become days"], 200).improving >= 60
