"""Two weeks of an organization's actions whose truth is known: unchanged, or with one planted change.

Actions of a session share a disposition to fail and to cost (an intraclass correlation of about .3 of both), and half
of them share their type, so that a session is one observation of mix and of rates.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
import polars as pl

from assent_analytics.drift.compare import Windows, windows

NOW = datetime(2026, 11, 24, tzinfo=UTC)
WEEKS: Windows = windows((NOW - timedelta(days=14), NOW - timedelta(days=7)), (NOW - timedelta(days=7), NOW))
TYPES = ("deploy", "refund", "lookup", "mail", "wipe", "build")
SHARES = np.array([0.3, 0.25, 0.2, 0.15, 0.06, 0.04])
MORE_MAIL = np.array([0.26, 0.25, 0.04, 0.35, 0.06, 0.04])
FAILURES = np.array([0.08, 0.05, 0.02, 0.1, 0.2, 0.05])
DEPLOY_FAILS = 0.2
AGENTS, OF_AGENTS = ("ada", "bob", "cyd", "dan", "eve"), (0.3, 0.25, 0.2, 0.15, 0.1)
POLICIES = ("[]", '["pol_a"]', '["pol_a","pol_b"]', '["pol_c"]')
FAILURE_LATENT, COST = 0.6, 0.3
"""The share of the variance that a session's actions share; .6 of the hidden one gives .3 of what failed."""

Planted = Literal["nothing", "rate", "mix"]


def weeks(
    random: np.random.Generator, sessions: int = 400, actions: float = 8, planted: Planted = "nothing"
) -> pl.DataFrame:
    """So many sessions of `actions` actions on average. In the second week deployments fail more often (`rate`), or
    there is more mail and less looking up (`mix`)."""
    session = np.repeat(np.arange(sessions), np.maximum(1, random.poisson(actions, sessions)))
    n, days = len(session), random.random(sessions) * 14
    later = days < 7
    after = MORE_MAIL if planted == "mix" else SHARES
    main = np.where(later, random.choice(len(TYPES), sessions, p=after), random.choice(len(TYPES), sessions, p=SHARES))
    kind = np.where(later[session], random.choice(len(TYPES), n, p=after), random.choice(len(TYPES), n, p=SHARES))
    kind = np.where(random.random(n) < 0.5, main[session], kind)
    level = np.array([NormalDist().inv_cdf(share) for share in FAILURES])[kind]
    if planted == "rate":
        level = np.where(later[session] & (kind == 0), NormalDist().inv_cdf(DEPLOY_FAILS), level)

    def hidden(shared: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        both = random.standard_normal(sessions)[session], random.standard_normal(n)
        return sqrt(shared) * both[0] + sqrt(1 - shared) * both[1]

    policy = np.where(kind == 0, 1, np.where(kind == 4, 2, np.where(random.random(n) < 0.2, 3, 0)))
    return pl.DataFrame(
        {
            "session_id": [f"s{each}" for each in session],
            "agent_id": np.array(AGENTS)[random.choice(len(AGENTS), sessions, p=OF_AGENTS)[session]],
            "action_type": np.array(TYPES)[kind],
            "matched_policies": np.array(POLICIES)[policy],
            "tool": np.array(["x", "y", "z"])[random.choice(3, n)],
            "status": np.where(hidden(FAILURE_LATENT) < level, "failed", "completed"),
            "cost_estimate": np.exp(hidden(COST) / 2 + 5 * FAILURES[kind]),
        }
    ).with_columns(occurred_at=pl.lit(NOW) - pl.Series((days * 86.4e9).astype("timedelta64[us]")[session]))
