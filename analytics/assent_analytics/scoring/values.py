"""The raw values that a scoring profile measures: a number, a member of the metadata, or whether a condition holds.

Whether a condition holds for each action, by the rules of `assent.contract.conditions`.

A field is looked for among the columns: numbers, texts, true and false as they are, `metadata` and the lists of an
action in their JSON. What no column is called may be a member of the column `context`, if there is one: the JSON of
whatever else is known of an action. Times are missing. The comparisons themselves are those of the backtest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeAlias

import polars as pl

from assent.contract.analysis.scales import DataSource, Dimension
from assent.contract.conditions import Compare, Condition, Op, parse
from assent_analytics.backtest.conditions import leaves, name_of, test, tree
from assent_analytics.backtest.database import ReplayDatabase
from assent_analytics.backtest.values import DecisionValues, missing
from assent_analytics.frames import Frame, need
from assent_analytics.scoring import members

JSON = frozenset({"metadata", "systems_touched", "side_effects", "artifacts_created", "externality"})
CONTEXT = "context"

Matched: TypeAlias = "Mapping[str, Mapping[str, pl.Series]]"
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


def _matched(values: Mapping[str, DecisionValues], asked: Sequence[Compare]) -> Matched:
    """Where each pattern is found among the texts of its field: DuckDB is opened once, and asked once for a field."""
    patterns: dict[str, list[str]] = {}
    for leaf in asked:
        patterns.setdefault(leaf.field, []).append(str(leaf.value))
    if not patterns:
        return {}
    with ReplayDatabase() as database:
        return {
            name: dict(zip(wanted, database.matches_each(values[name].frame["text"], wanted), strict=True))
            for name, wanted in patterns.items()
        }


def _look(matched: Matched, field: str, texts: pl.Series, pattern: str) -> pl.Series:
    return matched[field][pattern]


def _values(batch: pl.DataFrame, field: str) -> DecisionValues:
    top, _, rest = field.partition(".")
    if top in batch.columns and top != CONTEXT:
        column = batch[top]
        if _is_json(batch.schema, top):
            return _of_objects(column, rest) if rest else _of_json(members.whole(column))
        return missing(batch.height) if rest else _of_plain(column)
    return _of_objects(batch[CONTEXT], field) if CONTEXT in batch.columns else missing(batch.height)


def _of_objects(objects: pl.Series, path: str) -> DecisionValues:
    return _of_json(members.found(objects, path))


def _of_json(written: pl.Series) -> DecisionValues:
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


def _of_plain(column: pl.Series) -> DecisionValues:
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


def _listed(present: pl.Series, kinds: Sequence[pl.Expr]) -> DecisionValues:
    """With the row for missing values behind all others."""
    frame = pl.DataFrame({"present": present}).with_columns(kinds)
    last = pl.DataFrame({"present": [False]})
    return DecisionValues(pl.concat([frame, last], how="diagonal"), None)


# The raw value of each dimension: a number, what stands in the metadata, or whether a condition holds.
#
# A number is the action's own, else the one of that name in its metadata; NaN and infinity are no value. `tokens_total`
# is a column of that name where there is one, else what was read and written together.


METADATA = "metadata"
_READ_AND_WRITTEN = ("tokens_in", "tokens_out")


def raw_value(dimension: Dimension, schema: pl.Schema) -> pl.Expr:
    """Float64 of a number, Boolean of a condition, and of a metadata field a value as `members` writes it."""
    if dimension.data_source is DataSource.CONDITION:
        return holds(parse(dimension.data_config["when"]), schema)
    if dimension.data_source is DataSource.METADATA_FIELD:
        return _metadata(schema, str(dimension.data_config["field"]))
    return _number(dimension.data_source.value, schema)


def with_eval_scores(actions: Frame, scores: Frame) -> pl.LazyFrame:
    """The actions with `eval_score`: the latest of the evaluation scores (`client.frame("scores")`) of each."""
    key = pl.col("action_id").cast(pl.String)
    latest = (
        need(scores, ("action_id", "score", "created_at"), "scores")
        .with_columns(key)
        .group_by("action_id")
        .agg(pl.col("score").sort_by(_order(scores)).last().alias("eval_score"))
    )
    frame = need(actions, ("action_id",), "actions").drop("eval_score", strict=False)
    return frame.with_columns(key).join(latest, on="action_id", how="left", maintain_order="left")


def _order(scores: Frame) -> Sequence[str]:
    # Ids sort by when they were made, which settles scores of one microsecond.
    return ["created_at", "id"] if "id" in scores.lazy().collect_schema().names() else ["created_at"]


def _number(name: str, schema: pl.Schema) -> pl.Expr:
    own = [_column(name, schema)] if name in schema else []
    if name == DataSource.TOKENS_TOTAL:
        halves = [_column(half, schema) for half in _READ_AND_WRITTEN if half in schema]
        if halves:
            known = pl.any_horizontal([half.is_not_null() for half in halves])
            own.append(pl.when(known).then(pl.sum_horizontal(halves)))
    if METADATA not in schema:
        return pl.coalesce(own) if own else pl.lit(None, pl.Float64)
    if not own:
        return members.number_at(members.column(schema, METADATA), name)
    value = pl.coalesce(own)
    rest = pl.when(value.is_null()).then(members.column(schema, METADATA))
    return pl.coalesce(value, members.number_at(rest, name))


def _column(name: str, schema: pl.Schema) -> pl.Expr:
    kind = schema[name]
    if kind != pl.Null and not kind.is_numeric():
        raise ValueError(f"{name} is a column of {kind}; give numbers")
    return members.finite(pl.col(name).cast(pl.Float64))


def _metadata(schema: pl.Schema, path: str) -> pl.Expr:
    if METADATA not in schema:
        return pl.lit(None, pl.String)
    return members.at(members.column(schema, METADATA), path)
