"""The score of one action and the scores of a frame are the same numbers, whatever the actions and the weights."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf, nan
from typing import Any

import msgspec
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.actions import ActionStatus
from assent_analytics.episodes import WEIGHTS, EpisodeFacts, Weights, episodes, has_run, score
from tests.tiers import examples

AT = datetime(2026, 3, 1, tzinfo=UTC)

edges = st.sampled_from([0.0, 0.05, 1.0, 5.0, 29.5, 30.0, 60.0, 60.5, 61.0, 70.0, 80.0, 100.0, 6e4, 3e5, 1.8e6])
strange = st.sampled_from([nan, inf, -inf, 1e300, -1e300, -1.0, 5e-324])
numbers = st.none() | edges | strange | st.floats(0, 100) | st.floats(0, 1e7)
facts = st.fixed_dictionaries(
    {
        "status": st.sampled_from([status.value for status in ActionStatus]),
        "risk_score": numbers,
        "reversible": st.none() | st.booleans(),
        "duration_ms": numbers,
        "cost_estimate": numbers,
        "confidence": numbers,
        "invalidated_assumptions": st.integers(0, 6),
        "open_loops": st.integers(0, 7),
    }
)
some_points = st.floats(-50, 50, allow_nan=False)
most = st.floats(0, 50, allow_nan=False)
weights = st.just(WEIGHTS) | st.builds(
    Weights,
    base=some_points,
    completed=some_points,
    failed=some_points,
    risk_per_point=st.floats(0, 3),
    risk_most=most,
    longer=some_points,
    costlier=some_points,
    wrong_assumption=most,
    open_loops_most=most,
)


def frames(rows: list[dict[str, Any]]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    actions = [{"action_id": str(at), "agent_id": "a", "action_type": "t"} | row for at, row in enumerate(rows)]
    wrong = [str(at) for at, row in enumerate(rows) for _ in range(row["invalidated_assumptions"])]
    still = [str(at) for at, row in enumerate(rows) for _ in range(row["open_loops"])]
    text, number = pl.String(), pl.Float64()
    types: dict[str, Any] = dict.fromkeys(("action_id", "agent_id", "action_type", "status"), text)
    types |= dict.fromkeys(("risk_score", "duration_ms", "cost_estimate", "confidence"), number)
    types |= {"reversible": pl.Boolean()}
    frame = pl.DataFrame([{name: row[name] for name in types} for row in actions], schema=types)
    return (
        frame.with_columns(timestamp_start=pl.lit(AT)),
        pl.DataFrame(
            {"action_id": [*wrong, "0"], "invalidated": [True] * len(wrong) + [False]},
            schema_overrides={"action_id": text},
        ),
        pl.DataFrame({"action_id": [*still, "0"], "status": ["open"] * len(still) + ["resolved"]}),
    )


@examples(2)
@given(st.lists(facts, min_size=1, max_size=12), weights)
def test_a_frame_scores_as_one_action_does(rows: list[dict[str, Any]], weights: Weights) -> None:
    found = episodes(*frames(rows), weights=weights).collect()
    expected = [(str(at), score(EpisodeFacts(**row), weights)) for at, row in enumerate(rows) if has_run(row["status"])]
    assert found["action_id"].to_list() == [action_id for action_id, _ in expected]
    assert found["score"].to_list() == [episode.score for _, episode in expected]
    assert found["label"].to_list() == [episode.label for _, episode in expected]
    assert found["success"].to_list() == [episode.label == "success" for _, episode in expected]


@given(facts, weights)
def test_a_score_is_its_breakdown_cut(row: dict[str, Any], weights: Weights) -> None:
    episode = score(EpisodeFacts(**row), weights)
    assert 0 <= episode.score <= 100
    assert abs(episode.score - min(100.0, max(0.0, sum(episode.breakdown.values())))) <= 0.5 + 1e-9
    assert msgspec.convert(msgspec.to_builtins(episode), type(episode)) == episode


def test_the_end_is_the_first_that_is_known() -> None:
    actions, _, _ = frames([{"status": "completed"} | dict.fromkeys(NAMES, None) | COUNTS] * 3)
    ended = AT + timedelta(minutes=5)
    changed = actions.with_columns(
        timestamp_end=pl.Series([ended, None, None]), updated_at=pl.Series([ended, ended, None]).dt.offset_by("1m")
    )
    assert episodes(changed).collect()["ended_at"].to_list() == [ended, ended + timedelta(minutes=1), AT]


NAMES = ("risk_score", "reversible", "duration_ms", "cost_estimate", "confidence")
COUNTS = {"invalidated_assumptions": 0, "open_loops": 0}
