"""Maturity: how much an agent has done, and how well, in one word and one number.

An agent has the highest level whose three thresholds it reaches: episodes, success rate and mean score. Its maturity
score is 30 * min(episodes / 1000, 1) + 40 * success rate + 0.3 * mean score, from 0 to 100. Levels, thresholds and
formula are those of the published system. A level says nothing of chance: a success rate of 0.6 from 50 episodes may
be 0.46 or 0.72, which is why velocity gives the interval beside it.
"""

from __future__ import annotations

import msgspec
import polars as pl


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent has to reach: `episodes`, `success_rate` (0 to 1) and `avg_score` (0 to 100)."""

    level: str
    episodes: int
    success_rate: float
    avg_score: float


LEVELS = (
    Level(level="novice", episodes=0, success_rate=0.0, avg_score=0.0),
    Level(level="developing", episodes=10, success_rate=0.4, avg_score=40.0),
    Level(level="competent", episodes=50, success_rate=0.6, avg_score=55.0),
    Level(level="proficient", episodes=150, success_rate=0.75, avg_score=65.0),
    Level(level="expert", episodes=500, success_rate=0.85, avg_score=75.0),
    Level(level="master", episodes=1000, success_rate=0.92, avg_score=85.0),
)
_ENOUGH = 1000


def maturity_level(episodes: pl.Expr, success_rate: pl.Expr, avg_score: pl.Expr) -> pl.Expr:
    """The name of the level; novice where the rates are null."""
    level = pl.lit(LEVELS[0].level)
    for each in LEVELS[1:]:
        enough = episodes >= each.episodes
        reached = enough & (success_rate >= each.success_rate) & (avg_score >= each.avg_score)
        level = pl.when(reached).then(pl.lit(each.level)).otherwise(level)
    return level


def maturity_score(episodes: pl.Expr, success_rate: pl.Expr, avg_score: pl.Expr) -> pl.Expr:
    """0 to 100; null where the rates are."""
    return 30 * (episodes / _ENOUGH).clip(0, 1) + 40 * success_rate + 0.3 * avg_score
