"""How often drift's answers are right, by simulation where the truth is known: a tenth in the suite, all in the bench.

`coverage_*` count how many 95% intervals hold the true effect; `false_families` how many whole comparisons without any
drift find some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from math import erf, sqrt
from typing import NamedTuple

import numpy as np
import polars as pl

from assent_analytics.drift import compare, newcombe
from assent_analytics.drift.categories import chi_square, cramers_v
from assent_analytics.drift.numbers import cliffs_delta, compared, hedges_g
from assent_analytics.rates import wilson

FULL = 2_000
SPLIT = datetime(2026, 3, 1, tzinfo=UTC)
BASELINE = (SPLIT - timedelta(days=30), SPLIT)
RECENT = (SPLIT, SPLIT + timedelta(days=7))


class Share(NamedTuple):
    """How many of how many, and Wilson's interval of the share."""

    name: str
    hits: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.n

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.hits, self.n)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.name:58} {self.share:7.2%} ({low:.2%} to {high:.2%}) of {self.n:,}"


def coverages(times: int, seed: int = 1) -> Iterator[Share]:
    """The share of 95% intervals that hold the truth, for each interval and several sizes and shapes."""
    rng = np.random.default_rng(seed)
    for p1, p2, m, n in ((0.5, 0.5, 100, 40), (0.1, 0.2, 150, 60), (0.02, 0.05, 400, 120), (0.3, 0.3, 20, 10)):
        yield _share(f"Newcombe, {p1} and {p2}, n {m} and {n}", times, _newcombe(rng, p1, p2, m, n))
    for name, draw in (("normal", _normal), ("lognormal", _heavy)):
        for m, n in ((300, 100), (60, 30), (20, 10)):
            yield _share(f"Cliff's delta, {name} 0.5 sd apart, n {m} and {n}", times, _cliff(rng, draw, m, n))
    for m, n in ((300, 100), (60, 30), (20, 10)):
        yield _share(f"Hedges' g, normal 0.5 sd apart, n {m} and {n}", times, _hedges(rng, m, n))
    for m, n in ((1000, 300), (200, 80)):
        yield _share(f"Cramer's V of 5 categories, n {m} and {n}", times, _cramer(rng, m, n))


def false_families(times: int, seed: int = 2, agents: int = 3, types: int = 2) -> Share:
    """Of comparisons with nothing to find, each of all ten metrics for some agents and types, those that find any."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(times):
        found = compare(*history(rng, agents, types), baseline=BASELINE, recent=RECENT)
        hits += bool(found["significant"].any())
    return Share(f"families of {agents * types * 9 + agents} tests with a false discovery", hits, times)


def history(
    rng: np.random.Generator, agents: int, types: int, rows: int = 120, shift: float = 0.0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Episodes and decisions of 37 days that are all alike, but for risk `shift` sd higher in the last seven."""
    n = agents * types * rows
    when = [SPLIT + timedelta(days=float(day)) for day in rng.uniform(-30, 7, n)]
    late = np.array([each >= SPLIT for each in when])
    z = rng.normal(size=(4, n))
    keys = {
        "agent_id": [f"agent-{i % agents}" for i in range(n)],
        "action_type": [f"type-{k}" for k in rng.integers(0, types, n)],
        "source": ["simulated"] * n,
    }
    episodes = pl.DataFrame(
        keys
        | {
            "ended_at": when,
            "score": np.clip(np.round(70 + 15 * z[0]), 0, 100),
            "risk_score": np.round(40 + 12 * (z[1] + shift * late)),
            "duration_ms": np.round(np.exp(8 + 1.2 * z[2])),
            "cost_estimate": np.exp(-4 + 0.5 * z[3]),
            "tokens": np.round(np.exp(7 + 0.6 * z[3])),
            "confidence": rng.integers(60, 100, n).astype(float),
            "success": rng.random(n) < 0.85,
        }
    )
    decided = rng.choice(["allow", "warn", "require_approval", "block"], n, p=[0.8, 0.1, 0.08, 0.02])
    return episodes, pl.DataFrame(keys | {"occurred_at": when, "decision": decided})


def _share(name: str, times: int, holds: Callable[[], bool]) -> Share:
    return Share(name, sum(holds() for _ in range(times)), times)


def _newcombe(rng: np.random.Generator, p1: float, p2: float, m: int, n: int) -> Callable[[], bool]:
    def holds() -> bool:
        low, high = newcombe(int(rng.binomial(m, p1)), m, int(rng.binomial(n, p2)), n)
        return low <= p2 - p1 <= high

    return holds


Draw = Callable[[np.random.Generator, int, float], "np.ndarray[tuple[int], np.dtype[np.float64]]"]


def _normal(rng: np.random.Generator, n: int, shift: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return rng.normal(shift, 1, n)


def _heavy(rng: np.random.Generator, n: int, shift: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.exp(3 * rng.normal(shift, 1, n))


def _cliff(rng: np.random.Generator, draw: Draw, m: int, n: int) -> Callable[[], bool]:
    # P(R > B) - P(R < B) of normal values 0.5 sd apart is 2 phi(0.5 / sqrt 2) - 1 = erf(0.25).
    truth = erf(0.5 / sqrt(2) / sqrt(2))

    def holds() -> bool:
        found = compared(pl.Series("value", draw(rng, m, 0.0)), pl.Series("value", draw(rng, n, 0.5)))
        assert found.distances is not None
        effect = cliffs_delta(found.distances.delta, found.distances.variance, m, n)
        return effect.low <= truth <= effect.high

    return holds


def _hedges(rng: np.random.Generator, m: int, n: int) -> Callable[[], bool]:
    def holds() -> bool:
        b, r = rng.normal(0, 1, m), rng.normal(0.5, 1, n)
        effect = hedges_g((float(b.mean()), float(r.mean())), (float(b.std(ddof=1)), float(r.std(ddof=1))), m, n)
        assert effect is not None
        return effect.low <= 0.5 <= effect.high

    return holds


def _cramer(rng: np.random.Generator, m: int, n: int) -> Callable[[], bool]:
    before, after = np.array([0.4, 0.25, 0.15, 0.12, 0.08]), np.array([0.3, 0.2, 0.25, 0.1, 0.15])
    together = (m * before + n * after) / (m + n)
    truth = sqrt(sum((size * (p - together) ** 2 / together).sum() for size, p in ((m, before), (n, after))) / (m + n))

    def holds() -> bool:
        counts = rng.multinomial(m, before).tolist(), rng.multinomial(n, after).tolist()
        _, low, high = cramers_v(chi_square(*counts), m + n)
        return low <= truth <= high

    return holds
