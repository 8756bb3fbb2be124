"""Scoring a frame of actions by a profile, all rows at once; a frame of one row is how one action is scored."""

from __future__ import annotations

import polars as pl

from assent.contract.scales import DataSource, Dimension
from assent_analytics.frames import Frame
from assent_analytics.scoring import members, scale
from assent_analytics.scoring.composite import composite
from assent_analytics.scoring.profile import Profile, ProfileLike, profile_of
from assent_analytics.scoring.values import raw_value

KEYS = ("action_id", "agent_id", "action_type", "source")


def score_frame(actions: Frame, profile: ProfileLike) -> pl.LazyFrame:
    """A row for each action, in order: the columns of `KEYS` that are there, `composite_score` (0-100, two decimals,
    null when no dimension that counts had a value), and for each dimension, from 0, `d0_value`, `d0_score` (0-100, null
    without a value) and `d0_label`.

    Values are Float64, of conditions Boolean, of metadata fields String (texts as they are, anything else as JSON). A
    column that a dimension asks for and that is not there has no values. Raises ScaleError for a profile that cannot be
    used, ValueError for a column that holds something else than it must.
    """
    read = profile_of(profile)
    frame = actions.lazy()
    schema = frame.collect_schema()
    numbered = list(enumerate(read.dimensions))
    # Added to the rows rather than chosen from them: a constant column must be as long as the frame.
    return (
        frame.with_columns(raw_value(each, schema).alias(f"d{at}_value") for at, each in numbered)
        .with_columns(scale.step(each, pl.col(f"d{at}_value")).alias(f"d{at}_step") for at, each in numbered)
        .with_columns(expr for at, each in numbered for expr in _scored(at, each))
        .with_columns(_composite(read).alias("composite_score"))
        .select(
            *(name for name in KEYS if name in schema),
            "composite_score",
            *(expr for at, each in numbered for expr in _shown(at, each)),
        )
    )


def breakdown(scored: Frame, profile: ProfileLike) -> pl.LazyFrame:
    """What `score_frame` gives, in long form: a row for each action and dimension, in order: the columns of `KEYS`,
    `dimension`, `weight`, `value` (as text), `score` and `label`."""
    frame = scored.lazy()
    keys = [name for name in KEYS if name in frame.collect_schema()]
    parts = [
        frame.select(
            *keys,
            dimension=pl.lit(each.name),
            weight=pl.lit(float(each.weight)),
            value=pl.col(f"d{at}_value").cast(pl.String),
            score=pl.col(f"d{at}_score"),
            label=pl.col(f"d{at}_label"),
            _row=pl.int_range(pl.len()),
            _at=pl.lit(at),
        )
        for at, each in enumerate(profile_of(profile).dimensions)
    ]
    return pl.concat(parts).sort("_row", "_at").drop("_row", "_at")


def _scored(at: int, dimension: Dimension) -> tuple[pl.Expr, pl.Expr]:
    step, on = pl.col(f"d{at}_step"), scale.steps(dimension)
    scores, labels = (dict(enumerate(column)) for column in zip(*on, strict=True))
    return (
        step.replace_strict(scores, default=None, return_dtype=pl.Float64).alias(f"d{at}_score"),
        step.replace_strict(labels, default=None, return_dtype=pl.String)
        .fill_null(scale.NO_DATA)
        .alias(f"d{at}_label"),
    )


def _composite(profile: Profile) -> pl.Expr:
    scores = [pl.col(f"d{at}_score") for at in range(len(profile.dimensions))]
    return composite(profile.composite_method, scores, [float(each.weight) for each in profile.dimensions])


def _shown(at: int, dimension: Dimension) -> tuple[pl.Expr, ...]:
    value = pl.col(f"d{at}_value")
    if dimension.data_source is DataSource.METADATA_FIELD:
        value = members.plain(value).alias(f"d{at}_value")
    return value, pl.col(f"d{at}_score"), pl.col(f"d{at}_label")
