"""What is served as data, made from what the nouns declare: the tables, and for each the columns that leave the house.

Left out are `org_id`, which every row of an answer shares; what makes requests repeatable; and where an event stands in
the log, because its global number would tell one organization how much the others record. Outcomes have no table of
their own: they are the actions that have ended, seen from their end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assent.contract.data import MEDIA_TYPES, DataColumn, DataDescription, DataDictionary, DataTable
from assent_service.actions import ACTIONS
from assent_service.approvals import APPROVALS
from assent_service.assumptions import ASSUMPTIONS
from assent_service.guard import GUARD_DECISIONS
from assent_service.store.tables import EVENTS, Column, Kind, Table

FILTERS = ("agent_id", "action_type", "source", "status", "decision")
KINDS: dict[Kind, str] = {
    Kind.TEXT: "text",
    Kind.INTEGER: "integer",
    Kind.NUMBER: "number",
    Kind.BOOLEAN: "boolean",
    Kind.TIME: "time",
    Kind.JSON: "json",
}
PRIVATE = frozenset({"org_id", "idempotency_key", "request_digest"})


@dataclass(frozen=True)
class Dataset:
    """`table` is where the rows are, `only` a condition on them. `time` is what a window counts by."""

    name: DataTable
    meaning: str
    table: Table
    time: str
    columns: tuple[Column, ...]
    only: str | None = None

    @property
    def filters(self) -> list[str]:
        present = {column.name for column in self.columns}
        return [name for name in FILTERS if name in present]


def _without(table: Table, *private: str) -> tuple[Column, ...]:
    return tuple(column for column in table.columns if column.name not in PRIVATE and column.name not in private)


def _chosen(table: Table, names: Iterable[str]) -> tuple[Column, ...]:
    by_name = {column.name: column for column in table.columns}
    return tuple(by_name[name] for name in names)


OUTCOME = (
    *("action_id", "agent_id", "agent_name", "swarm_id", "session_id", "action_type", "status"),
    *("output_summary", "error_message", "side_effects", "artifacts_created"),
    *("timestamp_start", "timestamp_end", "duration_ms", "cost_estimate", "tokens_in", "tokens_out", "model"),
    *("risk_score", "agent_risk_score", "confidence", "decision", "decision_id", "approval_id"),
    *("runtime", "source", "created_at", "updated_at", "revision"),
)

DATASETS: dict[DataTable, Dataset] = {
    each.name: each
    for each in (
        Dataset(DataTable.ACTIONS, ACTIONS.meaning, ACTIONS, "timestamp_start", _without(ACTIONS)),
        Dataset(
            DataTable.DECISIONS, GUARD_DECISIONS.meaning, GUARD_DECISIONS, "occurred_at", _without(GUARD_DECISIONS)
        ),
        Dataset(DataTable.APPROVALS, APPROVALS.meaning, APPROVALS, "requested_at", _without(APPROVALS)),
        Dataset(DataTable.ASSUMPTIONS, ASSUMPTIONS.meaning, ASSUMPTIONS, "occurred_at", _without(ASSUMPTIONS)),
        Dataset(
            DataTable.OUTCOMES,
            "how actions ended, one row for each that a report or the service itself has ended",
            ACTIONS,
            "timestamp_end",
            _chosen(ACTIONS, OUTCOME),
            only="timestamp_end IS NOT NULL",
        ),
        Dataset(
            DataTable.EVENTS,
            "every recorded event, without what it says",
            EVENTS,
            "created_at",
            _without(EVENTS, "seq", "segment", "position", "length"),
        ),
    )
}
"""In the order of `DataTable`, which a test holds."""


def dictionary() -> DataDictionary:
    """What each table and column means, from the declarations that fill them."""
    return DataDictionary(
        tables=[_described(dataset) for dataset in DATASETS.values()],
        formats={each.value: media_type for each, media_type in MEDIA_TYPES.items()},
    )


def _described(dataset: Dataset) -> DataDescription:
    return DataDescription(
        name=dataset.name.value,
        meaning=dataset.meaning,
        key=dataset.table.key,
        time=dataset.time,
        filters=dataset.filters,
        columns=[
            DataColumn(name=each.name, type=KINDS[each.kind], unit=each.unit, meaning=each.meaning)
            for each in dataset.columns
        ],
    )
