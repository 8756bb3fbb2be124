"""Drift: has what an agent does changed, between a baseline window and a recent one?

    comparison = compare(episodes, decisions, baseline=(june, july), recent=(july, august))
    comparison.filter("drifted")

`compare` answers for governance data, `compare_columns` for any two frames; both from the same tests. The statistics
are one module each: `kolmogorov_smirnov`, `numbers` (Wasserstein, deciles), `categories` (chi-square, Cramer's V,
Jensen-Shannon, PSI), `proportions` (Newcombe, Fisher), `effects` (Cliff's delta, Hedges' g) and `discovery`
(Benjamini-Hochberg).
"""

from assent_analytics.drift.columns import compare_columns
from assent_analytics.drift.compare import compare
from assent_analytics.drift.discovery import benjamini_hochberg
from assent_analytics.drift.metrics import (
    LEAST,
    METRICS,
    MIN_BASELINE,
    MIN_RECENT,
    PUBLISHED,
    Direction,
    Kind,
    Least,
    Metric,
)
from assent_analytics.drift.proportions import newcombe
from assent_analytics.drift.rows import INSUFFICIENT, OK, SCHEMA

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
    "Metric",
    "benjamini_hochberg",
    "compare",
    "compare_columns",
    "newcombe",
]
