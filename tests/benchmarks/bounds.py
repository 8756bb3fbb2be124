"""The interval of a share that a simulation found."""

from __future__ import annotations

from assent_analytics.beta import beta_quantile


def clopper_pearson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """It holds the true share with at least this confidence, whatever that is (C. J. Clopper, E. S. Pearson, "The use
    of confidence or fiducial limits illustrated in the case of the binomial", Biometrika 26 (1934), 404-413)."""
    tail = (1 - confidence) / 2
    low = beta_quantile(tail, hits, n - hits + 1) if hits else 0.0
    return low, beta_quantile(1 - tail, hits + 1, n - hits) if hits < n else 1.0
