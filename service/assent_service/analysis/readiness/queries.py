"""The numbers of readiness, counted in the tables, and the unknown types of action; the one place that says what they
are.

All but one are of the last seven days, both ends included, by when a thing happened.

- governed: actions that guard decided on before they ran, of all actions. Blocked attempts are among both. Imported
  history has a decision too, made when it was recorded: it could stop nothing, so such an action is not governed.
- approval: approvals that an operator decided, of all that were asked for and not withdrawn; those that expired or
  still wait were not.
- proof: actions whose proof holds, of a sample of them (`assent_service.evidence.proofs.verifier`).
- self decisions: approvals that were decided with the key that had opened the action, of the last thirty days.
- simulated: actions that a simulator made. They are in the shares, since they stand in for live ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct

from assent.contract.analysis.readiness import KnownTypesSummary, LastTest, UnknownType
from assent.contract.control.actions import ActionStatus
from assent.contract.control.policies import Policy
from assent.contract.names import comparable
from assent_service.base.clock import DAY, naive
from assent_service.control.policies import known_types_of
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger

TRIGGER = "connection test"
WINDOW = 7 * DAY
SELF_DECISIONS = 30 * DAY

_COUNTS = """
    SELECT a.n, a.governed, a.simulated, p.n, p.decided, e.newest, s.n
    FROM (
        SELECT
            count(*) AS n,
            count(*) FILTER (WHERE decision_id IS NOT NULL AND source <> 'import') AS governed,
            count(*) FILTER (WHERE source = 'simulated') AS simulated
        FROM actions WHERE org_id = ? AND timestamp_start >= ? AND timestamp_start <= ?
    ) AS a
    CROSS JOIN (
        SELECT
            count(*) FILTER (WHERE state <> 'withdrawn') AS n,
            count(*) FILTER (WHERE state IN ('approved', 'denied')) AS decided
        FROM approvals WHERE org_id = ? AND requested_at >= ? AND requested_at <= ?
    ) AS p
    CROSS JOIN (
        SELECT max(created_at) AS newest FROM events WHERE org_id = ? AND created_at > ?
    ) AS e
    CROSS JOIN (
        SELECT count(*) AS n FROM approvals WHERE org_id = ? AND self_decided AND decided_at >= ? AND decided_at <= ?
    ) AS s
"""

# Only operators can run the test, so what an agent's key made is none, whatever it calls itself.
_NEWEST_TEST = """
    SELECT action_id, created_at, status FROM actions
    WHERE org_id = ? AND "trigger" = ? AND source = 'live' AND created_by IN (
        SELECT key_id FROM api_keys WHERE org_id = ? AND role IN ('operator', 'admin')
    )
    ORDER BY created_at DESC, action_id DESC LIMIT 1
"""


class ReadinessCounts(Struct, frozen=True):
    """`newest` is the time of the newest event that lies after the moment asked for, if there is one."""

    actions: int
    governed: int
    simulated: int
    asked: int
    decided: int
    newest: datetime | None
    self_decided: int = 0


async def count(ledger: Ledger, org_id: str, now: int) -> ReadinessCounts:
    """Raises `projection_behind` when the tables cannot follow the log."""
    window = [org_id, naive(now - WINDOW), naive(now)]
    month = [org_id, naive(now - SELF_DECISIONS), naive(now)]
    (row,) = await ledger.read(_COUNTS, [*window, *window, org_id, naive(now), *month])
    actions, governed, simulated, asked, decided = (int(str(number)) for number in row[:5])
    return ReadinessCounts(actions, governed, simulated, asked, decided, _aware(row[5]), int(str(row[6])))


async def newest_test(ledger: Ledger, org_id: str) -> LastTest | None:
    """The newest connection test. Raises as `count` does."""
    rows = await ledger.read(_NEWEST_TEST, [org_id, TRIGGER, org_id])
    return _test(rows[0]) if rows else None


async def look(ledger: Ledger, org_id: str, now: int) -> tuple[ReadinessCounts, LastTest | None]:
    """Both. Raises as `count` does."""
    return await asyncio.gather(count(ledger, org_id, now), newest_test(ledger, org_id))


def _test(row: Row) -> LastTest:
    action_id, created_at, status = row
    at = _aware(created_at)
    assert at is not None
    return LastTest(action_id=str(action_id), at=at, passed=status == ActionStatus.COMPLETED.value)


def _aware(value: object) -> datetime | None:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else None


# The types that agents asked about in the last 30 days and that are on no list of known ones.
#
# A type is known when every active policy of kind known_types has it, by the rule of names. Decisions that compared
# names letter by letter are counted under the name that they would have now. What a simulator made up is left out.


TYPES_WINDOW = 30 * DAY
MOST, MOST_AGENTS = 100, 10

_SEEN = f"""
    SELECT action_type, count(*), max(created_at), list(DISTINCT agent_id)[:{MOST_AGENTS}]
    FROM guard_decisions WHERE org_id = ? AND created_at >= ? AND source <> 'simulated'
    GROUP BY action_type ORDER BY max(created_at) DESC, action_type
"""


async def known_types(ledger: Ledger, org_id: str, policies: Sequence[Policy], now: int) -> KnownTypesSummary | None:
    """`policies` are the active ones that know types; None without any. Raises `projection_behind`."""
    if not policies:
        return None
    lists = [known_types_of(policy) for policy in policies]
    known = set.intersection(*({comparable(each) for each in listed} for listed in lists))
    unknown: dict[str, UnknownType] = {}
    for action_type, n, last, agents in await ledger.read(_SEEN, [org_id, naive(now - TYPES_WINDOW)]):
        key = comparable(str(action_type))
        if key in known:
            continue
        named = sorted(str(each) for each in agents if each is not None) if isinstance(agents, list) else []
        assert isinstance(last, datetime)
        before = unknown.get(key)
        unknown[key] = UnknownType(
            action_type=str(action_type) if before is None else before.action_type,
            count=int(str(n)) + (0 if before is None else before.count),
            last_seen=last.replace(tzinfo=UTC) if before is None else before.last_seen,
            agents=named if before is None else sorted({*named, *before.agents})[:MOST_AGENTS],
        )
    return KnownTypesSummary(
        known=sorted({each for listed in lists for each in listed if comparable(each) in known}),
        unknown=list(unknown.values())[:MOST],
        unknown_total=len(unknown),
    )
