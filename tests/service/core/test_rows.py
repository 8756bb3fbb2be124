"""Rows that are older than a member have what an older event has, and a row is found in its own organization alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent_service.control.actions import ACTIONS
from assent_service.control.approvals import APPROVALS
from assent_service.core.rows import find_row, record
from assent_service.store.database import Row
from assent_service.store.tables import ColumnKind, Table
from tests.service.control.actions.samples import an_action, an_approval
from tests.service.control.actions.world import opened

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
        kept = value is not None and column.kind is ColumnKind.JSON
        values.append(msgspec.json.encode(value).decode() if kept else value)
    return tuple(values)


def test_an_approval_older_than_receipts_still_loads() -> None:
    old = an_approval(declared_goal="x", systems_touched=[], conditions=[], refused_claims=0)
    assert record(APPROVALS, older_row(APPROVALS, old, RECEIPT), Approval) == old
    event = {name: value for name, value in msgspec.to_builtins(old).items() if name not in RECEIPT}
    assert msgspec.convert(event, Approval, strict=False) == old


def test_an_action_older_than_parameters_and_externality_still_loads() -> None:
    old = an_action(declared_goal="x")
    younger = {"parameters_digest", "externality", "action_type_as_sent", "outcome_marks", "replaces"}
    assert record(ACTIONS, older_row(ACTIONS, old, younger), Action) == old
    event = {name: value for name, value in msgspec.to_builtins(old).items() if name not in younger}
    assert msgspec.convert(event, Action, strict=False) == old


@pytest.mark.parametrize("chosen", [{}, {"action_id": "a-1"}], ids=["an id of ours", "an id of theirs"])
async def test_a_row_of_another_organization_is_not_found(tmp_path: Path, chosen: dict[str, Any]) -> None:
    async with opened(tmp_path) as world:
        stranger = await world.stranger()
        action = await world.act(**chosen)
        ledger, id_ = world.service.ledger, action.action_id
        assert await find_row(ledger, ACTIONS, Action, world.org_id, id_) == action
        assert await find_row(ledger, ACTIONS, Action, stranger.org_id, id_) is None
