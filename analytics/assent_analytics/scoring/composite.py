"""One score out of the scores of the dimensions, by the rules of `assent.contract.scales`. Pure expressions.

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

from assent.contract.scales import CompositeMethod


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
    # A division of many by 100 multiplies by 0.01 and is off by a last bit; rounding gives the nearest double again.
    return ((value * 100 + 0.5).floor() / 100).round(2)
