"""Episodes as `assent_analytics.episodes` gives them, row by row, and drawn at random."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from math import nan
from typing import Any

import numpy as np
import polars as pl
import pytest

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
_TIME, _NUMBER = pl.Datetime("us", "UTC"), pl.Float64()
EPISODE: dict[str, Any] = {
    "action_id": "act_1",
    "agent_id": "bot",
    "action_type": "refund",
    "decision": "allow",
    "source": "live",
    "started_at": MONDAY,
    "ended_at": MONDAY,
    "score": 80,
    "label": "success",
    "success": True,
    "risk_score": 20.0,
    "reversible": True,
    "confidence": 80.0,
    "duration_ms": 1000.0,
    "cost_estimate": 0.5,
    "tokens": 10.0,
}
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("started_at", "ended_at"), _TIME),
    **dict.fromkeys(("risk_score", "confidence", "duration_ms", "cost_estimate", "tokens"), _NUMBER),
    "score": pl.Int64(),
    "success": pl.Boolean(),
    "reversible": pl.Boolean(),
}


def history(*rows: dict[str, Any]) -> pl.DataFrame:
    """Rows like EPISODE, changed as each says; `day` counts from a Monday."""
    made = []
    for row in rows:
        at = MONDAY + timedelta(days=row.get("day", 0))
        given = {name: value for name, value in row.items() if name != "day"}
        made.append(EPISODE | {"ended_at": at, "started_at": at} | given)
    return pl.DataFrame(made, schema={name: _TYPES.get(name, pl.String()) for name in EPISODE})


def drawn(seed: int, n: int, *, agents: int = 3, kinds: int = 2, days: int = 20) -> pl.DataFrame:
    """Random episodes with ties, nulls and gaps."""
    random = np.random.default_rng(seed)
    ends = MONDAY.timestamp() * 1e6 + random.integers(0, days * 24, n) * 3_600_000_000
    measures = {
        name: pl.Series(random.gamma(2, 10, n)).set(pl.Series(random.random(n) < 0.2), None)
        for name in ("risk_score", "confidence", "duration_ms", "cost_estimate")
    }
    return pl.DataFrame(
        {
            "action_id": [f"act_{at}" for at in range(n)],
            "agent_id": [f"agent-{at}" for at in random.integers(0, agents, n)],
            "action_type": [f"kind-{at}" for at in random.integers(0, kinds, n)],
            "source": random.choice(["live", "simulated"], n),
            "ended_at": pl.Series(ends.astype(np.int64)).cast(pl.Datetime("us", "UTC")),
            "score": random.integers(0, 101, n),
            "success": random.random(n) < 0.7,
            "reversible": random.random(n) < 0.7,
            **measures,
        }
    )


def assert_near(found: Iterable[float | None], expected: Iterable[float | None]) -> None:
    """Alike within 1e-9, and None where the other is."""
    there = [nan if each is None else float(each) for each in expected]
    assert [nan if each is None else each for each in found] == pytest.approx(there, rel=1e-9, abs=1e-9, nan_ok=True)
