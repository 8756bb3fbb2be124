"""What guard remembers: each agent's history, how often it acted lately, and the decisions just made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import RecordedDecision, Source
from assent.contract.events import EventName
from assent.contract.names import comparable
from assent_service.base.clock import DAY, HOUR, MINUTE, Clock, microseconds, naive
from assent_service.base.memory import DEFAULT, MemoryBudget
from assent_service.control.guard.decisions import GUARD_DECISIONS
from assent_service.control.guard.history import DayCount, Histories, Key, RiskTrack, name_of
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.recent import KEEP, NEWEST, NEWEST_REPEATS, RecentDecisions, Repeats, scope
from assent_service.core.payload import decode, encode
from assent_service.core.rows import record, select
from assent_service.store.database import Row
from assent_service.store.event import Event
from assent_service.store.ledger import Read

LONGEST_WINDOW = 7 * DAY
RECALLED = 100_000
"""Rows that are read of a forgotten agent, the newest: more than a limit can count."""
COUNTED = "status <> 'blocked'"
KEYED = b'"idempotency_key":'
HAPPENED = f"source <> '{Source.SIMULATED}'"
"""What a simulator made up says nothing about a real agent that goes by the same name."""


class CountedChange(msgspec.Struct, frozen=True):
    """What an update replaced."""

    replaced: dict[str, object]


class CountedAction(msgspec.Struct, frozen=True):
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
    created_by: str | None = None
    change: CountedChange | None = None


class KeyedDecision(msgspec.Struct, frozen=True):
    """What guard looks at in a decision that was asked for with an idempotency key."""

    agent_id: str | None = None
    idempotency_key: str | None = None


class CountedErasure(msgspec.Struct, frozen=True):
    """What guard looks at in an erasure."""

    decision_id: str | None


class RatesQuery(msgspec.Struct, frozen=True):
    """A question to the tables about one organization's recent actions, `reach` for each agent, and for
    each agents' key that is bound to none; the rows say which it is."""

    org_id: str
    reach: int
    sql: str
    parameters: list[object]


class GuardState:
    """Fold of decisions and actions. `largest(org)` is the largest rate limit of the organization's policies,
    `unbound(org, key)` says whether a key is an agents' and bound to none: its actions count for it, too."""

    types = frozenset(
        {
            EventName.GUARD_DECISION_CREATED.value,
            EventName.ACTION_CREATED.value,
            EventName.ACTION_UPDATED.value,
            EventName.EVIDENCE_ERASED.value,
        }
    )

    def __init__(
        self,
        clock: Clock,
        largest: Callable[[str], int],
        unbound: Callable[[str, str], bool] = lambda _org, _key: False,
        memory: MemoryBudget = DEFAULT,
    ) -> None:
        self._clock, self._largest, self._unbound = clock, largest, unbound
        self.histories = Histories(memory)
        self.recent = RecentDecisions(memory)
        self.repeats = Repeats()
        self._rates: dict[str, RateWindow] = {}
        self._key_rates: dict[str, RateWindow] = {}
        self._reach: dict[str, int] = {}
        self._reserved: set[tuple[str, str]] = set()
        self._rates_budget = memory.of("rates")

    # Rate limits

    def rates(self, org_id: str) -> RateWindow:
        window = self._rates.get(org_id)
        if window is None:
            window = self._rates[org_id] = RateWindow(self._largest(org_id), self._rates_budget)
        return window

    def key_rates(self, org_id: str) -> RateWindow:
        """The same for agents' keys that are bound to none, by the key's id."""
        window = self._key_rates.get(org_id)
        if window is None:
            window = self._key_rates[org_id] = RateWindow(self._largest(org_id), self._rates_budget)
        return window

    def needs_more(self, org_id: str) -> bool:
        """Whether the organization's policies look further back than its window was filled for."""
        return self._largest(org_id) > self._reach.get(org_id, 0)

    def reserve(self, org_id: str, action_id: str, agent_id: str | None, key_id: str | None, at: int) -> None:
        """Count an action that is about to be recorded, so that the one decided next sees it. `key_id` is None for a
        key whose actions do not count for it."""
        if agent_id is not None:
            self.rates(org_id).reserve(comparable(agent_id), at)
        if key_id is not None:
            self.key_rates(org_id).reserve(key_id, at)
        self._reserved.add((org_id, action_id))

    def release(self, org_id: str, action_id: str, agent_id: str | None, key_id: str | None, at: int) -> None:
        """Take a reservation back when its action was not recorded."""
        if (org_id, action_id) in self._reserved:
            self._reserved.discard((org_id, action_id))
            if agent_id is not None:
                self.rates(org_id).release(comparable(agent_id), at)
            if key_id is not None:
                self.key_rates(org_id).release(key_id, at)

    def turn_back(self, by: int) -> None:
        """The clock was turned back by `by` microseconds: nobody is held up by what was counted before."""
        for window in (*self._rates.values(), *self._key_rates.values()):
            window.turn_back(self._clock(), by)

    def rates_query(self, org_id: str) -> RatesQuery:
        """What `fill_rates` takes the rows of: the newest actions of each agent, as many as a policy can ask for. One
        of a time still to come, from before the clock was set back, counts as one of now."""
        reach, now = self._largest(org_id), self._clock()
        of_agents = _newest("agent_id", "agent_id IS NOT NULL", now)
        of_keys = _newest(
            "created_by", "created_by IN (SELECT key_id FROM api_keys WHERE role = 'agent' AND agent_id IS NULL)", now
        )
        sql = f"SELECT false, * FROM ({of_agents}) UNION ALL SELECT true, * FROM ({of_keys})"
        return RatesQuery(org_id, reach, sql, [org_id, naive(now - LONGEST_WINDOW), reach] * 2)

    def fill_rates(self, asked: RatesQuery, rows: Sequence[Row]) -> None:
        """Make both windows anew from the tables, which a policy with a larger limit needs; what was reserved or folded
        since they were asked stays."""
        self._rates[asked.org_id] = _filled(
            RateWindow(asked.reach, self._rates_budget), rows, False, self.rates(asked.org_id)
        )
        self._key_rates[asked.org_id] = _filled(
            RateWindow(asked.reach, self._rates_budget), rows, True, self.key_rates(asked.org_id)
        )
        self._reach[asked.org_id] = asked.reach

    def rates_of_agent(self, org_id: str, agent_key: str) -> RatesQuery:
        """The times of an agent that the window has forgotten; `recall_rates` takes the rows. They are of whatever
        names may be the agent's."""
        reach, now = self._largest(org_id), self._clock()
        sql = f"""
            SELECT agent_id, least(epoch_us(created_at), {now}) FROM actions
            WHERE org_id = ? AND created_at >= ? AND {spelled("agent_id")} AND source = 'live' AND {COUNTED}
            ORDER BY created_at DESC LIMIT {RECALLED}
        """
        return RatesQuery(org_id, reach, sql, [org_id, naive(now - LONGEST_WINDOW), agent_key])

    def recall_rates(self, org_id: str, agent_key: str, rows: Sequence[Row]) -> None:
        times = [int(str(at)) for agent, at in rows if comparable(str(agent)) == agent_key]
        self.rates(org_id).recall(agent_key, times)

    # Fold

    def load(self, read: Read) -> None:
        now = self._clock()
        self._load_histories(read, now)
        for (org_id,) in read("SELECT org_id FROM organizations", []):
            if self._largest(str(org_id)):
                asked = self.rates_query(str(org_id))
                self.fill_rates(asked, read(asked.sql, asked.parameters))
        self._load_recent(read, now)
        self._load_repeats(read, now)

    def _load_histories(self, read: Read, now: int) -> None:
        for org, agent, kind, *counts in read(days_of_histories(), [oldest_day(now)]):
            self.histories.load_day(name_of(str(org), _name(agent), str(kind)), *day_count(counts))
        for org, agent, kind, *counts in read(minutes_of_histories(), [oldest_minute(now)]):
            self.histories.load_minute(name_of(str(org), _name(agent), str(kind)), *minute_count(counts))

    def _load_recent(self, read: Read, now: int) -> None:
        sql = f"{unused()} ORDER BY d.created_at DESC LIMIT {NEWEST}"
        for row in reversed(read(sql, [naive(now - KEEP)] * 2)):
            recorded = record(GUARD_DECISIONS, row, RecordedDecision)
            at = microseconds(recorded.created_at)
            self.recent.add(recorded.org_id, recorded.decision_id, at, encode(recorded))

    def _load_repeats(self, read: Read, now: int) -> None:
        rows = read(
            "SELECT org_id, agent_id, idempotency_key, epoch_us(created_at), decision_id FROM guard_decisions "
            f"WHERE created_at > ? AND idempotency_key IS NOT NULL ORDER BY created_at DESC LIMIT {NEWEST_REPEATS}",
            [naive(now - KEEP)],
        )
        for org_id, agent_id, key, at, decision_id in reversed(rows):
            self.repeats.add(scope(str(org_id), _name(agent_id), str(key)), int(str(at)), str(decision_id))

    def fold(self, event: Event) -> None:
        if event.data is None:
            return
        if event.type == EventName.GUARD_DECISION_CREATED.value:
            self.recent.add(event.org, event.subject, event.ts, event.data)
            if KEYED in event.data:  # most questions have none, and need not be decoded
                self._repeatable(event)
            return
        if event.type == EventName.EVIDENCE_ERASED.value:
            # Counts hold no content: an erased action counts for as long as this memory lives.
            self.recent.use(event.org, str(decode(event, CountedErasure).decision_id))
            return
        seen = decode(event, CountedAction)
        if event.type == EventName.ACTION_CREATED.value:
            self._created(seen)
        else:
            self._updated(seen)

    def _repeatable(self, event: Event) -> None:
        asked = decode(event, KeyedDecision)
        if asked.idempotency_key is not None:
            self.repeats.add(scope(event.org, asked.agent_id, asked.idempotency_key), event.ts, event.subject)

    def _created(self, seen: CountedAction) -> None:
        self.recent.use(seen.org_id, seen.decision_id)
        key = (seen.org_id, seen.action_id)
        if key in self._reserved:
            self._reserved.discard(key)
        elif seen.source is Source.LIVE and _counts(seen.status):
            self._count(seen)
        if _counts(seen.status):
            self._add(seen, 1, _failed(seen.status))

    def _updated(self, seen: CountedAction) -> None:
        before = seen.change.replaced.get("status") if seen.change else None
        if before is None:
            return
        old = ActionStatus(str(before))
        total = _counts(seen.status) - _counts(old)
        if total > 0 and seen.source is Source.LIVE:
            # A blocked attempt that ran after all.
            self._count(seen)
        self._add(seen, total, _failed(seen.status) - _failed(old))

    def _count(self, seen: CountedAction) -> None:
        at = microseconds(seen.created_at)
        if seen.agent_id is not None:
            self.rates(seen.org_id).reserve(comparable(seen.agent_id), at)
        if seen.created_by is not None and self._unbound(seen.org_id, seen.created_by):
            self.key_rates(seen.org_id).reserve(seen.created_by, at)

    def _add(self, seen: CountedAction, total: int, failed: int) -> None:
        if (total or failed) and seen.source is not Source.SIMULATED:
            key, at = name_of(seen.org_id, seen.agent_id, seen.action_type), microseconds(seen.timestamp_start)
            self.histories.add(key, at, total=total, failed=failed, risk=seen.risk_score * total)


def _newest(column: str, condition: str, now: int) -> str:
    return f"""
        SELECT {column}, least(epoch_us(created_at), {now}) FROM (
            SELECT {column}, created_at,
                   row_number() OVER (PARTITION BY {column} ORDER BY created_at DESC) AS newest
            FROM actions
            WHERE org_id = ? AND created_at >= ? AND {condition} AND source = 'live' AND {COUNTED}
        ) AS ranked WHERE newest <= ? ORDER BY created_at
    """


def _filled(window: RateWindow, rows: Sequence[Row], of_keys: bool, known: RateWindow) -> RateWindow:
    for is_key, name, at in rows:
        if is_key is of_keys:
            window.reserve(str(name) if of_keys else comparable(str(name)), int(str(at)))
    window.include(known)
    return window


def unused(condition: str = "true") -> str:
    """A query of decisions newer than its first parameter that no action newer than its last one has used."""
    return f"""
        SELECT {select(GUARD_DECISIONS, "d")} FROM guard_decisions AS d
        WHERE d.created_at > ? AND {condition} AND NOT EXISTS (
            SELECT 1 FROM actions AS a
            WHERE a.org_id = d.org_id AND a.decision_id = d.decision_id AND a.created_at > ?
        )
    """


def days_of_histories(condition: str = "true") -> str:
    """A query of what `Histories` counts by day since its first parameter; `day_count` reads a row behind its key."""
    return f"""
        SELECT org_id, agent_id, action_type, epoch_us(timestamp_start) // {DAY}, count(*),
               count(*) FILTER (WHERE status = 'failed'), sum(risk_score)
        FROM actions WHERE timestamp_start >= ? AND {condition} AND {HAPPENED} AND {COUNTED} GROUP BY ALL
    """


def minutes_of_histories(condition: str = "true") -> str:
    """The same by minute; `minute_count` reads a row behind its key."""
    return f"""
        SELECT org_id, agent_id, action_type, epoch_us(timestamp_start) // {MINUTE}, count(*)
        FROM actions WHERE timestamp_start >= ? AND {condition} AND {HAPPENED} AND {COUNTED} GROUP BY ALL
    """


def spelled(column: str) -> str:
    """A condition on rows whose name may be the one that is its parameter: alike in ASCII, or with letters beyond
    it, of which `track_of` tells whether they are."""
    ascii_name = f"lower(regexp_replace(trim({column}), '\\s+', ' ', 'g'))"
    return f"({ascii_name} IS NOT DISTINCT FROM ? OR NOT regexp_full_match({column}, '[ -~]*'))"


def track_of(key: Key, days: Sequence[Row], minutes: Sequence[Row]) -> RiskTrack:
    """The history of `key` out of rows of both queries, which may be of other names too."""
    track = RiskTrack()
    for org, agent, kind, *counts in days:
        if name_of(str(org), _name(agent), str(kind)) == key:
            track.load_day(*day_count(counts))
    for org, agent, kind, *counts in minutes:
        if name_of(str(org), _name(agent), str(kind)) == key:
            track.load_minute(*minute_count(counts))
    return track


def oldest_day(now: int) -> datetime:
    return naive((now // DAY - 31) * DAY)


def oldest_minute(now: int) -> datetime:
    return naive(now - 2 * HOUR)


def day_count(row: Sequence[object]) -> tuple[int, DayCount]:
    day, total, failed, risk = row
    return int(str(day)), DayCount(int(str(total)), int(str(failed)), float(str(risk)))


def minute_count(row: Sequence[object]) -> tuple[int, int]:
    minute, number = row
    return int(str(minute)), int(str(number))


def _counts(status: ActionStatus) -> int:
    return int(status is not ActionStatus.BLOCKED)


def _failed(status: ActionStatus) -> int:
    return int(status is ActionStatus.FAILED)


def _name(value: object) -> str | None:
    return None if value is None else str(value)
