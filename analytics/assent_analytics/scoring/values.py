"""The raw value of each dimension: a number, what stands in the metadata, or whether a condition holds.

A number is the action's own, else the one of that name in its metadata; NaN and infinity are no value. `tokens_total`
is a column of that name where there is one, else what was read and written together.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assent.contract.conditions import parse
from assent.contract.scales import DataSource, Dimension
from assent_analytics.frames import Frame, need
from assent_analytics.scoring import members
from assent_analytics.scoring.conditions import holds

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
