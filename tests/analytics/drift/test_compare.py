"""Windows of governance data compared: by hand, whole, and with everything that can be wrong with a frame."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import inf, nan
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy import stats

from assent_analytics.drift import LEAST, METRICS, PUBLISHED, SCHEMA, Least, compare, newcombe
from assent_analytics.episodes import episodes
from assent_analytics.simulate import Metric, PlantedChange, simulate
from tests.analytics.drift.samples import ANY
from tests.analytics.drift.simulations import BASELINE, RECENT, SPLIT, history

NUMBERS = ("score", "risk_score", "duration_ms", "cost_estimate", "tokens", "confidence")
EPISODES: dict[str, Any] = {
    "agent_id": pl.String,
    "action_type": pl.String,
    "source": pl.String,
    "ended_at": pl.Datetime("us", "UTC"),
    **dict.fromkeys(NUMBERS, pl.Float64),
    "success": pl.Boolean,
}
DECISIONS: dict[str, Any] = {
    "agent_id": pl.String,
    "action_type": pl.String,
    "source": pl.String,
    "occurred_at": pl.Datetime("us", "UTC"),
    "decision": pl.String,
}


def an_episode(later: bool, **changes: Any) -> dict[str, Any]:
    return {
        "agent_id": "bot",
        "action_type": "refund",
        "source": "live",
        "ended_at": SPLIT + timedelta(hours=1 if later else -1),
        **dict.fromkeys(NUMBERS, 1.0),
        "success": True,
    } | changes


def a_decision(later: bool, **changes: Any) -> dict[str, Any]:
    return {
        "agent_id": "bot",
        "action_type": "refund",
        "source": "live",
        "occurred_at": SPLIT + timedelta(hours=1 if later else -1),
        "decision": "allow",
    } | changes


def an_episodes(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=EPISODES)


def a_decisions(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=DECISIONS)


def scores(baseline: list[Any], recent: list[Any], **more: Any) -> dict[str, Any]:
    """The row of `score` for one agent with these."""
    rows = [an_episode(later, score=each) for later, side in ((False, baseline), (True, recent)) for each in side]
    found = compare(an_episodes(*rows), None, baseline=BASELINE, recent=RECENT, metrics=["score"], **more)
    assert found.columns == ["agent_id", "action_type", *SCHEMA]
    return found.row(0, named=True)


def test_a_number_is_what_scipy_says() -> None:
    rng = np.random.default_rng(3)
    before, after = rng.normal(80, 5, 90).tolist(), rng.normal(74, 6, 45).tolist()
    row = scores(before, after)
    theirs = stats.ks_2samp(before, after, method="exact")
    assert (row["n_baseline"], row["n_recent"], row["status"], row["kind"]) == (90, 45, "ok", "number")
    assert row["baseline"] == pytest.approx(np.mean(before), rel=1e-9)
    assert row["sd_recent"] == pytest.approx(np.std(after, ddof=1), rel=1e-9)
    assert row["ks"] == row["statistic"] == row["size"] == pytest.approx(theirs.statistic, rel=1e-9)
    assert row["p_value"] == row["p_adjusted"] == pytest.approx(theirs.pvalue, rel=1e-9)
    assert row["wasserstein"] == pytest.approx(stats.wasserstein_distance(before, after), rel=1e-9)
    u = stats.mannwhitneyu(after, before).statistic
    assert row["effect"] == pytest.approx(2 * u / (90 * 45) - 1, rel=1e-9)
    assert row["effect_low"] < row["effect"] < row["effect_high"] < 0
    assert row["hedges_low"] < row["hedges_g"] < row["hedges_high"] < 0
    assert (row["significant"], row["drifted"], row["direction"], row["worse_now"]) == (True, True, "down", True)


def test_a_drift_for_the_better_is_not_worse() -> None:
    row = scores([50.0 + i % 7 for i in range(40)], [70.0 + i % 7 for i in range(20)])
    assert (row["drifted"], row["direction"], row["worse_now"]) == (True, "up", False)


def test_a_distribution_that_only_widens_has_changed() -> None:
    rng = np.random.default_rng(4)
    row = scores(rng.normal(0, 1, 800).tolist(), rng.normal(0, 3, 400).tolist())
    assert (row["drifted"], row["direction"], row["worse_now"]) == (True, "changed", False)


def test_what_is_significant_and_small_has_not_drifted() -> None:
    rng = np.random.default_rng(5)
    before, after = rng.normal(0, 1, 30_000).tolist(), rng.normal(0.1, 1, 20_000).tolist()
    row = scores(before, after)
    assert row["p_adjusted"] < 1e-9
    assert (row["significant"], row["drifted"], row["direction"]) == (True, False, "up")
    assert scores(before, after, least=Least(number=0.01))["drifted"] is True


def test_proportions_and_mixes_by_hand() -> None:
    rows = [
        *(a_decision(False) for _ in range(90)),
        *(a_decision(False, decision="require_approval") for _ in range(10)),
        *(a_decision(True, action_type="send_email") for _ in range(20)),
        *(a_decision(True, decision="require_approval") for _ in range(20)),
    ]
    found = compare(None, a_decisions(*rows), baseline=BASELINE, recent=RECENT, by=["agent_id"])
    rate, blocked, mix = found.iter_rows(named=True)
    assert [row["metric"] for row in (rate, blocked, mix)] == ["approval_rate", "block_rate", "action_mix"]
    assert (rate["baseline"], rate["recent"], rate["effect"]) == (0.1, 0.5, 0.4)
    assert (rate["effect_low"], rate["effect_high"]) == newcombe(10, 100, 20, 40)
    theirs = stats.chi2_contingency([[10, 90], [20, 20]], correction=False)
    assert (rate["statistic"], rate["p_value"]) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert (rate["drifted"], rate["direction"], rate["worse_now"]) == (True, "up", True)
    assert (blocked["p_value"], blocked["test"], blocked["drifted"]) == (1.0, "fisher_exact", False)
    theirs = stats.chi2_contingency([[100, 0], [20, 20]], correction=False)
    assert (mix["statistic"], mix["p_value"]) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert mix["effect"] == pytest.approx((theirs.statistic / 140) ** 0.5)
    assert (mix["drifted"], mix["direction"], mix["worse_now"]) == (True, "changed", True)
    adjusted = stats.false_discovery_control([row["p_value"] for row in (rate, blocked, mix)])
    assert found["p_adjusted"].to_list() == pytest.approx(adjusted.tolist(), rel=1e-9)


def test_decisions_that_are_alike_may_be_given_once() -> None:
    _, decisions = history(np.random.default_rng(6), 2, 2)
    counted = decisions.group_by(pl.all()).len("n")
    each, once = (compare(None, frame, baseline=BASELINE, recent=RECENT) for frame in (decisions, counted))
    assert_frame_equal(each, once)


def test_groups_metrics_and_order() -> None:
    data = history(np.random.default_rng(7), 3, 2)
    found = compare(*data, baseline=BASELINE, recent=RECENT)
    mixes = found.filter(pl.col("metric") == "action_mix")
    assert mixes.select("agent_id", "action_type").rows() == [(f"agent-{i}", None) for i in range(3)]
    others = found.filter(pl.col("metric") != "action_mix")
    expected = [(f"agent-{i}", f"type-{k}", name) for i in range(3) for k in range(2) for name in list(METRICS)[:-1]]
    assert others.select("agent_id", "action_type", "metric").rows() == expected
    assert found.filter(pl.col("agent_id") == "agent-0")["metric"].to_list()[-1] == "action_mix"
    whole = compare(*data, baseline=BASELINE, recent=RECENT, by=())
    assert whole.columns == list(SCHEMA)
    assert whole["metric"].to_list() == list(METRICS)
    assert whole["n_baseline"][0] + whole["n_recent"][0] == len(data[0])
    assert found["simulated"].to_list() == (found["n_baseline"] + found["n_recent"]).to_list()


def test_published_names_and_unknown_ones() -> None:
    data = history(np.random.default_rng(7), 1, 1)
    found = compare(*data, baseline=BASELINE, recent=RECENT, metrics=["tokens_total", "learning_score"])
    assert found["metric"].to_list() == ["score", "tokens"]
    assert set(PUBLISHED.values()) < METRICS.keys()
    with pytest.raises(ValueError, match="there is no metric mood; there are: score"):
        compare(*data, baseline=BASELINE, recent=RECENT, metrics=["mood"])


def test_one_by_one_and_together_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    data = history(np.random.default_rng(8), 3, 2, rows=200)
    found = []
    for large in (1, 10**9):
        monkeypatch.setattr(importlib.import_module("assent_analytics.drift.compare"), "LARGE", large)
        found.append(compare(*data, baseline=BASELINE, recent=RECENT))
    assert_frame_equal(*found, rel_tol=1e-9)
    assert found[0].filter(pl.col("kind") == "number")["ks"].null_count() == 0


def test_windows_are_half_open() -> None:
    rows = [an_episode(False, ended_at=at) for at in (*BASELINE, *RECENT, BASELINE[0] - timedelta(microseconds=1))]
    found = compare(an_episodes(*rows), None, baseline=BASELINE, recent=RECENT, metrics=["score"]).row(0, named=True)
    # The end of the baseline is the beginning of the recent window: it is in that one, and so is the row given twice.
    assert (found["n_baseline"], found["n_recent"]) == (1, 2)


@pytest.mark.parametrize(
    ("baseline", "recent", "said"),
    [
        (BASELINE, (SPLIT - timedelta(days=1), RECENT[1]), "do not overlap"),
        ((SPLIT, SPLIT), RECENT, "give a beginning before its end"),
        (BASELINE, (RECENT[1], SPLIT), "recent is from .* give a beginning before its end"),
        ((datetime(2026, 1, 1), datetime(2026, 2, 1)), RECENT, "without a time zone"),  # noqa: DTZ001
    ],
)
def test_windows_that_cannot_be(baseline: Any, recent: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compare(an_episodes(), a_decisions(), baseline=baseline, recent=recent)


@pytest.mark.parametrize("zone", [ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=5, minutes=30))])
def test_windows_may_be_in_any_zone(zone: tzinfo) -> None:
    # The clock in Berlin shows the hour before and the hour after 01:00 UTC as 02:00 to 03:00.
    night = datetime(2026, 10, 25, tzinfo=UTC)
    one = {"agent_id": "bot", "action_type": "refund", "decision": "allow"}
    rows = a_decisions(*(one | {"occurred_at": night + timedelta(minutes=minute)} for minute in range(180)))
    found = []
    for each in (UTC, zone):
        half, split, end = ((night + timedelta(minutes=minutes)).astimezone(each) for minutes in (30, 90, 120))
        found.append(compare(None, rows, baseline=(half, split), recent=(split, end)))
    assert found[1]["n_baseline"].to_list() == [60, 60, 60]
    assert_frame_equal(*found)


@pytest.mark.parametrize(
    ("more", "said"),
    [({"fdr": 0.0}, "fdr is 0.0"), ({"fdr": 5}, "fdr is 5"), ({"min_recent": 1}, "give 2 or more")],
)
def test_numbers_that_cannot_be(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compare(an_episodes(), None, baseline=BASELINE, recent=RECENT, **more)


@pytest.mark.parametrize("name", ["status", "score", "success", "later", "metric"])
def test_keys_that_cannot_be_are_named(name: str) -> None:
    data = an_episodes().with_columns(pl.lit("x").alias(name))
    with pytest.raises(ValueError, match=f"by has {name}; give columns"):
        compare(data, None, baseline=BASELINE, recent=RECENT, by=("agent_id", name))


def test_a_key_is_given_once() -> None:
    with pytest.raises(ValueError, match="by has agent_id; give columns"):
        compare(an_episodes(), None, baseline=BASELINE, recent=RECENT, by=("agent_id", "agent_id"))
    data = history(np.random.default_rng(9), 2, 1, rows=200)
    one, many = (compare(*data, baseline=BASELINE, recent=RECENT, by=by) for by in ("agent_id", ("agent_id",)))
    assert_frame_equal(one, many)


def test_columns_that_are_missing_are_named() -> None:
    with pytest.raises(ValueError, match="episodes lack tokens"):
        compare(an_episodes().drop("tokens"), None, baseline=BASELINE, recent=RECENT)
    with pytest.raises(ValueError, match="decisions lack decision"):
        compare(None, a_decisions().drop("decision"), baseline=BASELINE, recent=RECENT)
    assert compare(an_episodes().drop("tokens"), None, baseline=BASELINE, recent=RECENT, metrics=["score"]).is_empty()


def test_too_few_say_so() -> None:
    for before, after, status in ((20, 10, "ok"), (19, 10, "insufficient_data"), (20, 9, "insufficient_data")):
        row = scores([1.0, 2.0] * 10 + [1.0] if before > 20 else ([1.0, 2.0] * 10)[:before], [2.0] * after)
        assert row["status"] == status
        assert (row["n_baseline"], row["n_recent"], row["recent"]) == (before, after, 2.0)
        assert (row["p_value"] is None) == (row["effect"] is None) == (status != "ok")
        if status != "ok":
            assert (row["drifted"], row["significant"], row["worse_now"], row["direction"]) == (False,) * 3 + (None,)
    assert scores([1.0] * 5, [2.0] * 3, min_baseline=5, min_recent=3)["status"] == "ok"


@pytest.mark.parametrize("awkward", [nan, inf, -inf])
def test_what_is_not_finite_is_excluded_and_counted(awkward: float) -> None:
    before, after = [float(i) for i in range(30)], [float(i) for i in range(15)]
    clean, dirty = scores(before, after), scores([*before, awkward, None], [awkward, awkward, *after])
    assert dirty.pop("excluded") == 3
    assert clean.pop("excluded") == 0
    assert dirty == clean


@pytest.mark.parametrize("value", [0.0, 0.1, -5.0, 1e300, -1e300, 5e-324])
def test_constants(value: float) -> None:
    row = scores([value] * 30, [value] * 15)
    assert (row["ks"], row["wasserstein"], row["p_value"], row["effect"]) == (0.0, 0.0, 1.0, 0.0)
    assert (row["baseline"], row["sd_baseline"], row["hedges_g"], row["wasserstein_normed"]) == (value, 0.0, None, None)
    assert (row["drifted"], row["direction"]) == (False, None)


def test_huge_values() -> None:
    row = scores([1e300 * (1 + i % 5) for i in range(50)], [1e300 * (3 + i % 5) for i in range(25)])
    assert row["wasserstein"] == pytest.approx(2e300, rel=1e-9)
    assert row["hedges_g"] == pytest.approx(
        scores([1.0 + i % 5 for i in range(50)], [3.0 + i % 5 for i in range(25)])["hedges_g"]
    )


def test_values_at_the_end_of_what_a_float_can_say() -> None:
    largest = 1.7e308
    row = scores([-largest, largest] * 20, [largest] * 20)
    assert (row["status"], row["ks"], row["effect"]) == ("ok", 0.5, 0.5)
    # Half of the mass moves by twice the largest, which is the largest.
    assert row["wasserstein"] == pytest.approx(largest, rel=1e-9)
    assert row["recent"] == largest
    beyond = scores([-largest] * 20, [largest] * 20)
    assert (beyond["wasserstein"], beyond["wasserstein_normed"], beyond["drifted"]) == (None, None, True)


@pytest.mark.parametrize("rows", [[], [an_episode(False)], [an_episode(True)], [an_episode(True, score=None)]])
def test_next_to_nothing(rows: list[dict[str, Any]]) -> None:
    found = compare(an_episodes(*rows), a_decisions(), baseline=BASELINE, recent=RECENT)
    assert found.columns == ["agent_id", "action_type", *SCHEMA]
    assert len(found) == 7 * len(rows)
    assert set(found["status"]) <= {"insufficient_data"}
    assert compare(None, None, baseline=BASELINE, recent=RECENT).is_empty()


def test_an_agent_seen_in_one_window_only_is_insufficient() -> None:
    rows = [an_episode(False) for _ in range(40)]
    found = compare(an_episodes(*rows), None, baseline=BASELINE, recent=RECENT)
    assert set(found["status"]) == {"insufficient_data"}
    assert set(found["n_recent"]) == {0}


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(("a", "b", None)), ANY, st.sampled_from((True, False, None)))))
def test_no_frame_breaks_it(rows: list[tuple[bool, str | None, float | None, bool | None]]) -> None:
    data = an_episodes(
        *(
            an_episode(later, agent_id=agent, success=success, **dict.fromkeys(NUMBERS, value))
            for later, agent, value, success in rows
        )
    )
    found = compare(data, None, baseline=BASELINE, recent=RECENT, min_baseline=2, min_recent=2)
    assert len(found) == 7 * data["agent_id"].n_unique()
    tested = found.filter(status="ok")
    assert tested["p_value"].is_between(0, 1).all()
    assert (tested["effect_low"] <= tested["effect"]).all()
    assert (tested["effect"] <= tested["effect_high"]).all()
    floats = found.select(pl.col(pl.Float64))
    assert not any(floats[name].is_nan().any() for name in floats.columns)


def test_a_planted_change_is_found_where_it_was_planted() -> None:
    until = datetime(2026, 3, 31, tzinfo=UTC)
    change = PlantedChange(agent_id="refund-desk", metric=Metric.DURATION, at=0.75, size=1.0)
    data = simulate(5, until=until, actions=12_000, days=40, changes=[change])
    split = until - timedelta(days=10)
    found = compare(
        episodes(data.actions),
        data.decisions,
        baseline=(until - timedelta(days=40), split),
        recent=(split, until),
        metrics=["duration_ms"],
    )
    drifted = found.filter("drifted")
    assert found["agent_id"].n_unique() == 6
    assert drifted["agent_id"].to_list() == ["refund-desk"] * 3
    assert drifted["worse_now"].all()


def test_the_least_sizes_are_the_documented_ones() -> None:
    assert LEAST.number == pytest.approx(2 * stats.norm.cdf(0.1) - 1, abs=5e-4)
    assert {kind: LEAST.of(kind) for kind in ("proportion", "category")} == {"proportion": 0.05, "category": 0.1}
