"""Drift: has what an agent does changed, between a baseline window and a recent one?

    comparison = compare(episodes, decisions, baseline=(june, july), recent=(july, august))
    comparison.filter("drifted")

`compare` answers for governance data, `compare_columns` for any two frames; both from the same tests. The statistics
stand in `kolmogorov_smirnov`, `numbers` (Wasserstein, deciles, Cliff's delta, Hedges' g), `categories` (chi-square,
Cramer's V, Jensen-Shannon, PSI; of shares Newcombe and Fisher) and `rows` (Benjamini-Hochberg).
"""

from assent_analytics.drift.categories import newcombe
from assent_analytics.drift.compare import compare, compare_columns
from assent_analytics.drift.metrics import (
    LEAST,
    METRICS,
    MIN_BASELINE,
    MIN_RECENT,
    PUBLISHED,
    Direction,
    Kind,
    Least,
    MetricDefinition,
)
from assent_analytics.drift.rows import INSUFFICIENT, OK, SCHEMA, benjamini_hochberg

__all__ = [
    "INSUFFICIENT",
    "LEAST",
    "METRICS",
    "MIN_BASELINE",
    "MIN_RECENT",
    "OK",
    "PUBLISHED",
    "SCHEMA",
    "Direction",
    "Kind",
    "Least",
    "MetricDefinition",
    "benjamini_hochberg",
    "compare",
    "compare_columns",
    "newcombe",
]
