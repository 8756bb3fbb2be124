"""What all functions here ask of a frame.

A frame has the columns of a table as it is served, or some of them. Times are UTC, whether they say so or not. Rows
that are alike in everything that is asked may be given once, with their number in a column `n`; without that column
each row counts as one.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from assent.contract.guard import Source

Frame = pl.DataFrame | pl.LazyFrame

UTC = pl.Datetime("us", "UTC")
WEIGHT = "n"


def columns(frame: Frame) -> list[str]:
    return frame.lazy().collect_schema().names()


def has(frame: Frame, name: str) -> bool:
    return name in columns(frame)


def need(frame: Frame, names: Iterable[str], what: str) -> pl.LazyFrame:
    """The frame, lazy. Raises ValueError that names the columns that are not there."""
    present = columns(frame)
    missing = [name for name in names if name not in present]
    if missing:
        raise ValueError(f"{what} lack {', '.join(missing)}; they have {', '.join(present) or 'no columns'}")
    return frame.lazy()


def weight(frame: Frame) -> pl.Expr:
    """How many rows a row stands for."""
    return pl.col(WEIGHT).cast(pl.Int64) if has(frame, WEIGHT) else pl.lit(1, pl.Int64)


def count(condition: pl.Expr, times: pl.Expr) -> pl.Expr:
    """How many rows, each as often as `times` says, meet a condition; nulls do not."""
    return pl.when(condition).then(times).otherwise(0).sum().cast(pl.Int64)


def simulated(frame: Frame) -> pl.Expr:
    """Whether a row was made by a simulator; false where the frame does not say."""
    return one_of("source", Source.SIMULATED) if has(frame, "source") else pl.lit(False)


def one_of(name: str, *values: str) -> pl.Expr:
    """Whether a column holds one of the values; null does not."""
    return pl.col(name).cast(pl.String).is_in([str(value) for value in values]).fill_null(False)


def present(name: str) -> pl.Expr:
    """Whether a text says anything."""
    return pl.col(name).cast(pl.String).fill_null("") != ""


def utc(name: str) -> pl.Expr:
    """A column of times as UTC microseconds."""
    return pl.col(name).cast(UTC)
