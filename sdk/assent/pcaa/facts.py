"""What the rules look at of one action, out of records or of rows as JSON has them; and how far guard reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import Source
from assent.contract.evidence.pcaa import ENFORCEABILITY, Enforceability
from assent.contract.prepared import prepared
from assent.contract.record import Record

Row = Record | Mapping[str, Any]
"""A record, or the same as JSON has it."""

_Read = TypeVar("_Read")


class ActionFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of one action that the rules look at; an empty text is as good as None.

    `risk_score` is the service's, 0 to 100. Times are aware. `assumptions` are pairs of the id and the basis, the
    newest last. The approval is the last one that was asked for; `approval_state` is None when none was. Values of
    enums are their texts; ones that nobody knows are allowed.
    """

    action_id: str | None
    decision: str | None
    decision_id: str | None
    status: str | None
    risk_score: float | None
    runtime: str | None
    source: str | None
    declared_goal: str | None
    timestamp_start: datetime | None
    approved_at: datetime | None
    output_summary: str | None
    error_message: str | None
    assumptions: tuple[tuple[str, str | None], ...] = ()
    approval_state: str | None = None
    approval_decided_by: str | None = None


_OF_ACTION = (
    *("action_id", "decision", "decision_id", "status", "risk_score", "runtime", "source", "declared_goal"),
    *("timestamp_start", "approved_at", "output_summary", "error_message"),
)
"""The facts that an action's own row has."""


class _OfAssumption(msgspec.Struct):
    assumption_id: str
    basis: str | None
    action_id: str | None = None
    created_at: datetime | None = None


class _OfApproval(msgspec.Struct):
    state: str | None
    decided_by: str | None
    action_id: str | None = None


def facts_of(action: Action, assumptions: Sequence[Assumption] = (), approval: Approval | None = None) -> ActionFacts:
    """The facts of an action's records; assumptions in any order, and those of other actions are ignored."""
    return facts_from(action, assumptions, approval)


def facts_from(action: Row, assumptions: Sequence[Row] = (), approval: Row | None = None) -> ActionFacts:
    """The facts of rows as JSON has them (times as RFC 3339 texts; without an offset they are UTC) or of records.

    Members that the rules do not look at may be missing or there. An assumption needs `assumption_id` and `basis`, an
    approval `state` and `decided_by`; where they name another action, they are ignored. Assumptions are ordered by
    `created_at` where all of them have it, else they are taken to come oldest first.

    Raises ValueError that names the member which is missing or of another type.
    """
    row = _plain(action)
    found = _read({name: row[name] for name in _OF_ACTION if name in row}, ActionFacts, "the action")
    asked = None if approval is None else _read(_plain(approval), _OfApproval, "the approval")
    if asked is not None and asked.action_id not in (None, found.action_id):
        asked = None
    return msgspec.structs.replace(
        found,
        timestamp_start=_utc(found.timestamp_start),
        approved_at=_utc(found.approved_at),
        assumptions=_believed(assumptions, found.action_id),
        approval_state=None if asked is None else asked.state,
        approval_decided_by=None if asked is None else asked.decided_by,
    )


def _believed(assumptions: Sequence[Row], action_id: str | None) -> tuple[tuple[str, str | None], ...]:
    """The id and the basis of an action's assumptions, the newest last."""
    found = [_read(_plain(each), _OfAssumption, "an assumption") for each in assumptions]
    own = [each for each in found if each.action_id in (None, action_id)]
    moments = [at for each in own if (at := _utc(each.created_at)) is not None]
    if len(moments) == len(own):
        recorded = sorted(zip(moments, own, strict=True), key=lambda pair: (pair[0], pair[1].assumption_id))
        own = [each for _, each in recorded]
    return tuple((each.assumption_id, each.basis) for each in own)


def _plain(row: Row) -> dict[str, Any]:
    plain = msgspec.to_builtins(row) if isinstance(row, Record) else row
    return dict(plain)


def _read(row: dict[str, Any], kind: type[_Read], what: str) -> _Read:
    try:
        return msgspec.convert(row, prepared(kind))
    except msgspec.ValidationError as problem:
        raise ValueError(f"{what} cannot be judged: {problem}") from None


def _utc(at: datetime | None) -> datetime | None:
    if at is None:
        return None
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"the moment {at.isoformat()} is before the year 1 or after 9999 in UTC") from None


def enforceability_of(runtime: str | None, source: str | None) -> Enforceability:
    """How far guard reaches into an action, by its runtime profile and its source.

    - SDK service runtime (`sdk_service`): the agent asks before it acts, so guard enforces before anything executes.
    - Local coding assistant and governed coding agent (`coding_assistant`, `coding_agent`): a hook of the runtime is
      between the agent and its tools; it sees calls, and nothing of what the agent believes.
    - Imported evidence (`evidence_import`, or source `import` whatever the runtime): it happened before, so guard can
      only look at it.

    Any other runtime is taken for an SDK service, the one that owes most.
    """
    if source == Source.IMPORT:
        return Enforceability.OBSERVE_ONLY
    return ENFORCEABILITY.get(runtime or "", Enforceability.ENFORCE_BEFORE_EXECUTE)
