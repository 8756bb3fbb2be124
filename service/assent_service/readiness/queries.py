"""The numbers of readiness, counted in the tables; this is the one place that says what they are.

All are of the last seven days, both ends included, by when a thing happened.

- governed: actions that guard decided on before they ran, of all actions. Blocked attempts are among both. Imported
  history has a decision too, made when it was recorded: it could stop nothing, so such an action is not governed.
- approval: approvals that an operator decided, of all that were asked for; those that expired or still wait were not.
- proof: actions whose proof holds, of a sample of them (`assent_service.proofs.sampling`).
- simulated: actions that a simulator made. They are in the shares, since they stand in for live ones.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from msgspec import Struct

from assent.contract.actions import ActionStatus
from assent.contract.readiness import LastTest
from assent_service.core.clock import DAY, naive
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger

TRIGGER = "connection test"
WINDOW = 7 * DAY

_COUNTS = """
    SELECT a.n, a.governed, a.simulated, p.n, p.decided, e.newest
    FROM (
        SELECT
            count(*) AS n,
            count(*) FILTER (WHERE decision_id IS NOT NULL AND source <> 'import') AS governed,
            count(*) FILTER (WHERE source = 'simulated') AS simulated
        FROM actions WHERE org_id = ? AND timestamp_start >= ? AND timestamp_start <= ?
    ) AS a
    CROSS JOIN (
        SELECT count(*) AS n, count(*) FILTER (WHERE state IN ('approved', 'denied')) AS decided
        FROM approvals WHERE org_id = ? AND requested_at >= ? AND requested_at <= ?
    ) AS p
    CROSS JOIN (
        SELECT max(created_at) AS newest FROM events WHERE org_id = ? AND created_at > ?
    ) AS e
"""

# Only operators can run the test, so what an agent's key made is none, whatever it calls itself.
_NEWEST_TEST = """
    SELECT action_id, created_at, status FROM actions
    WHERE org_id = ? AND "trigger" = ? AND source = 'live' AND created_by IN (
        SELECT key_id FROM api_keys WHERE org_id = ? AND role IN ('operator', 'admin')
    )
    ORDER BY created_at DESC, action_id DESC LIMIT 1
"""


class Counts(Struct, frozen=True):
    """`newest` is the time of the newest event that lies after the moment asked for, if there is one."""

    actions: int
    governed: int
    simulated: int
    asked: int
    decided: int
    newest: datetime | None


async def count(ledger: Ledger, org_id: str, now: int) -> Counts:
    """Raises `projection_behind` when the tables cannot follow the log."""
    window = [org_id, naive(now - WINDOW), naive(now)]
    (row,) = await ledger.read(_COUNTS, [*window, *window, org_id, naive(now)])
    actions, governed, simulated, asked, decided = (int(str(number)) for number in row[:5])
    return Counts(actions, governed, simulated, asked, decided, _aware(row[5]))


async def newest_test(ledger: Ledger, org_id: str) -> LastTest | None:
    """The newest connection test. Raises as `count` does."""
    rows = await ledger.read(_NEWEST_TEST, [org_id, TRIGGER, org_id])
    return _test(rows[0]) if rows else None


async def look(ledger: Ledger, org_id: str, now: int) -> tuple[Counts, LastTest | None]:
    """Both. Raises as `count` does."""
    return await asyncio.gather(count(ledger, org_id, now), newest_test(ledger, org_id))


def _test(row: Row) -> LastTest:
    action_id, created_at, status = row
    at = _aware(created_at)
    assert at is not None
    return LastTest(action_id=str(action_id), at=at, passed=status == ActionStatus.COMPLETED.value)


def _aware(value: object) -> datetime | None:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else None
