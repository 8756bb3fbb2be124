"""Two samples as one table of values: all that comparing their distributions needs, without a loop over rows.

A table has a row for each distinct `value`, in order: how many of the `baseline` and of the `recent` sample are at most
so large, how many are just so large (`of_baseline`, `of_recent`), and the `width` to the next value, 0 for the last.
Only finite values are in it.
"""

from __future__ import annotations

import numpy as np
import polars as pl

VALUE, BASELINE, RECENT = "value", "baseline", "recent"
OF_BASELINE, OF_RECENT, WIDTH = "of_baseline", "of_recent", "width"
GROUP, LATER = "group", "later"


def known(values: pl.Series) -> pl.Series:
    """The finite ones, as 64-bit floats."""
    numbers = values.cast(pl.Float64).drop_nulls()
    finite = numbers.is_finite()
    return (numbers if finite.all() else numbers.filter(finite)).alias(VALUE)


def merged(baseline: pl.Series, recent: pl.Series) -> pl.DataFrame:
    """The table of two samples of finite values.

    Each is sorted by itself; a stable sort then merges two runs in linear time, a fraction of what sorting pairs takes.
    """
    values = np.concatenate([baseline.sort().to_numpy(), recent.sort().to_numpy()])
    order = np.argsort(values, kind="stable")
    values = values[order]
    recents = np.cumsum(order >= len(baseline), dtype=np.float64)
    last = np.append(values[1:] != values[:-1], True) if len(values) else np.empty(0, np.bool_)
    places = np.arange(1.0, len(values) + 1)
    if not last.all():
        values, recents, places = values[last], recents[last], places[last]
    baselines = places - recents
    return pl.DataFrame(
        {
            VALUE: values,
            BASELINE: baselines,
            RECENT: recents,
            OF_BASELINE: np.diff(baselines, prepend=0.0),
            OF_RECENT: np.diff(recents, prepend=0.0),
            WIDTH: np.diff(values, append=values[-1:]),
        }
    )


def counted(frame: pl.DataFrame) -> pl.DataFrame:
    """The tables of many groups at once, with the `group` of each row, of a frame of `group`, `later` (whether the
    sample is the recent one) and finite `value`. For groups so small that a step for each would take longer than
    their rows."""
    later = pl.col(LATER)
    width = pl.col(VALUE).shift(-1) - pl.col(VALUE)
    return (
        frame.lazy()
        .group_by(GROUP, VALUE)
        .agg(
            (~later).sum().cast(pl.Float64).alias(OF_BASELINE),
            later.sum().cast(pl.Float64).alias(OF_RECENT),
        )
        .sort(GROUP, VALUE)
        .with_columns(
            pl.col(OF_BASELINE).cum_sum().over(GROUP).alias(BASELINE),
            pl.col(OF_RECENT).cum_sum().over(GROUP).alias(RECENT),
            pl.when(pl.col(GROUP) == pl.col(GROUP).shift(-1)).then(width).otherwise(0.0).alias(WIDTH),
        )
        .collect()
    )


def moments() -> list[pl.Expr]:
    """`n`, `mean` and `sd` (n - 1; 0 where all values are one, null for fewer than two) of a column of finite values.

    Values are divided by a power of two near the largest, which is exact, so that 1e300 squared is still a number.
    """
    value = pl.col(VALUE)
    largest = value.abs().max()
    scale = pl.when(largest > 0).then(pl.lit(2.0).pow(largest.log(2).floor().clip(-1000, 1000))).otherwise(1.0)
    sd = pl.when(value.min() == value.max()).then(0.0).otherwise((value / scale).std() * scale)
    return [
        pl.len().cast(pl.Int64).alias("n"),
        # Rounding takes no mean beyond its values: that of a constant is the constant.
        ((value / scale).mean() * scale).clip(value.min(), value.max()).alias("mean"),
        pl.when(pl.len() > 1).then(sd).alias("sd"),
    ]
