"""What is served, held against what the nouns declare."""

from __future__ import annotations

import pytest

from assent.contract.analysis.data import DataTable
from assent_service.analysis.data.datasets import DATASETS, KINDS, Dataset, dictionary
from assent_service.app import TABLES
from assent_service.store.tables import ColumnKind

WITHHELD: dict[str, set[str]] = {
    "messages": {"subject", "body", "doc_ref", "attachments", "audience"},
    "message_threads": {"name", "summary"},
    "webhooks": {"url", "description", "hint", "fingerprint", "sealed"},
    "webhook_deliveries": {"response_excerpt", "error"},
    DataTable.ERASURES: {"also", "key_digest"},
    DataTable.EVENTS: {"seq", "segment", "position", "length"},
    DataTable.INJECTION_SCANS: {"findings"},
    DataTable.ROUTING_TASKS: {"description", "callback_url", "result", "error"},
}
"""What only those may read to whom it was said."""
SETTINGS = "what admins set, with an operation that lists it"
NOTES = "what people wrote down, with an operation that reads it"
AMONG_OPERATORS = "what no agent reads, with an operation that lists it"
COUNTS = "counts of its own, which the operations and the other tables answer with"
NOT_SERVED: dict[str, str] = {
    **dict.fromkeys(("organizations", "api_keys", "policies", "halts", "risk_templates", "allowed_texts"), SETTINGS),
    **dict.fromkeys(("scorers", "scoring_profiles", "scoring_dimensions", "routing_agents"), SETTINGS),
    **dict.fromkeys(("recommendation_switches", "recommendation_events"), SETTINGS),
    **dict.fromkeys(("records", "prompt_templates", "prompt_versions"), NOTES),
    **dict.fromkeys(("approval_comments", "snoozes", "assignments", "escalations"), AMONG_OPERATORS),
    "triage_plans": SETTINGS,
    "compliance_exports": NOTES,
    "compliance_schedules": SETTINGS,
    "rotas": SETTINGS,
    "flow_sessions": "what guard compares with, with an operation that lists it",
    "flow_told": "digests, of which nobody reads anything",
    **dict.fromkeys(("action_outcomes", "triage_requests", "evaluation_runs", "clock_jumps"), COUNTS),
}
"""Tables that no analyst is served, and why."""
EACH = pytest.mark.parametrize("dataset", DATASETS.values(), ids=lambda dataset: dataset.name.value)


def test_every_table_of_the_contract_is_served_in_its_order() -> None:
    assert list(DATASETS) == list(DataTable)
    assert [each.name for each in dictionary().tables] == list(DataTable)
    assert set(KINDS) == set(ColumnKind)


def test_every_table_is_served_or_left_out_for_a_reason() -> None:
    """A new table is declared as data in `contract/analysis/data.py` and `analysis/data/datasets.py`, or named here."""
    served = {each.table.name for each in DATASETS.values()}
    assert {each.name for each in TABLES} - served == NOT_SERVED.keys()


@EACH
def test_a_dataset_can_be_told_apart_windowed_and_filtered_by_its_own_columns(dataset: Dataset) -> None:
    kinds = {column.name: column.kind for column in dataset.columns}
    assert len(kinds) == len(dataset.columns)
    assert dataset.table.key in kinds
    assert kinds[dataset.time] is ColumnKind.TIME
    assert all(kinds[name] is ColumnKind.TEXT for name in dataset.filters)


def test_each_table_takes_the_filters_that_it_has_columns_for() -> None:
    of_actions = ["agent_id", "action_type", "source", "status", "decision"]
    assert {each.name: each.filters for each in dictionary().tables} == {
        "actions": of_actions,
        "decisions": ["agent_id", "action_type", "source", "decision"],
        "approvals": ["agent_id", "action_type"],
        "approval_questions": ["agent_id", "action_type"],
        "grants": ["action_type"],
        "assumptions": ["agent_id", "action_type", "source"],
        "loops": ["agent_id", "action_type", "source", "status"],
        "signals": ["agent_id"],
        "messages": [],
        "message_marks": ["agent_id"],
        "message_threads": ["status"],
        "agents": ["agent_id"],
        "agent_connections": ["agent_id", "status"],
        "handoffs": ["agent_id"],
        "threads": ["agent_id", "status"],
        "thread_entries": ["agent_id"],
        "key_points": ["agent_id"],
        "pairings": ["agent_id", "status"],
        "identities": ["agent_id"],
        "webhooks": [],
        "webhook_deliveries": ["status"],
        "erasures": ["agent_id"],
        "outcomes": of_actions,
        "feedback": ["agent_id", "action_type"],
        "prompt_runs": ["agent_id"],
        "scores": ["agent_id", "action_type", "source"],
        "drift_alerts": ["agent_id", "action_type", "source"],
        "profile_scores": ["agent_id", "action_type", "source"],
        "events": [],
        "token_usage": ["agent_id"],
        "routing_tasks": ["status"],
        "signing_keys": [],
        "injection_scans": ["agent_id"],
        "injection_findings": ["agent_id"],
        "auth_failures": [],
    }


@EACH
def test_nothing_leaves_that_is_the_services_own(dataset: Dataset) -> None:
    names = {column.name for column in dataset.columns}
    private = {"org_id", "request_digest", "signature_digest", "idempotency_key", "claim_idempotency_key"}
    private |= {"outcome_mark", "outcome_marks"}
    assert not names & (private | WITHHELD.get(dataset.name, set()))
    declared = {column.name for column in dataset.table.columns}
    assert names <= declared - {"org_id"}
    if dataset.only is None:
        # Whatever a noun declares is served unless it is private: a new column cannot be forgotten here.
        assert declared - names <= private | WITHHELD.get(dataset.name, set())


def test_numbers_with_a_unit_say_which() -> None:
    columns = {column.name: column for column in dictionary().tables[0].columns}
    assert (columns["duration_ms"].type, columns["duration_ms"].unit) == ("integer", "ms")
    assert (columns["cost_estimate"].type, columns["cost_estimate"].unit) == ("number", "USD")
    assert (columns["created_at"].type, columns["created_at"].unit) == ("time", "UTC")
    assert (columns["metadata"].type, columns["reversible"].type) == ("json", "boolean")
