"""The rows of a simulated history as they leave its frames. Times are microseconds since 1970, UTC."""

from __future__ import annotations

from typing import TypeVar

import msgspec
import polars as pl

T = TypeVar("T", bound="Row")


class Row(msgspec.Struct, frozen=True, gc=False):
    """Fields are the columns of the same names."""


class ActionRow(Row, frozen=True, gc=False):
    number: int
    agent_id: str
    agent_name: str
    session_id: str
    action_type: str
    declared_goal: str
    systems_touched: str
    decision: str
    would_decide: str | None
    matched: int
    risk_score: float
    reversible: bool
    confidence: int
    model: str
    status: str
    timestamp_start: int
    timestamp_end: int | None
    duration_ms: int | None
    cost_estimate: float | None
    tokens_in: int | None
    tokens_out: int | None
    output_summary: str | None
    error_message: str | None
    expires_at: int | None


class ApprovalRow(Row, frozen=True, gc=False):
    number: int
    state: str
    decided_at: int
    decided_by: str | None
    reasoning: str | None


class AssumptionRow(Row, frozen=True, gc=False):
    number: int
    action_number: int
    agent_id: str
    action_type: str
    assumption: str
    basis: str
    validated: bool
    invalidated: bool
    invalidated_reason: str | None
    validated_at: int | None
    occurred_at: int


def read(frame: pl.DataFrame, row: type[T]) -> list[T]:
    """The frame's rows in its order."""
    columns = frame.select(
        pl.col(name).dt.epoch("us") if frame.schema[name].is_temporal() else pl.col(name)
        for name in row.__struct_fields__
    )
    return [row(*values) for values in columns.iter_rows()]
