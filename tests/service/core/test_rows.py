"""Rows that are older than a member have what an event that is older has."""

from __future__ import annotations

import msgspec

from assent.contract.actions import Action
from assent.contract.approvals import Approval
from assent_service.actions import ACTIONS
from assent_service.approvals import APPROVALS
from assent_service.core.rows import record
from assent_service.store.database import Row
from assent_service.store.tables import Kind, Table
from tests.service.actions.samples import an_action, an_approval

RECEIPT = {
    *("systems_touched", "parameters_digest", "act_digest", "conditions", "valid_until"),
    *("claimed_at", "claimed_by", "claim_idempotency_key", "refused_claims"),
}


def older_row(table: Table, of: msgspec.Struct, younger: set[str]) -> Row:
    """As the tables give it where these columns were added after the row."""
    members = {name: value for name, value in msgspec.structs.asdict(of).items() if name not in younger}
    values: list[object] = []
    for column in table.columns:
        value = members.get(column.name)
        kept = value is not None and column.kind is Kind.JSON
        values.append(msgspec.json.encode(value).decode() if kept else value)
    return tuple(values)


def test_an_approval_older_than_receipts_still_loads() -> None:
    old = an_approval(declared_goal="x", systems_touched=[], conditions=[], refused_claims=0)
    assert record(APPROVALS, older_row(APPROVALS, old, RECEIPT), Approval) == old
    event = {name: value for name, value in msgspec.to_builtins(old).items() if name not in RECEIPT}
    assert msgspec.convert(event, Approval, strict=False) == old


def test_an_action_older_than_parameters_and_externality_still_loads() -> None:
    old = an_action(declared_goal="x")
    younger = {"parameters_digest", "externality"}
    assert record(ACTIONS, older_row(ACTIONS, old, younger), Action) == old
    event = {name: value for name, value in msgspec.to_builtins(old).items() if name not in younger}
    assert msgspec.convert(event, Action, strict=False) == old
