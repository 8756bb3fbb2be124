"""The waiting requests as a queue: in which order, which are identical, and where the cursor stands. Pure.

Two requests are identical when an operator who has understood one has understood the other:

- the same agent, by id and by name, and both signed alike;
- the same context, by the digest that the service made of all that guard looked at: action type, declared goal,
  systems touched, parameters (or their digest), metadata, externality, whether it can be undone, the agent's own risk,
  and every further member that was sent. A request whose context was erased is identical to none;
- the same reasons for stopping it, from the same policies, word for word;
- the same words of the agent that guard does not look at: reasoning, scope of authorization, trigger, input;
- the same runtime, and both live or both simulated.

Times, sessions, parents and the service's risk may differ: the risk of the second of two alike requests knows of the
first one.

The cursor stands on an entry of the queue and stays on it when others come and go. When its requests are gone, it goes
to the nearest entry of the queue as it was: the next one down that still waits, else the next one up.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from assent_dashboard.views.addresses import Order
from assent_dashboard.views.approvals.inbox import Item


@dataclass(frozen=True)
class QueueEntry:
    """One request, or several identical ones in the queue's order."""

    items: tuple[Item, ...]

    @property
    def first(self) -> Item:
        return self.items[0]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(item.action.action_id for item in self.items)


@dataclass(frozen=True)
class Cursor:
    """Where it stands, and in which queue: the ids of every entry, of which the one at `place` is current."""

    queue: tuple[tuple[str, ...], ...]
    place: int = 0


def arrange(items: Sequence[Item], order: Order) -> list[Item]:
    match order:
        case Order.NEWEST:
            return sorted(items, key=lambda item: item.approval.requested_at, reverse=True)
        case Order.EXPIRES:
            return sorted(items, key=lambda item: item.approval.expires_at)
        case Order.RISK:
            return sorted(items, key=lambda item: (-item.action.risk_score, item.approval.requested_at))


def entries(items: Sequence[Item]) -> list[QueueEntry]:
    """Identical requests together, where the first of them stands."""
    found: dict[Hashable, list[Item]] = {}
    for item in items:
        found.setdefault(likeness(item), []).append(item)
    return [QueueEntry(tuple(alike)) for alike in found.values()]


def likeness(item: Item) -> Hashable:
    """Equal for identical requests; the module says what that means."""
    action, approval = item.action, item.approval
    if item.context_digest is None:
        return action.action_id
    return (
        item.context_digest,
        action.agent_id,
        action.agent_name,
        action.verification,
        tuple(approval.reasons),
        tuple(approval.matched_policies),
        action.reasoning,
        action.authorization_scope,
        action.trigger,
        action.input_summary,
        action.runtime,
        action.source,
    )


def settle(queue: Sequence[QueueEntry], before: Cursor | None) -> Cursor | None:
    """The cursor in the queue as it is now; None in an empty one."""
    ids = tuple(entry.ids for entry in queue)
    if not ids:
        return None
    if before is None:
        return Cursor(ids)
    where = {action_id: place for place, entry in enumerate(ids) for action_id in entry}
    nearest = (*before.queue[before.place :], *reversed(before.queue[: before.place]))
    return Cursor(ids, next((where[each] for entry in nearest for each in entry if each in where), 0))


def moved(cursor: Cursor, step: int) -> Cursor:
    """So many entries down, or up; it stops at both ends."""
    return Cursor(cursor.queue, max(0, min(len(cursor.queue) - 1, cursor.place + step)))


def put_on(cursor: Cursor, action_id: str) -> Cursor:
    """The cursor on the entry with this action; where it was when there is none."""
    place = next((place for place, entry in enumerate(cursor.queue) if action_id in entry), cursor.place)
    return Cursor(cursor.queue, place)
