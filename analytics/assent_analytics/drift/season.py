"""The same hours of the week in both windows: a recent Friday to Sunday is not compared with a baseline of whole weeks.

1. Nothing is done where both windows have every part of the week for about the same share of their time, as whole weeks
   do: as long as less than 8% of the time is elsewhere, season alone moves no distribution by what counts as drift. Nor
   for a group whose baseline reaches less than two weeks back: no week comes twice in it, so that season could not be
   told from drift.
2. Else the baseline is standardised on the recent window's season (directly, as rates of populations are): each of its
   rows counts as often as there are recent rows in its part of the week for each of the baseline. Parts are the days of
   the week, beginning when the recent window begins; four hours each where a window is not of whole days.
3. What is known of a metric in a part of the week that only one window has, in its group, is compared with nothing. It
   is left out, and counted (`unmatched`).
4. Weights are scaled so that their sum is what they are worth, (sum w)^2 / sum w^2 (L. Kish, "Survey Sampling", 1965):
   as so many independent rows does the baseline count.

*It assumes* that season moves a part of the week alike in both windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.drift.metrics import LEAST
from assent_analytics.drift.values import LATER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assent_analytics.drift.compare import Window, Windows

    Floats: TypeAlias = NDArray[np.float64]

INTO: Final = "_into"
"""Microseconds since the recent window began, below 0 in the baseline."""
_TICK: Final = timedelta(microseconds=1)
_WEEK, _DAY = timedelta(days=7), timedelta(days=1)
HOURS: Final = timedelta(hours=4)
"""How long the parts of a day are."""
BACK: Final = timedelta(days=13)
"""How far back at least a group's first row lies in a baseline of two weeks."""
_PART, _OLD = "_part", "_old"

Unmatched: TypeAlias = Mapping[tuple[str | None, ...], Mapping[str, int]]


class Standardised(NamedTuple):
    """`rows` with null for what is unmatched (rule 3), and a column of weights for each column that was asked for.
    `unmatched` has the groups that are standardised, and how many of each column are left out there."""

    rows: pl.DataFrame
    unmatched: Unmatched


def step_of(both: Windows) -> timedelta | None:
    """How long the parts of the week are; None where nothing is to be standardised (rule 1)."""
    since, until = both.baseline
    return None if until - since < 2 * _WEEK else parts_of(both)


def parts_of(both: Windows) -> timedelta | None:
    """The same for any baseline: None where both windows have every part for about the same share of their time."""
    step = HOURS if any((until - since) % _DAY for since, until in both) else _DAY
    shares = [_shares(window, both.recent[0], step) for window in both]
    return step if differ(*np.array(shares)) else None


def differ(before: Floats, after: Floats) -> NDArray[np.bool_]:
    """Whether two seasons are to be told apart (rule 1): shares of the parts along the last axis, which add up to 1.
    Their distance in total variation bounds how far apart mixing by them can make any two distributions."""
    return np.asarray(np.abs(before - after).sum(axis=-1) / 2 >= LEAST.number)


def _shares(window: Window, origin: datetime, step: timedelta) -> list[float]:
    """The share of a window's time in each part of the week."""
    since, until = (each - origin for each in window)

    def before(end: timedelta, part: int) -> timedelta:
        """How much time of the part there is from the origin to `end`; less than nothing where that is earlier."""
        weeks, rest = divmod(end, _WEEK)
        return weeks * step + min(max(rest - part * step, timedelta()), step)

    return [(before(until, part) - before(since, part)) / (until - since) for part in range(_WEEK // step)]


def part_of_week(time: pl.Expr, both: Windows, step: timedelta) -> pl.Expr:
    """The number of the part of the week in which a time is, from 0."""
    return into(time, both).mod(_WEEK // _TICK) // (step // _TICK)


def into(time: pl.Expr, both: Windows) -> pl.Expr:
    return (time - pl.lit(both.recent[0])).dt.total_microseconds().alias(INTO)


def weight_of(name: str) -> str:
    """The column with the weights of a column."""
    return f"_weight {name}"


def standardised(
    rows: pl.DataFrame, by: Sequence[str], names: Sequence[str], step: timedelta, times: str | None = None
) -> Standardised:
    """Each group of `by` by itself, of rows with `INTO`. `times` is the column that says how many rows a row stands
    for; a weight is that of each of them."""
    many = pl.lit(1.0) if times is None else pl.col(times).cast(pl.Float64)
    later, old = pl.col(LATER), pl.col(_OLD)
    first = pl.col(INTO).min()
    rows = rows.with_columns(
        (pl.col(INTO).mod(_WEEK // _TICK) // (step // _TICK)).alias(_PART),
        ((first.over(*by) if by else first) <= -(BACK // _TICK)).alias(_OLD),
    )
    known = {
        name: pl.col(name).is_finite().fill_null(False) if rows.schema[name].is_float() else pl.col(name).is_not_null()
        for name in names
    }
    parts = (
        rows.lazy()
        .group_by(*by, _PART)
        .agg(
            old.first(),
            *(pl.when(known[name] & ~later).then(many).otherwise(0.0).sum().alias(_before(name)) for name in names),
            *(pl.when(known[name] & later).then(many).otherwise(0.0).sum().alias(_after(name)) for name in names),
        )
        .with_columns(
            (~old | ((pl.col(_before(name)) > 0) & (pl.col(_after(name)) > 0))).alias(_kept(name)) for name in names
        )
        .with_columns(
            pl.when(~pl.col(_kept(name)))
            .then(0.0)
            .when(old)
            .then(pl.col(_after(name)) / pl.col(_before(name)))
            .otherwise(1.0)
            .alias(weight_of(name))
            for name in names
        )
        .with_columns((pl.col(weight_of(name)) * _worth(name, by)).alias(weight_of(name)) for name in names)
        .collect()
    )
    of_parts = parts.select(*by, _PART, *map(weight_of, names), *map(_kept, names))
    rows = rows.join(of_parts, on=[*by, _PART], how="left", nulls_equal=True, maintain_order="left").with_columns(
        *(
            pl.when(known[name] & pl.col(_kept(name)))
            .then(pl.when(later).then(1.0).otherwise(weight_of(name)))
            .alias(weight_of(name))
            for name in names
        ),
        *(pl.when(~known[name] | pl.col(_kept(name))).then(pl.col(name)).alias(name) for name in names),
    )
    left_out = [
        pl.when(~pl.col(_kept(name)))
        .then(pl.col(_before(name)) + pl.col(_after(name)))
        .otherwise(0.0)
        .sum()
        .cast(pl.Int64)
        .alias(name)
        for name in names
    ]
    found = parts.filter(_OLD)
    counted = found.group_by(*by).agg(left_out) if by else found.select(left_out).head(len(found))
    unmatched = {
        tuple(None if row[each] is None else str(row[each]) for each in by): {name: row[name] for name in names}
        for row in counted.iter_rows(named=True)
    }
    return Standardised(rows.drop(INTO, _PART, _OLD, *map(_kept, names)), unmatched)


def _worth(name: str, by: Sequence[str]) -> pl.Expr:
    """What makes the sum of a group's weights what they are worth (rule 4)."""
    weight, rows = pl.col(weight_of(name)), pl.col(_before(name))
    sums = [(rows * each).sum() for each in (weight, weight * weight)]
    return sums[0].over(*by) / sums[1].over(*by) if by else sums[0] / sums[1]


def _before(name: str) -> str:
    return f"_before {name}"


def _after(name: str) -> str:
    return f"_after {name}"


def _kept(name: str) -> str:
    return f"_kept {name}"
