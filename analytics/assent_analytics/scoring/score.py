"""Scoring of actions by a profile: from the raw value of each dimension to its score and label, and to one score in
all.

A frame is scored all rows at once; one action is a frame of one row.

One score out of the scores of the dimensions, by the rules of `assent.contract.analysis.scales`. Pure expressions.

With scores s_i and weights w_i, over the dimensions that have a score and a weight above 0:

    weighted_average    sum(w_i * s_i) / sum(w_i)
    minimum             min(s_i)
    geometric_mean      exp(sum(w_i * ln(s_i)) / sum(w_i)), 0 as soon as one s_i is 0

rounded to two decimals, halves up. Null when there is no such dimension.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

import polars as pl

from assent.contract.analysis.scales import CompositeMethod, DataSource, Dimension, ScaleOperator, ScaleRule
from assent_analytics.frames import Frame
from assent_analytics.scoring import members
from assent_analytics.scoring.profile import Profile, ProfileLike, profile_of
from assent_analytics.scoring.values import raw_value


def composite(method: CompositeMethod, scores: Sequence[pl.Expr], weights: Sequence[float]) -> pl.Expr:
    counted = [(score, weight) for score, weight in zip(scores, weights, strict=True) if weight > 0]
    if not counted:
        return pl.lit(None, pl.Float64)
    if method is CompositeMethod.MINIMUM:
        return _rounded(pl.min_horizontal([score for score, _ in counted]))
    known = [score.is_not_null() for score, _ in counted]
    total = _sum(
        [pl.when(there).then(weight).otherwise(0.0) for there, (_, weight) in zip(known, counted, strict=True)]
    )
    if method is CompositeMethod.WEIGHTED_AVERAGE:
        return _rounded(_over(_sum([(score * weight).fill_null(0.0) for score, weight in counted]), total))
    logs = _sum([(score.log() * weight).fill_null(0.0) for score, weight in counted])
    return _rounded(_over(logs, total).exp().clip(0, 100))


def _sum(parts: Sequence[pl.Expr]) -> pl.Expr:
    return reduce(add, parts)


def _over(part: pl.Expr, total: pl.Expr) -> pl.Expr:
    return pl.when(total > 0).then(part / total)


def _rounded(value: pl.Expr) -> pl.Expr:
    # Logarithms of many rows at once differ from those of one in their last bits: what is less than 1e-10 below a half
    # is the half. A division of many by 100 multiplies by 0.01 and is off by a last bit, too; rounding gives the
    # nearest double again.
    return ((value * 100 + (0.5 + 1e-8)).floor() / 100).round(2)


# From a raw value to a score and its label, by the rules of `contract.analysis.scales`: the first rule that fits.


NO_DATA = "no_data"
DEFAULT = "default"
UNSCALED = "unscaled"
UNSCALED_SCORE = 50.0
HOLDS, FAILS = "holds", "does not hold"


def step(dimension: Dimension, value: pl.Expr) -> pl.Expr:
    """Which step of `steps` a value is on; null without a value."""
    if dimension.data_source is DataSource.CONDITION and not dimension.scale:
        return pl.when(value).then(0).otherwise(1)
    chosen = pl.lit(len(dimension.scale), pl.Int32)
    for at in reversed(range(len(dimension.scale))):
        chosen = pl.when(_fits(dimension, dimension.scale[at], value)).then(pl.lit(at, pl.Int32)).otherwise(chosen)
    return pl.when(value.is_not_null()).then(chosen)


def steps(dimension: Dimension) -> list[tuple[float, str]]:
    """Score and label of each step: those of the rules in order, then what counts when none fits."""
    if dimension.scale:
        lowest = float(min(rule.score for rule in dimension.scale))
        return [(float(rule.score), rule.label) for rule in dimension.scale] + [(lowest, DEFAULT)]
    if dimension.data_source is DataSource.CONDITION:
        return [(100.0, HOLDS), (0.0, FAILS)]
    return [(UNSCALED_SCORE, UNSCALED)]


def _fits(dimension: Dimension, rule: ScaleRule, value: pl.Expr) -> pl.Expr:
    wanted = rule.value
    of_metadata = dimension.data_source is DataSource.METADATA_FIELD
    if isinstance(wanted, bool):
        return (members.flag(value) if of_metadata else value) == wanted
    if isinstance(wanted, str):
        if rule.operator is ScaleOperator.EQ:
            return members.text(value) == wanted
        return members.text(value).str.contains(wanted, literal=True).fill_null(False) | members.lists(value, wanted)
    number = members.number(value) if of_metadata else value
    if isinstance(wanted, list):
        return number.is_between(float(wanted[0]), float(wanted[1]))
    return _compared(rule.operator, number, float(wanted))


def _compared(operator: ScaleOperator, number: pl.Expr, bound: float) -> pl.Expr:
    match operator:
        case ScaleOperator.LT:
            return number < bound
        case ScaleOperator.LTE:
            return number <= bound
        case ScaleOperator.GT:
            return number > bound
        case ScaleOperator.GTE:
            return number >= bound
        case _:
            return number == bound


# Scoring a frame of actions by a profile, all rows at once; a frame of one row is how one action is scored.


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
        .with_columns(step(each, pl.col(f"d{at}_value")).alias(f"d{at}_step") for at, each in numbered)
        .with_columns(expr for at, each in numbered for expr in _scored(at, each))
        .with_columns(_composite(read).alias("composite_score"))
        .select(
            *(name for name in KEYS if name in schema),
            "composite_score",
            *(expr for at, each in numbered for expr in _columns(at, each)),
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
    step, on = pl.col(f"d{at}_step"), steps(dimension)
    scores, labels = (dict(enumerate(column)) for column in zip(*on, strict=True))
    return (
        step.replace_strict(scores, default=None, return_dtype=pl.Float64).alias(f"d{at}_score"),
        step.replace_strict(labels, default=None, return_dtype=pl.String).fill_null(NO_DATA).alias(f"d{at}_label"),
    )


def _composite(profile: Profile) -> pl.Expr:
    scores = [pl.col(f"d{at}_score") for at in range(len(profile.dimensions))]
    return composite(profile.composite_method, scores, [float(each.weight) for each in profile.dimensions])


def _columns(at: int, dimension: Dimension) -> tuple[pl.Expr, ...]:
    value = pl.col(f"d{at}_value")
    if dimension.data_source is DataSource.METADATA_FIELD:
        value = members.plain(value).alias(f"d{at}_value")
    return value, pl.col(f"d{at}_score"), pl.col(f"d{at}_label")
