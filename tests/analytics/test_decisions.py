"""The mix of decisions, counted by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime

import polars as pl
import pytest

from assent_analytics import decisions
from tests.analytics.tables import decisions as table

LATE = datetime(2026, 3, 1, 23, 59, 59, 999_999, tzinfo=UTC)
EARLY = datetime(2026, 3, 2, tzinfo=UTC)
FIVE = table(
    {"occurred_at": EARLY, "decision": "block", "agent_id": "b"},
    {"occurred_at": LATE},
    {"occurred_at": LATE, "decision": "warn", "agent_id": "a", "source": "simulated"},
    {"occurred_at": EARLY, "decision": "require_approval", "agent_id": "a"},
    {"occurred_at": EARLY, "agent_id": "a"},
)
COLUMNS = ["n", "allow", "warn", "require_approval", "block", "simulated"]


def test_mix() -> None:
    assert decisions.mix(FIVE).collect().rows() == [(5, 2, 1, 1, 1, 1)]
    assert decisions.mix(FIVE).collect().columns == COLUMNS
    assert decisions.mix(table()).collect().rows() == [(0, 0, 0, 0, 0, 0)]


def test_days_begin_at_midnight_utc() -> None:
    found = decisions.mix_by_day(FIVE).collect()
    assert found.columns == ["day", *COLUMNS]
    assert found.rows() == [(date(2026, 3, 1), 2, 1, 1, 0, 0, 1), (date(2026, 3, 2), 3, 1, 0, 1, 1, 0)]


def test_mix_by_agent_and_type() -> None:
    by_agent = decisions.mix_by(FIVE, "agent_id").select("agent_id", "n", "block").collect()
    assert by_agent.rows() == [("a", 3, 0), ("b", 1, 1), ("bot", 1, 0)]
    assert decisions.mix_by(FIVE, "action_type").select("action_type", "n").collect().rows() == [("refund", 5)]


def test_a_weight_is_a_repetition() -> None:
    weighted = FIVE.with_columns(n=pl.Series([3, 1, 2, 1, 4]))
    repeated = pl.concat([FIVE[at] for at, n in enumerate([3, 1, 2, 1, 4]) for _ in range(n)])
    for function in (decisions.mix, decisions.mix_by_day):
        assert function(weighted).collect().rows() == function(repeated).collect().rows()
    assert decisions.mix(weighted).collect().rows() == [(11, 5, 2, 1, 3, 2)]


def test_a_frame_without_times_is_refused() -> None:
    with pytest.raises(ValueError, match="decisions lack occurred_at; they have decision"):
        decisions.mix_by_day(FIVE.select("decision"))
