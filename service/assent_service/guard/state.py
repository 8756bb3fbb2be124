"""What guard remembers: each agent's history, how often it acted lately, and the decisions just made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from assent.contract.actions import ActionStatus
from assent.contract.events import EventName
from assent.contract.guard import Source
from assent_service.core.clock import DAY, HOUR, Clock, microseconds, naive
from assent_service.core.payload import decode, encode
from assent_service.core.rows import record, select
from assent_service.guard.history import Histories
from assent_service.guard.rates import RateWindow
from assent_service.guard.recent import KEEP, NEWEST, Recent
from assent_service.guard.recorded import RecordedDecision
from assent_service.guard.tables import GUARD_DECISIONS
from assent_service.store.database import Row
from assent_service.store.event import Event
from assent_service.store.ledger import Read

LONGEST_WINDOW = 7 * DAY
COUNTED = "status <> 'blocked'"
HAPPENED = f"source <> '{Source.SIMULATED}'"
"""What a simulator made up says nothing about a real agent that goes by the same name."""


class Change(msgspec.Struct, frozen=True):
    """What an update replaced."""

    replaced: dict[str, object]


class Seen(msgspec.Struct, frozen=True):
    """What guard looks at in an action."""

    org_id: str
    action_id: str
    agent_id: str | None
    action_type: str
    status: ActionStatus
    risk_score: float
    decision_id: str
    source: Source
    timestamp_start: datetime
    created_at: datetime
    change: Change | None = None


class Erased(msgspec.Struct, frozen=True):
    """What guard looks at in an erasure."""

    decision_id: str | None


class RatesQuery(msgspec.Struct, frozen=True):
    """A question to the tables about one organization's recent actions, `reach` for each agent."""

    org_id: str
    reach: int
    sql: str
    parameters: list[object]


class GuardState:
    """Fold of decisions and actions. `largest(org)` is the largest rate limit of the organization's policies."""

    types = frozenset(
        {
            EventName.GUARD_DECISION_CREATED.value,
            EventName.ACTION_CREATED.value,
            EventName.ACTION_UPDATED.value,
            EventName.EVIDENCE_ERASED.value,
        }
    )

    def __init__(self, clock: Clock, largest: Callable[[str], int]) -> None:
        self._clock, self._largest = clock, largest
        self.histories = Histories()
        self.recent = Recent()
        self._rates: dict[str, RateWindow] = {}
        self._reach: dict[str, int] = {}
        self._reserved: set[tuple[str, str]] = set()

    # Rate limits

    def rates(self, org_id: str) -> RateWindow:
        window = self._rates.get(org_id)
        if window is None:
            window = self._rates[org_id] = RateWindow(self._largest(org_id))
        return window

    def needs_more(self, org_id: str) -> bool:
        """Whether the organization's policies look further back than its window was filled for."""
        return self._largest(org_id) > self._reach.get(org_id, 0)

    def reserve(self, org_id: str, action_id: str, agent_id: str | None, at: int) -> None:
        """Count an action that is about to be recorded, so that the one decided next sees it."""
        if agent_id is not None:
            self.rates(org_id).reserve(agent_id, at)
            self._reserved.add((org_id, action_id))

    def release(self, org_id: str, action_id: str, agent_id: str | None, at: int) -> None:
        """Take a reservation back when its action was not recorded."""
        if (org_id, action_id) in self._reserved:
            self._reserved.discard((org_id, action_id))
            self.rates(org_id).release(str(agent_id), at)

    def rates_query(self, org_id: str) -> RatesQuery:
        """What `fill_rates` takes the rows of: the newest actions of each agent, as many as a policy can ask for."""
        reach = self._largest(org_id)
        sql = f"""
            SELECT agent_id, epoch_us(created_at) FROM (
                SELECT agent_id, created_at,
                       row_number() OVER (PARTITION BY agent_id ORDER BY created_at DESC) AS newest
                FROM actions
                WHERE org_id = ? AND created_at >= ? AND agent_id IS NOT NULL AND source = 'live' AND {COUNTED}
            ) AS ranked WHERE newest <= ? ORDER BY created_at
        """
        return RatesQuery(org_id, reach, sql, [org_id, naive(self._clock() - LONGEST_WINDOW), reach])

    def fill_rates(self, asked: RatesQuery, rows: Sequence[Row]) -> None:
        """Make the window anew from the tables, which a policy with a larger limit needs; what was reserved or folded
        since they were asked stays."""
        window = RateWindow(asked.reach)
        for agent_id, at in rows:
            window.reserve(str(agent_id), int(str(at)))
        window.include(self.rates(asked.org_id))
        self._rates[asked.org_id], self._reach[asked.org_id] = window, asked.reach

    # Fold

    def load(self, read: Read) -> None:
        now = self._clock()
        self._load_histories(read, now)
        for (org_id,) in read("SELECT org_id FROM organizations", []):
            if self._largest(str(org_id)):
                asked = self.rates_query(str(org_id))
                self.fill_rates(asked, read(asked.sql, asked.parameters))
        self._load_recent(read, now)

    def _load_histories(self, read: Read, now: int) -> None:
        oldest = naive((now // DAY - 31) * DAY)
        for org, agent, kind, day, total, failed, risk in read(
            f"""
            SELECT org_id, agent_id, action_type, epoch_us(timestamp_start) // {DAY}, count(*),
                   count(*) FILTER (WHERE status = 'failed'), sum(risk_score)
            FROM actions WHERE timestamp_start >= ? AND {HAPPENED} AND {COUNTED} GROUP BY ALL
            """,
            [oldest],
        ):
            track = self.histories.track(str(org), _name(agent), str(kind))
            track.add(int(str(day)) * DAY, total=int(str(total)), failed=int(str(failed)), risk=float(str(risk)))
            track.minutes.clear()
        hour_ago = naive(now - 2 * HOUR)
        for org, agent, kind, minute, total in read(
            f"""
            SELECT org_id, agent_id, action_type, epoch_us(timestamp_start) // 60000000, count(*)
            FROM actions WHERE timestamp_start >= ? AND {HAPPENED} AND {COUNTED} GROUP BY ALL
            """,
            [hour_ago],
        ):
            self.histories.track(str(org), _name(agent), str(kind)).minutes[int(str(minute))] = int(str(total))

    def _load_recent(self, read: Read, now: int) -> None:
        sql = f"{unused()} ORDER BY d.created_at DESC LIMIT {NEWEST}"
        for row in reversed(read(sql, [naive(now - KEEP)] * 2)):
            recorded = record(GUARD_DECISIONS, row, RecordedDecision)
            at = microseconds(recorded.created_at)
            self.recent.add(recorded.org_id, recorded.decision_id, at, encode(recorded))

    def fold(self, event: Event) -> None:
        if event.data is None:
            return
        if event.type == EventName.GUARD_DECISION_CREATED.value:
            self.recent.add(event.org, event.subject, event.ts, event.data)
            return
        if event.type == EventName.EVIDENCE_ERASED.value:
            # Counts hold no content: an erased action counts for as long as this memory lives.
            self.recent.use(event.org, str(decode(event, Erased).decision_id))
            return
        seen = decode(event, Seen)
        if event.type == EventName.ACTION_CREATED.value:
            self._created(seen)
        else:
            self._updated(seen)

    def _created(self, seen: Seen) -> None:
        self.recent.use(seen.org_id, seen.decision_id)
        key = (seen.org_id, seen.action_id)
        if key in self._reserved:
            self._reserved.discard(key)
        elif seen.agent_id is not None and seen.source is Source.LIVE and _counts(seen.status):
            self.rates(seen.org_id).reserve(seen.agent_id, microseconds(seen.created_at))
        if _counts(seen.status):
            self._add(seen, 1, _failed(seen.status))

    def _updated(self, seen: Seen) -> None:
        before = seen.change.replaced.get("status") if seen.change else None
        if before is None:
            return
        old = ActionStatus(str(before))
        total = _counts(seen.status) - _counts(old)
        if total > 0 and seen.agent_id is not None and seen.source is Source.LIVE:
            # A blocked attempt that ran after all.
            self.rates(seen.org_id).reserve(seen.agent_id, microseconds(seen.created_at))
        self._add(seen, total, _failed(seen.status) - _failed(old))

    def _add(self, seen: Seen, total: int, failed: int) -> None:
        if (total or failed) and seen.source is not Source.SIMULATED:
            track = self.histories.track(seen.org_id, seen.agent_id, seen.action_type)
            at = microseconds(seen.timestamp_start)
            track.add(at, total=total, failed=failed, risk=seen.risk_score * total)


def unused(condition: str = "true") -> str:
    """A query of decisions newer than its first parameter that no action newer than its last one has used."""
    return f"""
        SELECT {select(GUARD_DECISIONS, "d")} FROM guard_decisions AS d
        WHERE d.created_at > ? AND {condition} AND NOT EXISTS (
            SELECT 1 FROM actions AS a
            WHERE a.org_id = d.org_id AND a.decision_id = d.decision_id AND a.created_at > ?
        )
    """


def _counts(status: ActionStatus) -> int:
    return int(status is not ActionStatus.BLOCKED)


def _failed(status: ActionStatus) -> int:
    return int(status is ActionStatus.FAILED)


def _name(value: object) -> str | None:
    return None if value is None else str(value)
