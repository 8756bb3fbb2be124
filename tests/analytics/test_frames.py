"""What a frame may hold: whatever asks says in a sentence which column holds something else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import polars as pl
import pytest

from assent_analytics.before_after import before_after
from assent_analytics.calibration.suggestion import suggest_template
from assent_analytics.drift.compare import compare
from assent_analytics.drivers import drivers
from assent_analytics.frames import Frame
from assent_analytics.lessons import lessons
from assent_analytics.velocity import velocity
from tests.analytics.histories import MONDAY, history

HALVES: dict[str, Any] = {
    "baseline": (MONDAY, MONDAY + timedelta(days=15)),
    "recent": (MONDAY + timedelta(days=15), MONDAY + timedelta(days=30)),
}
ASKED: dict[str, Callable[[Frame], object]] = {
    "velocity": velocity,
    "lessons": lessons,
    "compare": lambda frame: compare(frame, None, **HALVES),
    "drivers": lambda frame: drivers(frame, "failure_rate", **HALVES),
    "before_after": lambda frame: before_after(frame, MONDAY + timedelta(days=15), "score"),
    "suggest_template": suggest_template,
}
WRONG: dict[str, tuple[pl.Expr, str, str]] = {
    "score": (pl.lit("good"), "text", "numbers"),
    "success": (pl.lit("yes"), "text", "true or false"),
    "reversible": (pl.lit("yes"), "text", "true or false"),
    "risk_score": (pl.lit("high"), "text", "numbers"),
    "agent_risk_score": (pl.lit("high"), "text", "numbers"),
    "ended_at": (pl.lit("2026-03-02"), "text", "times"),
    "occurred_at": (pl.lit("2026-03-02"), "text", "times"),
    "n": (pl.lit("a"), "text", "numbers"),
}


def episodes() -> pl.DataFrame:
    rows = [{"day": at / 8, "score": 50 + at % 30, "success": at % 3 > 0} for at in range(240)]
    return history(*rows).with_columns(occurred_at="ended_at", status=pl.lit("completed"))


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("ask", ASKED)
def test_a_column_that_holds_something_else_is_named(ask: str, name: str) -> None:
    value, held, give = WRONG[name]
    with pytest.raises(ValueError, match=f"hold {held} in {name}; give {give}"):
        ASKED[ask](episodes().with_columns(value.alias(name)))


@pytest.mark.parametrize("ask", ["velocity", "lessons", "compare"])
@pytest.mark.parametrize("value", [2.5, -1, float("nan")])
def test_success_is_true_or_false(ask: str, value: float) -> None:
    """0 and 1 are as good."""
    with pytest.raises(ValueError, match=f"hold {value} in success; give true or false"):
        ASKED[ask](episodes().with_columns(success=pl.lit(value)))
    as_number = episodes().with_columns(pl.col("success").cast(pl.Int8 if value == -1 else pl.Float64))
    found, expected = ASKED[ask](as_number), ASKED[ask](episodes())
    assert isinstance(found, pl.DataFrame)
    assert isinstance(expected, pl.DataFrame)
    assert found.equals(expected)


@pytest.mark.parametrize("ask", ["velocity", "lessons"])
def test_a_score_that_no_sum_holds_is_named(ask: str) -> None:
    with pytest.raises(ValueError, match=r"episodes hold 8e\+301 in score; give numbers from -1e\+12 to 1e\+12"):
        ASKED[ask](episodes().with_columns(score=pl.lit(8e301)))


def test_systems_are_lists_or_their_text() -> None:
    with pytest.raises(ValueError, match="actions hold Int32 in systems_touched; give lists of texts, or their JSON"):
        suggest_template(episodes().with_columns(systems_touched=pl.lit(3)))
