"""How the functions of this package read a frame: the columns they need, rows that stand for many, and times in UTC.

A frame has the columns of a table as it is served, or some of them. Times are UTC, whether they say so or not. Rows
that are alike in everything that is asked may be given once, with their number in a column `n`; without that column
each row counts as one. Columns that are served as numbers, as times, and as true or false have to be that: text is not
read as a number, and a number that is neither 0 nor 1 is not read as true.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

import polars as pl

from assent.contract.control.guard import Source

Frame: TypeAlias = "pl.DataFrame | pl.LazyFrame"
WEIGHT = "n"
LARGEST = 1e12

_NUMBERS = ("score", "agent_risk_score", "risk_score", "cost_estimate", "confidence", WEIGHT)
_YES_OR_NO = ("success", "reversible")
_TIMES = ("ended_at", "occurred_at", "timestamp_start")
_GIVE = (
    dict.fromkeys(_NUMBERS, "numbers")
    | dict.fromkeys(_YES_OR_NO, "true or false")
    | dict.fromkeys(_TIMES, "times, such as pl.Datetime in UTC")
)


@cache
def time_type() -> pl.Datetime:
    """The type of times: microseconds in UTC."""
    return pl.Datetime("us", "UTC")


def numbers_type(*names: str) -> pl.Struct:
    """The type of a struct with a number under each of these names."""
    return pl.Struct(dict.fromkeys(names, pl.Float64))


def columns(frame: Frame) -> list[str]:
    return frame.lazy().collect_schema().names()


def has(frame: Frame, name: str) -> bool:
    return name in columns(frame)


def need(frame: Frame, names: Iterable[str], what: str) -> pl.LazyFrame:
    """The frame, lazy. Raises ValueError that names the columns that are not there, and one that names a column which
    holds something else than it is served with."""
    present = frame.lazy().collect_schema()
    missing = [name for name in names if name not in present]
    if missing:
        raise ValueError(f"{what} lack {', '.join(missing)}; they have {', '.join(present) or 'no columns'}")
    for name in _NUMBERS + _YES_OR_NO + _TIMES:
        kind = present.get(name, pl.Null()).base_type()
        fits = kind.is_numeric() or kind is pl.Boolean or kind is pl.Null
        fits |= name in _TIMES and issubclass(kind, pl.Datetime | pl.Date)
        # A frame without rows holds nothing, whatever its types are.
        if not fits and not frame.lazy().head(1).collect().is_empty():
            held = "text" if issubclass(kind, pl.String | pl.Categorical | pl.Enum) else str(kind)
            raise ValueError(f"{what} hold {held} in {name}; give {_GIVE[name]}")
    for name in _YES_OR_NO:
        if present.get(name, pl.Null()).is_numeric():
            other = pl.col(name).filter((pl.col(name) != 0) & (pl.col(name) != 1)).first()
            if (wrong := frame.lazy().select(other).collect().item()) is not None:
                raise ValueError(f"{what} hold {wrong} in {name}; give {_GIVE[name]}")
    return frame.lazy()


def bounded(frame: pl.DataFrame, name: str, what: str) -> pl.DataFrame:
    """The frame. Raises ValueError for a finite number beyond LARGEST, of which sums are not exact."""
    far = pl.col(name).cast(pl.Float64)
    far = far.filter(far.is_finite() & (far.abs() > LARGEST)).first()
    if (wrong := frame.select(far).item()) is not None:
        raise ValueError(f"{what} hold {wrong:g} in {name}; give numbers from -{LARGEST:g} to {LARGEST:g}")
    return frame


def weight(frame: Frame) -> pl.Expr:
    """How many rows a row stands for."""
    return pl.col(WEIGHT).cast(pl.Int64) if has(frame, WEIGHT) else pl.lit(1, pl.Int64)


def count(condition: pl.Expr, times: pl.Expr) -> pl.Expr:
    """How many rows, each as often as `times` says, meet a condition; nulls do not."""
    return pl.when(condition).then(times).otherwise(0).sum().cast(pl.Int64)


def simulated(frame: Frame) -> pl.Expr:
    """Whether a row was made by a simulator; false where the frame does not say."""
    return one_of("source", Source.SIMULATED) if has(frame, "source") else pl.lit(False)


def stated_risk(frame: Frame) -> pl.Expr:
    """The risk that the agent stated; `risk_score` where the frame has no `agent_risk_score`, null where neither."""
    for name in ("agent_risk_score", "risk_score"):
        if has(frame, name):
            return pl.col(name).cast(pl.Float64)
    return pl.lit(None, pl.Float64)


def one_of(name: str, *values: str) -> pl.Expr:
    """Whether a column holds one of the values; null does not."""
    return pl.col(name).cast(pl.String).is_in([str(value) for value in values]).fill_null(False)


def present(name: str) -> pl.Expr:
    """Whether a text says anything."""
    return pl.col(name).cast(pl.String).fill_null("") != ""


def utc(name: str) -> pl.Expr:
    """A column of times as UTC microseconds."""
    return pl.col(name).cast(time_type())


# An agent and an action type as one number, which makes millions of rows three times as fast to rank and to group as
# two texts.


KEYS = ("agent_id", "action_type")
PAIR = "_pair"


def paired(rows: pl.LazyFrame) -> pl.LazyFrame:
    """The rows that say both, whose columns of these names are dictionary-encoded now, with the number as `_pair`. It
    is good within one query only."""
    said = rows.filter(pl.all_horizontal(pl.col(*KEYS).is_not_null()))
    encoded = said.with_columns(pl.col(name).cast(pl.String).cast(pl.Categorical) for name in KEYS)
    agent, kind = (pl.col(name).to_physical().cast(pl.UInt64) for name in KEYS)
    return encoded.with_columns((agent * 2**32 + kind).alias(PAIR))


def unpaired() -> list[pl.Expr]:
    """Both texts again, for each group of a number."""
    return [pl.col(name).first().cast(pl.String) for name in KEYS]
