"""The condition tree compiled to Polars expressions, by the rules of `assent.contract.conditions`.

A leaf becomes an expression over the columns of its field's values (`values`): `present`, `text`, `number`, `flag`,
`list`. It is worked out once for every distinct value where values repeat, and once for all policies that share it. A
tree becomes an expression over its leaves, which are never null: `all` is AND, `any` OR, `not` turns round.

Two things are no expression of Polars. A pattern is searched by RE2 itself, in DuckDB. Members of a list are looked at
in Python, one distinct list after the other, because a list of JSON may mix kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from operator import and_, or_
from typing import TypeAlias

import msgspec
import polars as pl

from assent.contract.conditions import All, Any_, Compare, Condition, Not, Op, Scalar, SpecialLeaf, misplaced

Search: TypeAlias = "Callable[[pl.Series, str], pl.Series]"
"""Whether a pattern is found in each text."""

_ORDERS: dict[Op, Callable[[pl.Expr, float], pl.Expr]] = {
    Op.LT: lambda number, value: number < value,
    Op.LTE: lambda number, value: number <= value,
    Op.GT: lambda number, value: number > value,
    Op.GTE: lambda number, value: number >= value,
}


def leaves(condition: Condition) -> Iterator[Compare]:
    match condition:
        case Compare():
            yield condition
        case Not(branch):
            yield from leaves(branch)
        case All(branches) | Any_(branches):
            for each in branches:
                yield from leaves(each)
        case SpecialLeaf():
            misplaced(condition)


def tree(condition: Condition, column: Callable[[Compare], str]) -> pl.Expr:
    """An expression over boolean columns, one for each leaf; `column` names them."""
    match condition:
        case Compare():
            return pl.col(column(condition))
        case Not(branch):
            return ~tree(branch, column)
        case All(branches):
            return reduce(and_, [tree(each, column) for each in branches])
        case Any_(branches):
            return reduce(or_, [tree(each, column) for each in branches])
        case SpecialLeaf():
            misplaced(condition)


def name_of(leaf: Compare) -> str:
    """A name that two leaves share only when they are the same; 1 and true are not."""
    return repr((leaf.field, leaf.op.value, leaf.value))


def kinds(leaf: Compare) -> frozenset[str]:
    """The kinds of values that a leaf looks at."""
    if leaf.op is Op.EXISTS:
        return frozenset()
    values = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
    if leaf.op is Op.CONTAINS:
        return frozenset({"text", "list"} if isinstance(leaf.value, str) else {"list"})
    return frozenset(_kind(value) for value in values)


def test(leaf: Compare, search: Search) -> pl.Expr:
    """The leaf as an expression over a field's values; null means no."""
    value = leaf.value
    present, text = pl.col("present"), pl.col("text")
    match leaf.op:
        case Op.EXISTS:
            return present if value is True else ~present
        case Op.EQ | Op.IN:
            return _equal(value)
        case Op.NE | Op.NOT_IN:
            return present & ~_equal(value).fill_null(False)
        case Op.LT | Op.LTE | Op.GT | Op.GTE:
            assert isinstance(value, int | float)
            return _ORDERS[leaf.op](pl.col("number"), float(value))
        case Op.CONTAINS:
            assert not isinstance(value, tuple)
            inside = _member(value)
            if not isinstance(value, str):
                return inside
            return inside | text.str.contains(value, literal=True).fill_null(False)
        case Op.STARTS_WITH:
            assert isinstance(value, str)
            return text.str.starts_with(value)
        case Op.ENDS_WITH:
            assert isinstance(value, str)
            return text.str.ends_with(value)
        case Op.MATCHES:
            assert isinstance(value, str)
            return text.map_batches(lambda texts: search(texts, value), return_dtype=pl.Boolean)


def _equal(value: object) -> pl.Expr:
    """`eq` with one of the values, each among its own kind."""
    found = pl.lit(False)
    values = value if isinstance(value, tuple) else (value,)
    texts = [each for each in values if isinstance(each, str)]
    flags = [each for each in values if isinstance(each, bool)]
    numbers = [float(each) for each in values if isinstance(each, int | float) and not isinstance(each, bool)]
    for column, wanted in (("text", texts), ("number", numbers), ("flag", flags)):
        if len(wanted) == 1:
            found = found | (pl.col(column) == wanted[0]).fill_null(False)
        elif wanted:
            found = found | pl.col(column).is_in(wanted).fill_null(False)
    return found


def _member(value: Scalar) -> pl.Expr:
    def look(lists: pl.Series) -> pl.Series:
        if lists.null_count() == len(lists):
            return pl.Series([False]).new_from_index(0, len(lists))
        known = {text: _has(text, value) for text in lists.unique().drop_nulls()}
        return pl.Series([text is not None and known[text] for text in lists], dtype=pl.Boolean)

    return pl.col("list").map_batches(look, return_dtype=pl.Boolean)


def _has(text: str, value: Scalar) -> bool:
    kind = _kind(value)
    members: list[object] = msgspec.json.decode(text)
    return any(_kind(member) == kind and member == value for member in members)


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, int | float) else "other"
