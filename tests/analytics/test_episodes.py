"""The score of an episode against sums worked out by hand, and which actions are episodes."""

from __future__ import annotations

from datetime import UTC, datetime
from math import inf, nan
from typing import Any

import msgspec
import polars as pl
import pytest

from assent_analytics.episodes import WEIGHTS, EpisodeFacts, Weights, episodes, score
from tests.analytics.tables import actions

BEST: dict[str, Any] = {
    "status": "completed",
    "risk_score": 10,
    "reversible": True,
    "duration_ms": 1000,
    "cost_estimate": 0.01,
    "confidence": 90,
}
WORST: dict[str, Any] = {
    "status": "failed",
    "risk_score": 100,
    "reversible": False,
    "duration_ms": 10**7,
    "cost_estimate": 100,
    "confidence": 100,
    "invalidated_assumptions": 9,
    "open_loops": 9,
}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        # 50 + 30 + 4 + 5 + 6 + 4 + 4 = 103, cut.
        (BEST, 100),
        # 50 - 35 - 20 - 8 - 10 - 8 - 8 - 16 - 10 = -65, cut.
        (WORST, 0),
        ({"status": "completed"}, 80),
        ({"status": "failed"}, 15),
        ({"status": "cancelled"}, 30),
        ({"status": "pending_approval"}, 42),
        ({"status": "running"}, 45),
        ({"status": "blocked"}, 50),
        # 80 - (61 - 60) / 2, and the half rounds up: 80 - 1.
        ({"status": "completed", "risk_score": 61}, 79),
        ({"status": "completed", "risk_score": 60}, 80),
        ({"status": "completed", "risk_score": 62}, 79),
        ({"status": "completed", "risk_score": 63}, 78),
        ({"status": "completed", "risk_score": 98.9}, 61),
        ({"status": "completed", "risk_score": 100}, 60),
        ({"status": "completed", "risk_score": 30}, 84),
        ({"status": "completed", "risk_score": 30.1}, 80),
        ({"status": "completed", "reversible": False}, 72),
        ({"status": "completed", "duration_ms": 60_000}, 86),
        ({"status": "completed", "duration_ms": 60_001}, 83),
        ({"status": "completed", "duration_ms": 300_000}, 83),
        ({"status": "completed", "duration_ms": 1_800_000}, 76),
        ({"status": "completed", "duration_ms": 1_800_001}, 70),
        ({"status": "completed", "cost_estimate": 0.05}, 84),
        ({"status": "completed", "cost_estimate": 1}, 81),
        ({"status": "completed", "cost_estimate": 5}, 76),
        ({"status": "completed", "cost_estimate": 5.01}, 72),
        ({"status": "completed", "confidence": 70}, 84),
        ({"status": "completed", "confidence": 69}, 80),
        ({"status": "failed", "confidence": 80}, 7),
        ({"status": "failed", "confidence": 79}, 15),
        ({"status": "cancelled", "confidence": 100}, 30),
        ({"status": "completed", "invalidated_assumptions": 3}, 68),
        ({"status": "completed", "invalidated_assumptions": 5}, 64),
        ({"status": "completed", "open_loops": 4}, 72),
        ({"status": "completed", "open_loops": 6}, 70),
        ({"status": "completed", "risk_score": nan, "duration_ms": inf, "cost_estimate": -inf, "confidence": nan}, 80),
        ({"status": "completed", "risk_score": 1e300, "duration_ms": 1e300, "cost_estimate": 1e300}, 42),
    ],
)
def test_scores_by_hand(facts: dict[str, Any], expected: int) -> None:
    assert score(EpisodeFacts(**facts)).score == expected


def test_the_breakdown_names_every_part() -> None:
    episode = score(EpisodeFacts(**WORST))
    assert episode.label == "failure"
    assert episode.breakdown == {
        "base": 50,
        "status": -35,
        "risk": -20,
        "reversibility": -8,
        "duration": -10,
        "cost": -8,
        "confidence": -8,
        "assumptions": -16,
        "loops": -10,
    }


@pytest.mark.parametrize(
    ("status", "label"),
    [("completed", "success"), ("failed", "failure"), ("cancelled", "cancelled"), ("running", "pending")],
)
def test_labels(status: str, label: str) -> None:
    assert score(EpisodeFacts(status=status)).label == label


def test_other_weights_give_other_scores() -> None:
    strict = msgspec.structs.replace(WEIGHTS, failed=-50.0, base=55.0)
    assert score(EpisodeFacts(status="failed"), strict).score == 5


@pytest.mark.parametrize(
    "members",
    [
        {"short_ms": 400_000},
        {"risk_low": 70},
        {"cheap_usd": 2},
        {"failed": 1001},
        {"failed": nan},
        {"failed": inf},
        {"open_loop": -1},
        {"faled": 1},
    ],
)
def test_weights_that_cannot_be(members: dict[str, float]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(members, Weights)


def test_weights_out_of_order_say_which() -> None:
    with pytest.raises(ValueError, match="risk_low, risk_high are 70, 60; give them in order"):
        Weights(risk_low=70.0)


def test_what_never_ran_or_has_not_ended_is_no_episode() -> None:
    statuses = ["running", "pending", "pending_approval", "blocked", "completed", "failed", "cancelled"]
    found = episodes(actions(*({"status": status} for status in statuses))).collect()
    assert found["label"].to_list() == ["success", "failure"]
    assert found["success"].to_list() == [True, False]


def test_columns_and_their_types() -> None:
    found = episodes(actions({})).collect()
    moment, number = pl.Datetime("us", "UTC"), pl.Float64
    assert dict(found.schema) == {
        **dict.fromkeys(("action_id", "agent_id", "action_type", "decision", "source"), pl.String),
        **dict.fromkeys(("started_at", "ended_at"), moment),
        "score": pl.Int64,
        "label": pl.String,
        "success": pl.Boolean,
        "risk_score": number,
        "reversible": pl.Boolean,
        **dict.fromkeys(("confidence", "duration_ms", "cost_estimate", "tokens"), number),
    }
    assert episodes(actions().clear()).collect().schema == found.schema


def test_the_least_that_is_needed() -> None:
    frame = pl.DataFrame(
        {
            "agent_id": "a",
            "action_type": "t",
            "status": "completed",
            "timestamp_start": datetime(2026, 1, 1, tzinfo=UTC),
        }
    )
    row = episodes(frame).collect().row(0, named=True)
    assert (row["score"], row["action_id"], row["tokens"]) == (80, None, None)
    assert row["ended_at"] == row["started_at"]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="actions lack status, timestamp_start"):
        episodes(pl.DataFrame({"agent_id": ["a"], "action_type": ["t"]}))
    with pytest.raises(ValueError, match="actions lack action_id"):
        episodes(actions({}).drop("action_id"), pl.DataFrame({"action_id": ["a"], "invalidated": [True]}))
    with pytest.raises(ValueError, match="assumptions lack invalidated"):
        episodes(actions({}), pl.DataFrame({"action_id": ["a"]}))


def test_tokens_are_those_that_are_known() -> None:
    frame = actions({}, {}, {}).with_columns(tokens_in=pl.Series([1, 2, None]), tokens_out=pl.Series([10, None, None]))
    assert episodes(frame).collect()["tokens"].to_list() == [11, 2, None]


def test_dictionary_encoded_texts_are_read_as_texts() -> None:
    frame = actions({"action_id": "a"}, {"action_id": "b", "status": "failed"})
    encoded = frame.with_columns(pl.col("action_id", "agent_id", "status").cast(pl.Categorical))
    wrong = pl.DataFrame({"action_id": ["b", "b"], "invalidated": [True, True]}).with_columns(
        pl.col("action_id").cast(pl.Enum(["b"]))
    )
    # risk 20: 80 + 4, and 15 + 4 - 8.
    assert episodes(encoded, wrong).collect()["score"].to_list() == [84, 11]
