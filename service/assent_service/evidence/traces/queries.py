"""What stands around an action, from the tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from assent.contract.control.actions import Action
from assent.contract.events import EventName
from assent.proof.certificate import CERTIFIED
from assent_service.control.actions import ACTIONS
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, record, select
from assent_service.evidence.traces.root_cause import Failure, PolicyEvent
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is

SUB_ACTIONS = 200
RELATED = 20
NEAR = timedelta(hours=1)
LOOKED_AT = 1000
"""The most failures and policy events that are looked at, newest first."""

Window = tuple[datetime, datetime]


async def sub_actions(ledger: Ledger, principal: Principal, action: Action) -> list[Action]:
    """The first 200 actions that name this one as their parent and that the caller may see, oldest first."""
    chosen = Filter(action.org_id)
    chosen.add("parent_action_id = ?", action.action_id)
    chosen.add("action_id <> ?", action.action_id)
    if not principal.sees(None):
        chosen.add(name_is("agent_id"), principal.agent_id)
    rows = await ledger.read(
        f"SELECT {select(ACTIONS)} FROM actions WHERE {chosen.where} ORDER BY created_at, action_id LIMIT ?",
        [*chosen.parameters, SUB_ACTIONS],
    )
    return [record(ACTIONS, row, Action) for row in rows]


async def related_actions(ledger: Ledger, action: Action, parents: Sequence[Action]) -> list[Action]:
    """What the same agent did within the hour before and after, newest first; neither parents nor sub-actions."""
    if action.agent_id is None:
        return []
    shown = [action.action_id, *(parent.action_id for parent in parents)]
    marks = ", ".join("?" * len(shown))
    rows = await ledger.read(
        f"SELECT {select(ACTIONS)} FROM actions WHERE org_id = ? AND {name_is('agent_id')} "
        "AND timestamp_start >= ? AND timestamp_start <= ? "
        f"AND action_id NOT IN ({marks}) AND (parent_action_id IS NULL OR parent_action_id <> ?) "
        "ORDER BY timestamp_start DESC, action_id DESC LIMIT ?",
        [
            action.org_id,
            action.agent_id,
            _naive(action.timestamp_start - NEAR),
            _naive(action.timestamp_start + NEAR),
            *shown,
            action.action_id,
            RELATED,
        ],
    )
    return [record(ACTIONS, row, Action) for row in rows]


async def last_certified(ledger: Ledger, action: Action) -> int | None:
    """Where in the log the last of the events stands that the action's proof is made of."""
    types = sorted(str(each) for each in CERTIFIED)
    marks = ", ".join("?" * len(types))
    rows = await ledger.read(
        f"SELECT max(n) FROM events WHERE org_id = ? AND action_id = ? AND type IN ({marks})",
        [action.org_id, action.action_id, *types],
    )
    last = rows[0][0]
    return None if last is None else int(str(last))


async def failures(ledger: Ledger, action: Action, window: Window) -> list[Failure]:
    """Other failures of the same agent and type, newest first."""
    rows = await ledger.read(
        "SELECT action_id, coalesce(timestamp_end, created_at) AS ended_at FROM actions "
        f"WHERE org_id = ? AND {name_is('agent_id')} AND action_type = ? AND status = 'failed' AND action_id <> ? "
        "AND coalesce(timestamp_end, created_at) >= ? AND coalesce(timestamp_end, created_at) <= ? "
        "ORDER BY ended_at DESC, action_id DESC LIMIT ?",
        [
            action.org_id,
            action.agent_id,
            action.action_type,
            action.action_id,
            *map(_naive, window),
            LOOKED_AT,
        ],
    )
    return [Failure(str(action_id), _aware(ended_at)) for action_id, ended_at in rows]


async def policy_events(ledger: Ledger, org_id: str, window: Window) -> list[PolicyEvent]:
    """Policies that were made, changed or removed after the first moment and up to the last, newest first."""
    rows = await ledger.read(
        "SELECT subject, type, created_at FROM events "
        "WHERE org_id = ? AND type IN (?, ?) AND created_at > ? AND created_at <= ? ORDER BY n DESC LIMIT ?",
        [
            org_id,
            EventName.POLICY_CREATED.value,
            EventName.POLICY_UPDATED.value,
            *map(_naive, window),
            LOOKED_AT,
        ],
    )
    return [PolicyEvent(str(policy_id), str(name), _aware(at)) for policy_id, name, at in rows]


def _naive(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(tzinfo=None)


def _aware(value: object) -> datetime:
    assert isinstance(value, datetime)
    return value.replace(tzinfo=UTC)
