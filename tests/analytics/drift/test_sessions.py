"""Windows compared where rows of one session are alike."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from assent_analytics import drift
from assent_analytics.drift.clustering import coded
from tests.tiers import deep

COLUMNS = ["number", "share", "mix"]


def alike(random: np.random.Generator, sessions: int, size: int, icc: float) -> NDArray[np.float64]:
    shared = np.repeat(random.standard_normal(sessions), size)
    return np.asarray(icc**0.5 * shared + (1 - icc) ** 0.5 * random.standard_normal(sessions * size))


def window(seed: int, name: str, sessions: int, size: int = 5, icc: float = 0.3, shift: float = 0.0) -> pl.DataFrame:
    random = np.random.default_rng([seed, sessions])
    return pl.DataFrame(
        {
            "number": alike(random, sessions, size, icc) + shift,
            "share": alike(random, sessions, size, icc) > 0.8,
            "mix": pl.Series(np.digitize(alike(random, sessions, size, icc), [-0.5, 0.5])).cast(pl.String),
            "session": [f"{name} {n // size}" for n in range(sessions * size)],
        }
    )


def share_found(many: int) -> NDArray[np.float64]:
    found = np.zeros(len(COLUMNS))
    for seed in range(many):
        before, after = window(seed, "before", 60), window(seed, "after", 30)
        rows = drift.compare_columns(before, after, COLUMNS, session="session")
        found += (rows["p_value"] < 0.05).to_numpy()
    return found / many


@deep("300 pairs of windows")
def test_five_percent_hold_on_sessions() -> None:
    """Of 300 pairs that do not differ, at most 26 (8.7%) are found with a chance of 0.998 at 5%."""
    assert (share_found(300) <= 26 / 300).all()


def test_a_row_says_its_clusters_and_what_they_are() -> None:
    before, after = window(1, "before", 60), window(1, "after", 30)
    (row,) = drift.compare_columns(before, after, ["number"], session="session").to_dicts()
    (plain,) = drift.compare_columns(before, after, ["number"]).to_dicts()
    assert (row["clusters_baseline"], row["clusters_recent"], row["basis"]) == (60, 30, "session")
    # 1 + 4 * 0.3 rows count as one.
    assert 450 / 3.5 < row["n_effective"] < 450 / 1.4
    assert (plain["n_effective"], plain["basis"], plain["clusters_baseline"]) == (450, "value", None)
    assert row["p_value"] > plain["p_value"]
    assert row["effect"] == plain["effect"]
    assert row["effect_low"] < plain["effect_low"] < plain["effect_high"] < row["effect_high"]


def test_rows_that_are_sessions_by_themselves_are_compared_as_ever() -> None:
    before, after = window(2, "before", 200, size=1), window(2, "after", 100, size=1)
    by_session = drift.compare_columns(before, after, COLUMNS, session="session")
    plain = drift.compare_columns(before, after, COLUMNS)
    told = ["clusters_baseline", "clusters_recent", "basis"]
    assert by_session.drop(told).equals(plain.drop(told))


def test_numbers_of_sessions_are_never_those_of_rows_without_one() -> None:
    # Texts that the process holds have low codes, so that these sessions' are high: 6 to 11 are the rows without one.
    held = pl.Series([f"held-{place}" for place in range(6)], dtype=pl.Categorical)
    codes, basis = coded(pl.Series(["session:b", None, "session:a", None, "session:b", None]))
    assert codes.tolist() == [0, 7, 1, 9, 0, 11]
    assert (basis, len(held)) == ("session, else value", 6)


@pytest.mark.parametrize("sessions", [1, 9])
def test_fewer_than_ten_clusters_tell_nothing(sessions: int) -> None:
    before, after = window(3, "before", 60), window(3, "after", sessions, size=50, shift=3.0)
    rows = drift.compare_columns(before, after, COLUMNS, session="session")
    assert rows["status"].to_list() == ["insufficient_data"] * 3
    assert rows["p_value"].null_count() == 3
    assert rows["clusters_recent"].to_list() == [sessions] * 3


def test_values_that_are_all_one_or_none_are_answered() -> None:
    before = window(4, "before", 20).with_columns(number=pl.lit(1.0), mix=pl.lit("a"), share=pl.lit(value=True))
    after = window(4, "after", 20).with_columns(number=pl.lit(float("nan")), mix=pl.lit("a"), share=pl.lit(value=True))
    number, share, mix = drift.compare_columns(before, after, COLUMNS, session="session").to_dicts()
    assert (number["status"], number["excluded"]) == ("insufficient_data", 100)
    assert (share["p_value"], mix["p_value"]) == (1.0, 1.0)


def test_a_session_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no column thread"):
        drift.compare_columns(window(5, "before", 20), window(5, "after", 20), session="thread")


NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_episodes_and_decisions_with_sessions_are_clustered() -> None:
    random = np.random.default_rng(6)
    moments = [NOW + timedelta(hours=n) for n in range(450)]
    both = {"agent_id": "bot", "action_type": "look", "source": "live", "session_id": [str(n // 5) for n in range(450)]}
    score = alike(random, 90, 5, 0.6)
    episodes = pl.DataFrame({**both, "ended_at": moments, "score": score, "success": score > 0})
    decided = np.where(alike(random, 90, 5, 0.6) > 0, "block", "allow")
    decisions = pl.DataFrame({**both, "occurred_at": moments, "decision": decided})
    end = moments[-1] + timedelta(hours=1)
    rows = drift.compare(
        episodes,
        decisions,
        baseline=(NOW, moments[300]),
        recent=(moments[300], end),
        metrics=["score", "success_rate", "block_rate"],
    )
    assert rows["clusters_baseline"].to_list() == [60] * 3
    assert rows["clusters_recent"].to_list() == [30] * 3
    assert rows["basis"].to_list() == ["session"] * 3
    assert all(each < 300 for each in rows["n_effective"].to_list())
    without = drift.compare(
        episodes.drop("session_id"),
        decisions.drop("session_id"),
        baseline=(NOW, moments[300]),
        recent=(moments[300], end),
        metrics=["score", "success_rate", "block_rate"],
    )
    assert without["n_effective"].to_list() == [450.0] * 3
    assert (rows["p_value"] > without["p_value"]).all()


def test_a_thread_is_a_cluster_where_there_is_no_session() -> None:
    """Ten rows of one thread are not ten."""
    random = np.random.default_rng(5)
    at = [datetime(2026, 3, 2, tzinfo=UTC) + timedelta(hours=each) for each in range(240)]
    rows = pl.DataFrame(
        {
            "agent_id": "scout",
            "action_type": "read",
            "ended_at": at,
            "thread_id": [f"t{each // 4}" for each in range(240)],
            "duration_ms": np.repeat(random.normal(50, 9, 60), 4) + random.normal(0, 3, 240),
        }
    )

    def compared(given: pl.DataFrame) -> pl.DataFrame:
        return drift.compare(given, None, metrics=["duration_ms"], baseline=(at[0], at[160]), recent=(at[160], at[-1]))

    found = compared(rows)
    assert (found["basis"].to_list(), found["clusters_baseline"].to_list()) == (["thread"], [40])
    assert found["n_effective"][0] < 100
    half = rows.with_columns(session_id=pl.when(pl.int_range(pl.len()) < 80).then(pl.lit("s1")))
    assert compared(half)["basis"].to_list() == ["session, else thread"]
    assert compared(rows.drop("thread_id"))["basis"].to_list() == ["value"]
