"""What was recorded of a session: its own events, and those of the actions that name it."""

from __future__ import annotations

from datetime import UTC, datetime

from assent.contract.sessions import SESSION, SessionEvent, SessionEvents
from assent_service.core.principal import Principal
from assent_service.records.records import Records
from assent_service.store.ledger import Ledger

MOST = 1000


async def events_of(records: Records, ledger: Ledger, principal: Principal, session_id: str) -> SessionEvents:
    """Raises `record_not_found`. A key that is bound to an agent sees the events of that agent's actions only."""
    await records.visible(principal, SESSION, session_id)
    org_id = principal.org_id
    own = "SELECT action_id FROM actions WHERE org_id = ? AND session_id = ?"
    of_actions: list[object] = [org_id, session_id]
    if not principal.sees(None):
        own += " AND agent_id = ?"
        of_actions.append(principal.agent_id)
    rows = await ledger.read(
        "SELECT n, type, subject, action_id, actor, created_at, count(*) OVER () FROM events "
        f"WHERE org_id = ? AND (subject = ? OR action_id IN ({own})) ORDER BY n DESC LIMIT {MOST}",
        [org_id, session_id, *of_actions],
    )
    found = [
        SessionEvent(
            n=int(str(n)),
            type=str(type_),
            subject=str(subject),
            action_id=None if action_id is None else str(action_id),
            actor=str(actor),
            created_at=_aware(at),
        )
        for n, type_, subject, action_id, actor, at, _ in reversed(rows)
    ]
    return SessionEvents(events=found, total=int(str(rows[0][-1])) if rows else 0)


def _aware(at: object) -> datetime:
    assert isinstance(at, datetime)
    return at.replace(tzinfo=UTC)
