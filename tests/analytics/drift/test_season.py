"""Windows that hold other hours of the week than each other, compared on the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from assent_analytics.drift import compare
from tests.tiers import deep

# A Monday.
SPLIT = datetime(2026, 3, 2, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SATURDAY = SPLIT + 5 * DAY
MONTH = (SPLIT - 28 * DAY, SPLIT)


def table(times: list[datetime], value: Callable[[datetime], float], **more: Any) -> pl.DataFrame:
    """Episodes of one agent; half of them are of a session each."""
    numbers = [float(value(at)) for at in times]
    return pl.DataFrame(
        {
            "agent_id": ["bot"] * len(times),
            "action_type": ["refund"] * len(times),
            "ended_at": times,
            "score": numbers,
            "success": [number > 15 for number in numbers],
            **more,
        }
    )


def every(step: timedelta, window: tuple[datetime, datetime]) -> list[datetime]:
    return [window[0] + n * step for n in range(int((window[1] - window[0]) / step))]


def compared(frame: pl.DataFrame, baseline: tuple[datetime, datetime], recent: tuple[datetime, datetime]) -> Any:
    found = compare(frame, None, baseline=baseline, recent=recent, metrics=["score", "success_rate"])
    return {row["metric"]: row for row in found.to_dicts()}


def weekend(at: datetime) -> bool:
    return at.weekday() >= 5


def test_a_weekend_is_compared_with_weekends() -> None:
    recent = (SATURDAY, SATURDAY + 2 * DAY)
    frame = table(every(HOUR, MONTH) + every(HOUR, recent), lambda at: (20 if weekend(at) else 10) + at.hour / 24)
    rows = compared(frame, MONTH, recent)
    # Four weekends of 48 hours; the twenty other days have no counterpart.
    assert [(row["n_baseline"], row["n_recent"], row["unmatched"]) for row in rows.values()] == [(192, 48, 480)] * 2
    score, success = rows["score"], rows["success_rate"]
    assert score["standardised"]
    assert (score["baseline"], score["ks"], score["wasserstein"]) == (pytest.approx(score["recent"]), 0.0, 0.0)
    assert (success["baseline"], success["recent"], success["drifted"]) == (1.0, 1.0, False)
    assert score["n_effective"] == pytest.approx(240)


def test_each_row_counts_as_often_as_its_part_of_the_week_is_in_the_recent_window() -> None:
    """Ten days: Monday to Wednesday come twice. Weights, means and what they are worth are computed by hand."""
    recent = (SPLIT, SPLIT + 10 * DAY)
    random = np.random.default_rng(4)
    before = [MONTH[0] + timedelta(days=float(day)) for day in random.uniform(0, 28, 900)]
    after = [SPLIT + timedelta(days=float(day)) for day in random.uniform(0, 10, 320)]
    numbers = {at: float(value) for at, value in zip(before + after, random.normal(15, 4, 1220), strict=True)}
    rows = compared(table(before + after, numbers.__getitem__), MONTH, recent)

    of_before, of_after = Counter(at.weekday() for at in before), Counter(at.weekday() for at in after)
    weights = np.array([of_after[at.weekday()] / of_before[at.weekday()] for at in before])
    values, later = np.array([numbers[at] for at in before]), np.array([numbers[at] for at in after])
    worth = weights.sum() ** 2 / (weights**2).sum()
    mean = np.average(values, weights=weights)
    score = rows["score"]
    assert (score["n_baseline"], score["unmatched"], score["standardised"]) == (900, 0, True)
    assert score["baseline"] == pytest.approx(mean)
    assert score["n_effective"] == pytest.approx(worth + 320)
    spread = np.average((values - mean) ** 2, weights=weights) * worth / (worth - 1)
    assert score["sd_baseline"] == pytest.approx(spread**0.5)
    grid = np.sort(np.concatenate([values, later]))
    below = [float(np.average(values <= at, weights=weights) - (later <= at).mean()) for at in grid]
    assert score["ks"] == pytest.approx(max(map(abs, below)))
    assert score["wasserstein"] == pytest.approx(stats.wasserstein_distance(values, later, weights))
    delta = np.average(np.sign(later[:, None] - values).mean(axis=0), weights=weights)
    assert score["effect"] == pytest.approx(delta)
    success = rows["success_rate"]
    assert success["baseline"] == pytest.approx(np.average(values > 15, weights=weights))
    share = success["baseline"]
    table_of = [[share * worth, (1 - share) * worth], [(later > 15).sum(), (later <= 15).sum()]]
    assert success["p_value"] == pytest.approx(stats.chi2_contingency(table_of, correction=False).pvalue)
    assert success["effect_low"] < success["effect"] < success["effect_high"]


def test_decisions_and_their_mix_are_standardised_too_and_alike_ones_may_be_given_once() -> None:
    recent = (SATURDAY, SATURDAY + 2 * DAY)
    times = every(HOUR / 4, MONTH) + every(HOUR / 4, recent)
    frame = pl.DataFrame(
        {
            "agent_id": ["bot"] * len(times),
            "action_type": ["batch" if weekend(at) or at.hour < 6 else "refund" for at in times],
            "occurred_at": [at.replace(minute=0) for at in times],
            "decision": ["require_approval" if weekend(at) else "allow" for at in times],
        }
    )
    once = frame.group_by(pl.all()).len("n")
    for given in (frame, once):
        found = compare(
            None, given, baseline=MONTH, recent=recent, by=("agent_id",), metrics=["approval_rate", "action_mix"]
        )
        rate, mix = found.to_dicts()
        assert (rate["n_baseline"], rate["n_recent"], rate["unmatched"]) == (768, 192, 1920)
        assert (rate["baseline"], rate["recent"], rate["p_value"]) == (1.0, 1.0, 1.0)
        assert (mix["n_baseline"], mix["n_recent"], mix["unmatched"], mix["effect"]) == (768, 192, 1920, 0.0)
        assert not found["drifted"].any()
        # A change on these days is found beside the same days.
        changed = given.with_columns(
            pl.when(pl.col("occurred_at") >= SATURDAY).then(pl.lit("allow")).otherwise("decision").alias("decision")
        )
        (row,) = compare(None, changed, baseline=MONTH, recent=recent, metrics=["approval_rate"]).to_dicts()
        assert (row["baseline"], row["recent"], row["drifted"], row["direction"]) == (1.0, 0.0, True, "down")


@pytest.mark.parametrize(
    ("baseline", "recent"),
    [
        ((SPLIT - 28 * DAY, SPLIT), (SPLIT, SPLIT + 7 * DAY)),
        ((SPLIT - 23 * DAY, SPLIT), (SPLIT, SPLIT + 7 * DAY)),
        ((SPLIT - 13 * DAY, SPLIT), (SPLIT, SPLIT + 2 * DAY)),
    ],
)
def test_windows_of_whole_weeks_or_nearly_and_short_baselines_are_compared_as_they_are(
    baseline: tuple[datetime, datetime], recent: tuple[datetime, datetime]
) -> None:
    rows = compared(table(every(HOUR, baseline) + every(HOUR, recent), lambda at: at.hour), baseline, recent)
    assert {(row["standardised"], row["unmatched"]) for row in rows.values()} == {(False, 0)}
    assert rows["score"]["n_baseline"] == len(every(HOUR, baseline))


def test_a_group_that_is_younger_than_two_weeks_is_compared_as_it_is() -> None:
    recent = (SATURDAY, SATURDAY + 2 * DAY)
    old = table(every(HOUR, MONTH) + every(HOUR, recent), lambda at: at.hour)
    new = table(every(HOUR, (SPLIT - 3 * DAY, SPLIT)) + every(HOUR, recent), lambda at: at.hour, agent_id="new")
    found = compare(pl.concat([old, new]), None, baseline=MONTH, recent=recent, metrics=["score"]).to_dicts()
    assert [(row["agent_id"], row["standardised"], row["n_baseline"]) for row in found] == [
        ("bot", True, 192),
        ("new", False, 72),
    ]


def test_nothing_in_common_is_too_little_data() -> None:
    recent = (SATURDAY, SATURDAY + 2 * DAY)
    frame = table([at for at in every(HOUR, MONTH) if not weekend(at)] + every(HOUR, recent), lambda at: at.hour)
    (row,) = compare(frame, None, baseline=MONTH, recent=recent, metrics=["score"]).to_dicts()
    assert (row["status"], row["n_baseline"], row["n_recent"], row["unmatched"]) == ("insufficient_data", 0, 0, 528)


def test_hours_count_where_a_window_is_no_whole_day() -> None:
    """One night beside a month of days and nights."""
    recent = (SPLIT + 20 * HOUR, SPLIT + 32 * HOUR)
    night = table(every(HOUR / 4, MONTH) + every(HOUR / 4, recent), lambda at: 10 if 8 <= at.hour < 20 else 20)
    row = compared(night, MONTH, recent)["score"]
    assert (row["n_baseline"], row["baseline"], row["recent"], row["p_value"]) == (192, 20.0, 20.0, 1.0)


def test_what_is_not_a_number_is_excluded_and_weighs_nothing() -> None:
    recent = (SATURDAY, SATURDAY + 2 * DAY)
    times = every(HOUR, MONTH) + every(HOUR, recent)
    frame = table(times, lambda at: float("nan") if weekend(at) and at.hour == 3 else 20.0 if weekend(at) else 10.0)
    row = compared(frame, MONTH, recent)["score"]
    assert (row["n_baseline"], row["n_recent"], row["unmatched"]) == (184, 46, 480)
    assert (row["excluded"], row["baseline"], row["recent"]) == (10, 20.0, 20.0)


def seasonal(random: np.random.Generator, recent: tuple[datetime, datetime], shift: float, a_day: int) -> pl.DataFrame:
    """A day's sine of one standard deviation, and weekends one lower, on top of noise."""
    days = 28 + (recent[1] - SPLIT) / DAY
    times = [MONTH[0] + timedelta(days=float(each)) for each in np.sort(random.uniform(0, days, int(a_day * days)))]
    kept = [at for at in times if at < SPLIT or recent[0] <= at < recent[1]]
    level = np.array([np.sin(2 * np.pi * at.hour / 24) - weekend(at) + shift * (at >= SPLIT) for at in kept])
    return table(kept, dict(zip(kept, level + random.standard_normal(len(kept)), strict=True)).__getitem__)


def share_found(many: int, recent: tuple[datetime, datetime], shift: float = 0.0, a_day: int = 40) -> float:
    found = 0
    for seed in range(many):
        (row,) = compare(
            seasonal(np.random.default_rng(seed), recent, shift, a_day),
            None,
            baseline=MONTH,
            recent=recent,
            metrics=["score"],
        ).to_dicts()
        found += row["p_value"] < 0.05
    return found / many


PARTS = {
    "Friday to Sunday": (SPLIT + 4 * DAY, SPLIT + 7 * DAY),
    "Saturday and Sunday": (SATURDAY, SATURDAY + 2 * DAY),
    "one Monday": (SPLIT, SPLIT + DAY),
    "a night": (SPLIT + 20 * HOUR, SPLIT + 32 * HOUR),
}


@deep("800 comparisons of two windows")
@pytest.mark.parametrize("part", PARTS)
def test_five_percent_hold_whatever_part_of_a_week_is_recent(part: str) -> None:
    """Of 200 worlds without a change, at most 19 are found with a chance of 0.997 at 5%; unstandardised 40 to 100%."""
    assert share_found(200, PARTS[part], a_day=120 if part == "a night" else 40) <= 19 / 200


@deep("100 comparisons of two windows")
def test_a_change_of_one_standard_deviation_is_found_on_a_weekend() -> None:
    assert share_found(100, PARTS["Saturday and Sunday"], shift=1.0) >= 0.9
