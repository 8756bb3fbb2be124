"""The values of one field over many decisions, apart by kind, and each value only once where that saves work.

A field's frame has a row for each value, or for each row when values hardly repeat: `present`, and as far as somebody
asks for them `text`, `number` (Float64: whole numbers of the contract lie within 2^53, so it holds each exactly),
`flag`, and `list`, the JSON text of one. Kinds that a value is not of are null. The last row stands for *missing*.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec
import polars as pl

_REPEATED = 4
"""A value that comes this often on average is worth the table."""


@dataclass(frozen=True)
class DecisionValues:
    """`codes` gives each decision's row of `frame`; None when the rows are the decisions themselves."""

    frame: pl.DataFrame
    codes: pl.Series | None

    def where(self, test: pl.Expr) -> pl.Series:
        """For each decision, whether a test over the frame's columns holds; null is no."""
        found = self.frame.select(found=test.fill_null(False)).to_series()
        if self.codes is None:
            return found.head(len(found) - 1)
        return found.gather(self.codes)


def of_json(column: pl.Series, kinds: Collection[str]) -> DecisionValues:
    """Values that come as JSON texts; null and the text `null` are missing."""
    # Numbers and flags are read and compared faster than a table of them is made.
    simple = set(kinds) <= {"number", "flag"}
    values, codes = (column.extend_constant(None, 1), None) if simple else distinct(column)
    return DecisionValues(_typed(values, kinds), codes)


def of_text(column: pl.Series) -> DecisionValues:
    values, codes = distinct(column)
    frame = pl.DataFrame({"present": values.is_not_null(), "text": values})
    return DecisionValues(_completed(frame), codes)


def of_number(column: pl.Series) -> DecisionValues:
    """Numbers are seldom worth a table; null is missing."""
    number = column.cast(pl.Float64)
    number = number.extend_constant(None, 1)
    return DecisionValues(_completed(pl.DataFrame({"present": number.is_not_null(), "number": number})), None)


def of_flag(column: pl.Series) -> DecisionValues:
    """Flags; null is missing."""
    flag = column.extend_constant(None, 1)
    return DecisionValues(_completed(pl.DataFrame({"present": flag.is_not_null(), "flag": flag})), None)


def missing(height: int) -> DecisionValues:
    nothing = pl.DataFrame({"present": [False]})
    return DecisionValues(_completed(nothing), pl.zeros(height, dtype=pl.UInt32, eager=True))


def distinct(column: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """The distinct texts of a column with null after them, and where each row's is; or, where texts hardly repeat, the
    rows themselves with null after them, and None."""
    if isinstance(column.dtype, pl.Enum):
        names = column.dtype.categories
        return names.extend_constant(None, 1), column.to_physical().cast(pl.UInt32).fill_null(len(names))
    texts = column.cast(pl.String)
    if int(str(texts.approx_n_unique())) * _REPEATED > len(texts):
        return texts.extend_constant(None, 1), None
    names = texts.drop_nulls().unique()
    codes = texts.cast(pl.Enum(names)).to_physical().cast(pl.UInt32).fill_null(len(names))
    return names.extend_constant(None, 1), codes


def _typed(values: pl.Series, kinds: Collection[str]) -> pl.DataFrame:
    frame = pl.DataFrame({"raw": values})
    raw = pl.col("raw")
    first = raw.str.head(1)
    made: dict[str, pl.Expr] = {}
    if "number" in kinds:
        # Bare NaN and Infinity are no JSON, and a text keeps its quotes: what can be read as a number is one.
        made["number"] = raw.cast(pl.Float64, strict=False)
    if "flag" in kinds:
        made["flag"] = pl.when(raw == "true").then(True).when(raw == "false").then(False)
    if "list" in kinds:
        made["list"] = pl.when(first == "[").then(raw)
    frame = frame.with_columns(present=(raw != "null").fill_null(False), **made)
    if "text" in kinds:
        frame = frame.with_columns(text=_texts(frame["raw"]))
    return _completed(frame.drop("raw"))


def _texts(raw: pl.Series) -> pl.Series:
    """The texts among JSON values, without quotes; those with escapes are read one by one."""
    inner = pl.select(pl.when(raw.str.starts_with('"')).then(raw.str.slice(1).str.head(-1))).to_series()
    escaped = inner.str.contains("\\", literal=True).fill_null(False).arg_true()
    if len(escaped):
        read = [msgspec.json.decode(text, type=str) for text in raw.gather(escaped)]
        inner = inner.scatter(escaped, pl.Series(read, dtype=pl.String))
    return inner


def _completed(frame: pl.DataFrame) -> pl.DataFrame:
    """With a column for every kind, null where nobody asked for it or nothing is of it."""
    kinds = {"text": pl.String, "number": pl.Float64, "flag": pl.Boolean, "list": pl.String}
    absent = [pl.lit(None, dtype).alias(name) for name, dtype in kinds.items() if name not in frame.columns]
    return frame.with_columns(absent)
