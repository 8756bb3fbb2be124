"""What happened in a simulated history, in the order in which it happened.

    OPENED    guard decided, the action was recorded, and an approval was asked for where guard wants one
    BELIEVED  an assumption was recorded
    DECIDED   an operator decided, or the approval expired
    JUDGED    somebody looked at an assumption
    ENDED     the outcome was reported

At the same microsecond that is the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import msgspec
import polars as pl

from assent_analytics.simulate import History

# The rows of a simulated history as they leave its frames. Times are microseconds since 1970, UTC.


T = TypeVar("T", bound="SimulatedRow")


class SimulatedRow(msgspec.Struct, frozen=True, gc=False):
    """Fields are the columns of the same names."""


class ActionRow(SimulatedRow, frozen=True, gc=False):
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


class ApprovalRow(SimulatedRow, frozen=True, gc=False):
    number: int
    state: str
    decided_at: int
    decided_by: str | None
    reasoning: str | None


class AssumptionRow(SimulatedRow, frozen=True, gc=False):
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


OPENED, BELIEVED, DECIDED, JUDGED, ENDED = range(5)


@dataclass(frozen=True)
class Slice:
    """Consecutive happenings: `kinds` in order, and for each of them the next row of its kind."""

    kinds: list[int]
    actions: list[ActionRow]
    believed: list[AssumptionRow]
    decided: list[ApprovalRow]
    judged: list[AssumptionRow]
    ended: list[ActionRow]


@dataclass(frozen=True)
class Happenings:
    """`order` has a row for each: its kind, and the `row` of its own frame."""

    order: pl.DataFrame
    actions: pl.DataFrame
    approvals: pl.DataFrame
    assumptions: pl.DataFrame


def happen(history: History) -> Happenings:
    """Everything that happened, put in order."""
    texts = history.with_text()
    actions = texts.actions.with_columns(history.decisions["matched"]).join(
        texts.approvals.select("number", "expires_at"), on="number", how="left", maintain_order="left"
    )
    approvals, assumptions = texts.approvals, texts.assumptions
    ended = actions["status"].cast(pl.String).is_in(["completed", "failed"])
    parts = [
        _part(OPENED, actions["timestamp_start"], None),
        _part(BELIEVED, assumptions["occurred_at"], None),
        _part(DECIDED, approvals["decided_at"], approvals["decided_at"].is_not_null()),
        _part(JUDGED, assumptions["validated_at"], assumptions["validated_at"].is_not_null()),
        _part(ENDED, actions["timestamp_end"], ended),
    ]
    return Happenings(pl.concat(parts).sort("at", "kind", "row").drop("at"), actions, approvals, assumptions)


def slices(happenings: Happenings, size: int) -> Iterator[Slice]:
    """The happenings in order, `size` at a time."""
    for part in happenings.order.iter_slices(size):
        rows = {kind: part.filter(pl.col("kind") == kind)["row"] for kind in range(5)}
        yield Slice(
            part["kind"].to_list(),
            read(happenings.actions[rows[OPENED]], ActionRow),
            read(happenings.assumptions[rows[BELIEVED]], AssumptionRow),
            read(happenings.approvals[rows[DECIDED]], ApprovalRow),
            read(happenings.assumptions[rows[JUDGED]], AssumptionRow),
            read(happenings.actions[rows[ENDED]], ActionRow),
        )


def _part(kind: int, at: pl.Series, where: pl.Series | None) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "at": at.dt.epoch("us"),
            "kind": pl.Series([kind], dtype=pl.UInt8).new_from_index(0, len(at)),
            "row": pl.int_range(len(at), dtype=pl.UInt32, eager=True),
        }
    )
    return frame if where is None else frame.filter(where)
