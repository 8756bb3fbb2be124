"""What is served as data, made from what the nouns declare: the tables, and for each the columns that leave the house.

Left out are `org_id`, which every row of an answer shares; what makes requests repeatable; and where an event stands in
the log, because its global number would tell one organization how much the others record. Outcomes have no table of
their own: they are the actions that have ended, seen from their end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assent.contract.analysis.data import MEDIA_TYPES, DataColumn, DataDescription, DataDictionary, DataTable
from assent_service.analysis.drift import DRIFT_ALERTS
from assent_service.analysis.evaluations import SCORES
from assent_service.analysis.scoring import PROFILE_SCORES
from assent_service.control.actions import ACTIONS
from assent_service.control.approvals import APPROVALS
from assent_service.control.assumptions import ASSUMPTIONS
from assent_service.control.erasure import ERASURES
from assent_service.control.grants import GRANTS
from assent_service.control.guard import GUARD_DECISIONS
from assent_service.control.injection import INJECTION_FINDINGS, INJECTION_SCANS
from assent_service.control.loops import LOOPS
from assent_service.control.questions import APPROVAL_QUESTIONS
from assent_service.control.signals import SIGNALS
from assent_service.evidence.wallet import SIGNING_KEYS
from assent_service.exchange.feedback import FEEDBACK_TABLE
from assent_service.exchange.handoffs import HANDOFFS
from assent_service.exchange.key_points import KEY_POINTS
from assent_service.exchange.messages import MESSAGE_MARKS, MESSAGE_THREADS, MESSAGES
from assent_service.exchange.prompts import PROMPT_RUNS
from assent_service.exchange.records import TOKEN_USAGE
from assent_service.exchange.routing import ROUTING_TASKS
from assent_service.exchange.threads import THREAD_ENTRIES, THREADS
from assent_service.exchange.webhooks import WEBHOOK_DELIVERIES, WEBHOOKS
from assent_service.people.agents import AGENTS, CONNECTIONS
from assent_service.people.identities import IDENTITIES
from assent_service.people.keys import AUTH_FAILURES
from assent_service.people.pairings import PAIRINGS
from assent_service.store.tables import EVENTS, Column, ColumnKind, Table

FILTERS = ("agent_id", "action_type", "source", "status", "decision")
KINDS: dict[ColumnKind, str] = {
    ColumnKind.TEXT: "text",
    ColumnKind.INTEGER: "integer",
    ColumnKind.NUMBER: "number",
    ColumnKind.BOOLEAN: "boolean",
    ColumnKind.TIME: "time",
    ColumnKind.JSON: "json",
}
PRIVATE = frozenset(
    {"org_id", "idempotency_key", "request_digest", "signature_digest", "outcome_mark", "outcome_marks"}
)


@dataclass(frozen=True)
class Dataset:
    """`table` is where the rows are, `only` a condition on them. `time` is what a window counts by. `unfiltered` are
    columns that have the name of a filter and mean something else."""

    name: DataTable
    meaning: str
    table: Table
    time: str
    columns: tuple[Column, ...]
    only: str | None = None
    unfiltered: frozenset[str] = frozenset()

    @property
    def filters(self) -> list[str]:
        present = {column.name for column in self.columns} - self.unfiltered
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
        Dataset(
            DataTable.APPROVALS,
            APPROVALS.meaning,
            APPROVALS,
            "requested_at",
            _without(APPROVALS, "claim_idempotency_key"),
        ),
        Dataset(
            DataTable.APPROVAL_QUESTIONS,
            APPROVAL_QUESTIONS.meaning,
            APPROVAL_QUESTIONS,
            "created_at",
            _without(APPROVAL_QUESTIONS),
        ),
        Dataset(DataTable.GRANTS, GRANTS.meaning, GRANTS, "created_at", _without(GRANTS)),
        Dataset(DataTable.ASSUMPTIONS, ASSUMPTIONS.meaning, ASSUMPTIONS, "occurred_at", _without(ASSUMPTIONS)),
        Dataset(DataTable.LOOPS, LOOPS.meaning, LOOPS, "created_at", _without(LOOPS)),
        Dataset(DataTable.SIGNALS, SIGNALS.meaning, SIGNALS, "created_at", _without(SIGNALS)),
        # What agents write to each other is for its readers; who wrote to whom, when and how much is for analysts.
        Dataset(
            DataTable.MESSAGES,
            MESSAGES.meaning,
            MESSAGES,
            "created_at",
            _without(MESSAGES, "subject", "body", "doc_ref", "attachments", "audience"),
        ),
        Dataset(DataTable.MESSAGE_MARKS, MESSAGE_MARKS.meaning, MESSAGE_MARKS, "created_at", _without(MESSAGE_MARKS)),
        Dataset(
            DataTable.MESSAGE_THREADS,
            MESSAGE_THREADS.meaning,
            MESSAGE_THREADS,
            "created_at",
            _without(MESSAGE_THREADS, "name", "summary"),
        ),
        Dataset(DataTable.AGENTS, AGENTS.meaning, AGENTS, "last_seen", _without(AGENTS)),
        Dataset(DataTable.AGENT_CONNECTIONS, CONNECTIONS.meaning, CONNECTIONS, "updated_at", _without(CONNECTIONS)),
        Dataset(DataTable.HANDOFFS, HANDOFFS.meaning, HANDOFFS, "created_at", _without(HANDOFFS)),
        Dataset(DataTable.THREADS, THREADS.meaning, THREADS, "created_at", _without(THREADS)),
        Dataset(
            DataTable.THREAD_ENTRIES, THREAD_ENTRIES.meaning, THREAD_ENTRIES, "created_at", _without(THREAD_ENTRIES)
        ),
        Dataset(DataTable.KEY_POINTS, KEY_POINTS.meaning, KEY_POINTS, "created_at", _without(KEY_POINTS)),
        # Only admins see where webhooks lead: addresses of many receivers are secrets themselves.
        Dataset(DataTable.PAIRINGS, PAIRINGS.meaning, PAIRINGS, "created_at", _without(PAIRINGS)),
        Dataset(DataTable.IDENTITIES, IDENTITIES.meaning, IDENTITIES, "updated_at", _without(IDENTITIES)),
        Dataset(
            DataTable.WEBHOOKS,
            WEBHOOKS.meaning,
            WEBHOOKS,
            "created_at",
            _without(WEBHOOKS, "url", "description", "hint", "fingerprint", "sealed"),
        ),
        Dataset(
            DataTable.WEBHOOK_DELIVERIES,
            WEBHOOK_DELIVERIES.meaning,
            WEBHOOK_DELIVERIES,
            "created_at",
            _without(WEBHOOK_DELIVERIES, "response_excerpt", "error"),
        ),
        Dataset(
            DataTable.ERASURES,
            ERASURES.meaning,
            ERASURES,
            "erased_at",
            _without(ERASURES, "also", "key_digest"),
        ),
        Dataset(
            DataTable.OUTCOMES,
            "how actions ended, one row for each that a report or the service itself has ended",
            ACTIONS,
            "timestamp_end",
            _chosen(ACTIONS, OUTCOME),
            only="timestamp_end IS NOT NULL",
        ),
        # Its source is the giver's own word; the filter of that name asks whether a row is live, imported or simulated.
        Dataset(
            DataTable.FEEDBACK,
            FEEDBACK_TABLE.meaning,
            FEEDBACK_TABLE,
            "created_at",
            _without(FEEDBACK_TABLE, "source", "deleted_at"),
            only="deleted_at IS NULL",
        ),
        Dataset(DataTable.PROMPT_RUNS, PROMPT_RUNS.meaning, PROMPT_RUNS, "created_at", _without(PROMPT_RUNS)),
        Dataset(DataTable.SCORES, SCORES.meaning, SCORES, "created_at", _without(SCORES)),
        Dataset(
            DataTable.PROFILE_SCORES, PROFILE_SCORES.meaning, PROFILE_SCORES, "created_at", _without(PROFILE_SCORES)
        ),
        Dataset(
            DataTable.DRIFT_ALERTS,
            DRIFT_ALERTS.meaning,
            DRIFT_ALERTS,
            "detected_at",
            _without(DRIFT_ALERTS),
            only="deleted_at IS NULL",
        ),
        Dataset(
            DataTable.EVENTS,
            "every recorded event, without what it says",
            EVENTS,
            "created_at",
            _without(EVENTS, "seq", "segment", "position", "length"),
        ),
        Dataset(DataTable.TOKEN_USAGE, TOKEN_USAGE.meaning, TOKEN_USAGE, "created_at", _without(TOKEN_USAGE)),
        Dataset(
            DataTable.ROUTING_TASKS,
            ROUTING_TASKS.meaning,
            ROUTING_TASKS,
            "created_at",
            _without(ROUTING_TASKS, "description", "callback_url", "result", "error"),
        ),
        Dataset(DataTable.SIGNING_KEYS, SIGNING_KEYS.meaning, SIGNING_KEYS, "created_at", _without(SIGNING_KEYS)),
        # Their source is where a text came from; the filter of that name asks for live, imported or simulated rows.
        Dataset(
            DataTable.INJECTION_SCANS,
            INJECTION_SCANS.meaning,
            INJECTION_SCANS,
            "created_at",
            _without(INJECTION_SCANS, "findings"),
            unfiltered=frozenset({"source"}),
        ),
        Dataset(
            DataTable.INJECTION_FINDINGS,
            INJECTION_FINDINGS.meaning,
            INJECTION_FINDINGS,
            "created_at",
            _without(INJECTION_FINDINGS),
            unfiltered=frozenset({"source"}),
        ),
        Dataset(DataTable.AUTH_FAILURES, AUTH_FAILURES.meaning, AUTH_FAILURES, "created_at", _without(AUTH_FAILURES)),
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
