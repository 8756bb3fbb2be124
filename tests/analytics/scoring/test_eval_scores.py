"""The latest evaluation score of each action, joined to it."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from assent_analytics.scoring import with_eval_scores


def at(minute: int) -> datetime:
    return datetime(2026, 11, 1, 12, minute, tzinfo=UTC)


def test_the_latest_counts_and_of_one_moment_the_last_recorded() -> None:
    actions = pl.DataFrame({"action_id": ["c", "a", "b"], "eval_score": [0.1, 0.1, 0.1]})
    scores = pl.DataFrame(
        {
            "action_id": ["a", "b", "a", "b", "other"],
            "score": [0.9, 0.2, 0.3, 0.4, 1.0],
            "created_at": [at(1), at(5), at(2), at(5), at(9)],
            "id": ["ev_1", "ev_4", "ev_2", "ev_3", "ev_5"],
        }
    )
    assert with_eval_scores(actions, scores).collect().rows() == [("c", None), ("a", 0.3), ("b", 0.2)]
    assert with_eval_scores(actions, scores.drop("id").head(3)).collect()["eval_score"].to_list() == [None, 0.3, 0.2]
