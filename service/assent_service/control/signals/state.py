"""Signals in memory: one workspace for each organization, and what has been told of already."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator

import msgspec

from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_service.base.clock import DAY, Clock, microseconds, naive
from assent_service.control.signals import aging, windows
from assent_service.control.signals.aging import Aging, AgingItem
from assent_service.control.signals.facts import (
    WatchedAction,
    WatchedAssumption,
    WatchedErasure,
    WatchedLoop,
    WatchedSignal,
    loop_words,
    shortened,
)
from assent_service.control.signals.windows import KEPT, Noted
from assent_service.control.signals.workspace import ACTED, DRIFTING, FAILING, UNALLOWED, WorkspaceSignals
from assent_service.core.settings import Thresholds
from assent_service.store.database import Row
from assent_service.store.event import Event
from assent_service.store.ledger import Read

# What signals need of the tables when the service starts.
#
# Every question is bounded: by a window twice as long as the signal's own (so that the log's tail, folded in
# afterwards, finds the counts as they were), by how many an agent has of its own, or by how many are watched. The
# conditions are those of `facts`, said in SQL; a test holds that both agree.


REMEMBERED = 90 * DAY
"""How long a detection is remembered; what is still on after that is told of again after the next start."""
MARGIN = 2

# The time of `facts.within`.
_WITHIN = "least(greatest(coalesce({said}, updated_at), created_at), updated_at)"
_FAILED = _WITHIN.format(said="timestamp_end")
_WRONG = _WITHIN.format(said="validated_at")
_RAN_SINCE = "coalesce(approved_at, created_at)"


def load_workspaces(read: Read, now: int, of: Callable[[str], WorkspaceSignals], thresholds: Thresholds) -> None:
    _load_counts(read, now, of)
    _load_ages(read, of)
    _load_noted(read, now, of, thresholds)


def newest_detections(read: Read, now: int, most: int) -> Iterator[tuple[str, str, str, int]]:
    """The newest detections as organization, type, subject, since; the oldest first."""
    rows = read(
        "SELECT org_id, type, subject, epoch_us(max(since)) AS newest FROM signals WHERE created_at >= ? "
        f"GROUP BY org_id, type, subject ORDER BY newest DESC LIMIT {most}",
        [naive(now - REMEMBERED)],
    )
    for org_id, kind, subject, since in reversed(rows):
        yield str(org_id), str(kind), str(subject), int(str(since))


def _load_counts(read: Read, now: int, of: Callable[[str], WorkspaceSignals]) -> None:
    acted = _newest_of_agents(
        "actions", "action_id", "created_at", "created_at >= ? AND source = 'live' AND status <> 'blocked'"
    )
    for org_id, agent_id, _, at in read(acted, [naive(now - MARGIN * ACTED), KEPT]):
        of(str(org_id)).acts.add(str(agent_id), int(str(at)))
    failed = _newest_of_agents(
        "actions", "action_id", _FAILED, "updated_at >= ? AND source = 'live' AND status = 'failed'"
    )
    for org_id, agent_id, action_id, at in read(failed, [naive(now - MARGIN * FAILING), KEPT]):
        of(str(org_id)).failures.add(str(agent_id), str(action_id), int(str(at)))
    wrong = _newest_of_agents(
        "assumptions", "assumption_id", _WRONG, "updated_at >= ? AND source = 'live' AND invalidated"
    )
    for org_id, agent_id, assumption_id, at in read(wrong, [naive(now - MARGIN * DRIFTING), KEPT]):
        of(str(org_id)).drift.add(str(agent_id), str(assumption_id), int(str(at)))


def _newest_of_agents(table: str, key: str, time: str, condition: str) -> str:
    return f"""
        SELECT org_id, agent_id, {key}, epoch_us(happened) FROM (
            SELECT org_id, agent_id, {key}, {time} AS happened,
                   row_number() OVER (PARTITION BY org_id, agent_id ORDER BY {time} DESC, {key} DESC) AS place
            FROM {table} WHERE {condition} AND agent_id IS NOT NULL
        ) AS placed WHERE place <= ? ORDER BY happened, {key}
    """


def _load_ages(read: Read, of: Callable[[str], WorkspaceSignals]) -> None:
    running = _oldest("actions", "action_id", _RAN_SINCE, "status = 'running' AND source = 'live'", "action_type")
    for row in read(running, [aging.MOST]):
        _watch(of(str(row[0])).running, row, str(row[5]))
    loops = _oldest(
        "loops", "loop_id", "created_at", "status = 'open' AND source = 'live'", "loop_type, priority, description"
    )
    for row in read(loops, [aging.MOST]):
        _watch(of(str(row[0])).loops, row, loop_words(*map(str, row[5:])))
    beliefs = _oldest(
        "assumptions",
        "assumption_id",
        "occurred_at",
        "NOT validated AND NOT invalidated AND source = 'live'",
        "assumption",
    )
    for row in read(beliefs, [aging.MOST]):
        _watch(of(str(row[0])).beliefs, row, shortened(str(row[5])))


def _oldest(table: str, key: str, time: str, condition: str, more: str) -> str:
    return f"""
        SELECT org_id, id, epoch_us(happened), agent_id, action_id, {more} FROM (
            SELECT org_id, {key} AS id, {time} AS happened, agent_id, action_id, {more},
                   row_number() OVER (PARTITION BY org_id ORDER BY {time}, {key}) AS place
            FROM {table} WHERE {condition}
        ) AS placed WHERE place <= ? ORDER BY happened, id
    """


def _watch(into: Aging, row: Row, words: str) -> None:
    _, id_, at, agent_id, action_id = row[:5]
    into.watch(str(id_), AgingItem(int(str(at)), _name(agent_id), str(action_id), words))


def _load_noted(read: Read, now: int, of: Callable[[str], WorkspaceSignals], thresholds: Thresholds) -> None:
    impactful = _newest(
        _RAN_SINCE,
        "status = 'running' AND source = 'live' AND NOT reversible AND risk_score >= ? "
        "AND coalesce(authorization_scope, '') = ''",
    )
    for row in read(impactful, [thresholds.high_impact.amber, windows.NEWEST_MOST]):
        of(str(row[0])).impactful.put(str(row[1]), _noted(row))
    unallowed = _newest(
        "updated_at",
        "updated_at >= ? AND status IN ('completed', 'failed') AND source = 'live' AND approved_by IS NULL "
        "AND (approval_id IS NOT NULL OR decision IN ('require_approval', 'block'))",
    )
    for row in read(unallowed, [naive(now - MARGIN * UNALLOWED), windows.NEWEST_MOST]):
        of(str(row[0])).unallowed.put(str(row[1]), _noted(row))


def _newest(time: str, condition: str) -> str:
    return f"""
        SELECT org_id, action_id, epoch_us(happened), agent_id, action_type, risk_score, status FROM (
            SELECT org_id, action_id, {time} AS happened, agent_id, action_type, risk_score, status,
                   row_number() OVER (PARTITION BY org_id ORDER BY {time} DESC, action_id DESC) AS place
            FROM actions WHERE {condition}
        ) AS placed WHERE place <= ? ORDER BY happened, action_id
    """


def _noted(row: Row) -> Noted:
    _, _, at, agent_id, action_type, risk, status = row
    return Noted(int(str(at)), _name(agent_id), str(action_type), float(str(risk)), str(status))


def _name(value: object) -> str | None:
    return None if value is None else str(value)


TOLD = 100_000
"""How many detections are remembered, the newest."""

_action = msgspec.json.Decoder(prepared(WatchedAction)).decode
_loop = msgspec.json.Decoder(prepared(WatchedLoop)).decode
_assumption = msgspec.json.Decoder(prepared(WatchedAssumption)).decode
_signal = msgspec.json.Decoder(prepared(WatchedSignal)).decode
_erased = msgspec.json.Decoder(prepared(WatchedErasure)).decode

ACTION_CREATED, ACTION_UPDATED = EventName.ACTION_CREATED.value, EventName.ACTION_UPDATED.value
LOOPS = frozenset({EventName.LOOP_CREATED.value, EventName.LOOP_UPDATED.value})
ASSUMPTIONS = frozenset({EventName.ASSUMPTION_CREATED.value, EventName.ASSUMPTION_UPDATED.value})
DETECTED, ERASED = EventName.SIGNAL_DETECTED.value, EventName.EVIDENCE_ERASED.value


class SignalState:
    """Fold of actions, loops, assumptions, and of the signals that were recorded."""

    types = frozenset({ACTION_CREATED, ACTION_UPDATED, DETECTED, ERASED}) | LOOPS | ASSUMPTIONS

    def __init__(self, clock: Clock, thresholds: Thresholds) -> None:
        self._clock, self.thresholds = clock, thresholds
        self.workspaces: dict[str, WorkspaceSignals] = {}
        self._told: OrderedDict[tuple[str, str, str], int] = OrderedDict()

    def of(self, org_id: str) -> WorkspaceSignals:
        found = self.workspaces.get(org_id)
        if found is None:
            found = self.workspaces[org_id] = WorkspaceSignals(self.thresholds)
        return found

    def last_detection(self, org_id: str, kind: str, subject: str) -> int | None:
        """The `since` (microseconds) of the newest detection of this signal that was recorded."""
        return self._told.get((org_id, kind, subject))

    def load(self, read: Read) -> None:
        now = self._clock()
        load_workspaces(read, now, self.of, self.thresholds)
        for org_id, kind, subject, since in newest_detections(read, now, TOLD):
            self._tell(org_id, kind, subject, since)
        for workspace in self.workspaces.values():
            workspace.fresh.clear()

    def fold(self, event: Event) -> None:
        data = event.data
        if data is None:
            return
        kind = event.type
        if kind == ACTION_CREATED:
            self.of(event.org).created(event.subject, _action(data), event.ts)
        elif kind == ACTION_UPDATED:
            self.of(event.org).updated(event.subject, _action(data), event.ts)
        elif kind in ASSUMPTIONS:
            self.of(event.org).believe(_assumption(data))
        elif kind in LOOPS:
            self.of(event.org).loop(_loop(data))
        elif kind == ERASED:
            self.of(event.org).erase(event.subject, _erased(data).agent_id)
        else:
            signal = _signal(data)
            self._tell(event.org, signal.type, signal.subject, microseconds(signal.since))

    def _tell(self, org_id: str, kind: str, subject: str, since: int) -> None:
        key = (org_id, kind, subject)
        self._told[key] = max(since, self._told.get(key, 0))
        self._told.move_to_end(key)
        if len(self._told) > TOLD:
            self._told.popitem(last=False)
