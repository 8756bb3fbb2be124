"""What signals need of the tables when the service starts.

Every question is bounded: by a window twice as long as the signal's own (so that the log's tail, folded in afterwards,
finds the counts as they were), by how many an agent has of its own, or by how many are watched. The conditions are
those of `seen`, said in SQL; a test holds that both agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assent_service.core.clock import DAY, naive
from assent_service.core.thresholds import Thresholds
from assent_service.signals import aging, newest
from assent_service.signals.aging import Aging, Watched
from assent_service.signals.newest import Noted
from assent_service.signals.seen import loop_words, shortened
from assent_service.signals.windows import KEPT
from assent_service.signals.workspace import ACTED, DRIFTING, FAILING, UNALLOWED, Workspace
from assent_service.store.database import Row
from assent_service.store.ledger import Read

REMEMBERED = 90 * DAY
"""How long a detection is remembered; what is still on after that is told of again after the next start."""
MARGIN = 2

# The time of `seen.within`.
_WITHIN = "least(greatest(coalesce({said}, updated_at), created_at), updated_at)"
_FAILED = _WITHIN.format(said="timestamp_end")
_WRONG = _WITHIN.format(said="validated_at")
_RAN_SINCE = "coalesce(approved_at, created_at)"


def load(read: Read, now: int, of: Callable[[str], Workspace], thresholds: Thresholds) -> None:
    _load_counts(read, now, of)
    _load_ages(read, of)
    _load_noted(read, now, of, thresholds)


def told(read: Read, now: int, most: int) -> Iterator[tuple[str, str, str, int]]:
    """The newest detections as organization, type, subject, since; the oldest first."""
    rows = read(
        "SELECT org_id, type, subject, epoch_us(max(since)) AS newest FROM signals WHERE created_at >= ? "
        f"GROUP BY org_id, type, subject ORDER BY newest DESC LIMIT {most}",
        [naive(now - REMEMBERED)],
    )
    for org_id, kind, subject, since in reversed(rows):
        yield str(org_id), str(kind), str(subject), int(str(since))


def _load_counts(read: Read, now: int, of: Callable[[str], Workspace]) -> None:
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


def _load_ages(read: Read, of: Callable[[str], Workspace]) -> None:
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
    into.watch(str(id_), Watched(int(str(at)), _name(agent_id), str(action_id), words))


def _load_noted(read: Read, now: int, of: Callable[[str], Workspace], thresholds: Thresholds) -> None:
    impactful = _newest(
        _RAN_SINCE,
        "status = 'running' AND source = 'live' AND NOT reversible AND risk_score >= ? "
        "AND coalesce(authorization_scope, '') = ''",
    )
    for row in read(impactful, [thresholds.high_impact.amber, newest.MOST]):
        of(str(row[0])).impactful.put(str(row[1]), _noted(row))
    unallowed = _newest(
        "updated_at",
        "updated_at >= ? AND status IN ('completed', 'failed') AND source = 'live' AND approved_by IS NULL "
        "AND (approval_id IS NOT NULL OR decision IN ('require_approval', 'block'))",
    )
    for row in read(unallowed, [naive(now - MARGIN * UNALLOWED), newest.MOST]):
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
