"""From a raw value to a score and its label, by the rules of `assent.contract.scales`: the first rule that fits."""

from __future__ import annotations

import polars as pl

from assent.contract.scales import DataSource, Dimension, ScaleOperator, ScaleRule
from assent_analytics.scoring import members

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
