"""Whether a condition holds for each action, by the rules of `assent.contract.conditions`.

A field is looked for among the columns: numbers, texts, true and false as they are, `metadata` and the lists of an
action in their JSON. What no column is called may be a member of the column `context`, if there is one: the JSON of
whatever else is known of an action. Times are missing. The comparisons themselves are those of the backtest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

import polars as pl

from assent.contract.conditions import Compare, Condition, Op
from assent_analytics.backtest.conditions import leaves, name_of, test, tree
from assent_analytics.backtest.database import Database
from assent_analytics.backtest.values import Values, missing
from assent_analytics.scoring import members

JSON = frozenset({"metadata", "systems_touched", "side_effects", "artifacts_created", "externality"})
CONTEXT = "context"

Matched: TypeAlias = Mapping[str, Mapping[str, pl.Series]]
"""By field and pattern."""


def holds(condition: Condition, schema: pl.Schema) -> pl.Expr:
    """True or false for each row of a frame with this schema; never null."""
    tops = dict.fromkeys(leaf.field.partition(".")[0] for leaf in leaves(condition))
    # `context` itself is no field of an action, only a member of that column, if anything.
    found = [name for name in tops if name in schema and name != CONTEXT]
    if len(found) < len(tops) and CONTEXT in schema:
        found.append(CONTEXT)
    if not found:
        # One missing field is like another.
        return pl.lit(_holding(pl.DataFrame(height=1), condition).item())
    texts = [members.column(schema, name) if _is_json(schema, name) else pl.col(name) for name in found]
    ask = partial(_asked, condition=condition)
    return pl.struct(texts).map_batches(ask, return_dtype=pl.Boolean, is_elementwise=True)


def _is_json(schema: pl.Schema, name: str) -> bool:
    return name in JSON or name == CONTEXT or isinstance(schema[name], pl.Struct)


def _asked(batch: pl.Series, condition: Condition) -> pl.Series:
    return _holding(batch.struct.unnest(), condition)


def _holding(batch: pl.DataFrame, condition: Condition) -> pl.Series:
    asked = {name_of(leaf): leaf for leaf in leaves(condition)}
    # A field is read once for all its leaves.
    values = {name: _values(batch, name) for name in dict.fromkeys(leaf.field for leaf in asked.values())}
    matched = _matched(values, [leaf for leaf in asked.values() if leaf.op is Op.MATCHES])
    found = [
        values[leaf.field].where(test(leaf, partial(_look, matched, leaf.field))).alias(name)
        for name, leaf in asked.items()
    ]
    return pl.DataFrame(found).select(found=tree(condition, name_of)).to_series()


def _matched(values: Mapping[str, Values], asked: Sequence[Compare]) -> Matched:
    """Where each pattern is found among the texts of its field: DuckDB is opened once, and asked once for a field."""
    patterns: dict[str, list[str]] = {}
    for leaf in asked:
        patterns.setdefault(leaf.field, []).append(str(leaf.value))
    if not patterns:
        return {}
    with Database() as database:
        return {
            name: dict(zip(wanted, database.matches_each(values[name].frame["text"], wanted), strict=True))
            for name, wanted in patterns.items()
        }


def _look(matched: Matched, field: str, texts: pl.Series, pattern: str) -> pl.Series:
    return matched[field][pattern]


def _values(batch: pl.DataFrame, field: str) -> Values:
    top, _, rest = field.partition(".")
    if top in batch.columns and top != CONTEXT:
        column = batch[top]
        if _is_json(batch.schema, top):
            return _of_objects(column, rest) if rest else _of_json(members.whole(column))
        return missing(batch.height) if rest else _of_plain(column)
    return _of_objects(batch[CONTEXT], field) if CONTEXT in batch.columns else missing(batch.height)


def _of_objects(objects: pl.Series, path: str) -> Values:
    return _of_json(members.found(objects, path))


def _of_json(written: pl.Series) -> Values:
    value = pl.lit(written)
    return _listed(
        written.is_not_null(),
        [
            members.text(value).alias("text"),
            members.number(value).alias("number"),
            members.flag(value).alias("flag"),
            pl.when(value.str.starts_with("[")).then(value).alias("list"),
        ],
    )


def _of_plain(column: pl.Series) -> Values:
    kind = column.dtype
    nothing = {"text": pl.String, "number": pl.Float64, "flag": pl.Boolean, "list": pl.String}
    made = {name: pl.lit(None, dtype) for name, dtype in nothing.items()}
    value = pl.lit(column)
    if kind.is_numeric():
        made["number"] = members.finite(value.cast(pl.Float64))
    elif kind == pl.Boolean:
        made["flag"] = value
    elif kind == pl.String or isinstance(kind, pl.Categorical | pl.Enum):
        made["text"] = value.cast(pl.String)
    else:
        return missing(len(column))
    return _listed(column.is_not_null(), [each.alias(name) for name, each in made.items()])


def _listed(present: pl.Series, kinds: Sequence[pl.Expr]) -> Values:
    """With the row for missing values behind all others."""
    frame = pl.DataFrame({"present": present}).with_columns(kinds)
    last = pl.DataFrame({"present": [False]})
    return Values(pl.concat([frame, last], how="diagonal"), None)
