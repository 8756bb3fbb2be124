"""What stands at a path in columns of JSON objects, with its kind.

A value is written with its kind in front: a text as `"` and the text itself, anything else as its JSON, whose first
character tells. Null, and whatever cannot be reached, is null. Only the way to the value is decoded, not the whole
object.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import Any

import msgspec
import polars as pl
from msgspec import UNSET, Raw, UnsetType, defstruct

from assent.contract.prepared import prepared

_DIGITS = tuple("-0123456789")
_AWKWARD = re.compile(r'["\\\x00-\x1f]')


def column(schema: pl.Schema, name: str) -> pl.Expr:
    """A column of objects as their JSON text. Raises ValueError for a column that holds neither objects nor text."""
    kind = schema[name]
    if isinstance(kind, pl.Struct):
        return pl.col(name).struct.json_encode()
    if kind == pl.Null or kind == pl.String or isinstance(kind, pl.Categorical | pl.Enum):
        return pl.col(name).cast(pl.String)
    raise ValueError(f"{name} is a column of {kind}; give objects, or their JSON as text")


def at(objects: pl.Expr, path: str) -> pl.Expr:
    """The value at a path such as `ticket.queue`, where it is one that can be scored: a finite number, a text, true,
    false or a list."""
    # Each use of a function of Python in an expression runs it again, so that everything happens within one.
    return objects.map_batches(lambda texts: _usable(found(texts, path)), return_dtype=pl.String, is_elementwise=True)


def number_at(objects: pl.Expr, path: str) -> pl.Expr:
    """The value at a path as a finite number; null where it is none."""
    return objects.map_batches(
        lambda texts: pl.select(number(pl.lit(found(texts, path)))).to_series(),
        return_dtype=pl.Float64,
        is_elementwise=True,
    )


def whole(objects: pl.Series) -> pl.Series:
    """The JSON values of a column themselves, written as the module says."""
    written = [None if text is None else _written(_whole, f'{{"value":{text}}}') for text in objects]
    return pl.Series(objects.name, written, dtype=pl.String)


def number(value: pl.Expr) -> pl.Expr:
    """The value as a finite number; null where it is none."""
    text = pl.when(value.str.head(1).is_in(_DIGITS)).then(value)
    return finite(text.cast(pl.Float64, strict=False))


def text(value: pl.Expr) -> pl.Expr:
    """The value as a text; null where it is none."""
    return pl.when(value.str.starts_with('"')).then(value.str.slice(1))


def flag(value: pl.Expr) -> pl.Expr:
    """The value as true or false; null where it is neither."""
    return pl.when(value == "true").then(True).when(value == "false").then(False)


def lists(value: pl.Expr, member: str) -> pl.Expr:
    """Whether the value is a list with this text in it."""
    return value.map_batches(
        lambda values: pl.Series(
            [each is not None and each[0] == "[" and member in msgspec.json.decode(each) for each in values],
            dtype=pl.Boolean,
        ),
        return_dtype=pl.Boolean,
        is_elementwise=True,
    )


def plain(value: pl.Expr) -> pl.Expr:
    """The value for people: a text as it is, anything else as JSON."""
    return pl.when(value.str.starts_with('"')).then(value.str.slice(1)).otherwise(value)


def finite(value: pl.Expr) -> pl.Expr:
    """The number; null for NaN and infinity, which measure nothing."""
    return pl.when(value.is_finite()).then(value)


def found(texts: pl.Series, path: str) -> pl.Series:
    """The value at a path of each text, whatever it is, as the module says."""
    parts = tuple(path.split("."))
    written = partial(_walked, parts) if _AWKWARD.search(path) else partial(_written, _decoder(parts))
    # An escaped name has a backslash; texts with neither that nor the name need not be decoded.
    may = texts.str.contains(parts[-1], literal=True) | texts.str.contains("\\", literal=True)
    places = (may.fill_null(False) & texts.is_not_null()).arg_true()
    if not len(places):
        return pl.Series(texts.name, [None], dtype=pl.String).new_from_index(0, len(texts))
    values = pl.Series(texts.name, [written(each) for each in texts.gather(places)], dtype=pl.String)
    if len(places) == len(texts):
        return values
    return pl.Series(texts.name, [None], dtype=pl.String).new_from_index(0, len(texts)).scatter(places, values)


def _usable(values: pl.Series) -> pl.Series:
    value = pl.lit(values)
    other = value.str.head(1).is_in(['"', "t", "f", "["])
    return pl.select(pl.when(other | number(value).is_not_null()).then(value)).to_series()


def _written(decode: Any, text: str) -> str | None:
    try:
        value = decode(text)
        while value is not UNSET and not isinstance(value, Raw):
            value = value.value
    except (msgspec.DecodeError, RecursionError):
        # Something on the way is no object, or the text is no JSON: there is nothing at this path.
        return None
    if value is UNSET:
        return None
    written = bytes(value).decode()
    if written[0] != '"':
        return None if written == "null" else written
    return '"' + (msgspec.json.decode(written) if "\\" in written else written[1:-1])


def _walked(parts: tuple[str, ...], text: str) -> str | None:
    """The same for names that a decoder of the way alone cannot be made for."""
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    for part in parts:
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, str):
        return '"' + value
    return None if value is None else msgspec.json.encode(value).decode()


@lru_cache(maxsize=256)
def _decoder(parts: tuple[str, ...]) -> Any:
    shape: Any = Raw
    for part in reversed(parts):
        shape = defstruct("Level", [("value", shape | UnsetType, UNSET)], rename={"value": part}, gc=False)
    return msgspec.json.Decoder(prepared(shape)).decode


_whole = _decoder(("value",))
