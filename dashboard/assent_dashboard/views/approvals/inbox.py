"""What the approvals page shows, and when it asks the service again. Knows nothing of Streamlit.

1. It asks when the feed has heard of an approval since, when somebody decided on this page, and, while the stream is
   down, every few seconds. Otherwise an open page asks nothing.
2. One request gives what waits, one what was decided; where more waits than a page of the service holds, further pages
   follow, since what expires first stands on the last one. Each action's approval is asked for once: as long as it
   waits only its state can change, and a decided one never does, so it is kept under the action's status.
3. When the service does not answer, what was seen last stays on the screen and says since when. Only a page that has
   seen nothing yet has nothing to show, and raises.
4. The newest comes first, since its agent is still there and waits. Every approval is given the same time, so what has
   waited longest expires first.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from assent import Action, Actions, ActionStatus, Approval, Client, Decision
from assent.errors import ConnectionFailed, ServerError, Unavailable
from assent_dashboard.views.side_by_side import both, each

PAGE = 200
"""A page of the service holds no more."""
MOST = 1000
"""How many waiting actions are looked at."""
DECIDED = 12
DECIDED_DAYS = 1
FALLBACK_SECONDS = 4.0


class Order(StrEnum):
    NEWEST = "Newest"
    LONGEST = "Expires first"
    RISK = "Highest risk"


@dataclass(frozen=True, kw_only=True)
class Item:
    """An action and its approval; None when the agent asked by itself and nothing says until when."""

    action: Action
    approval: Approval | None


@dataclass
class Inbox:
    """`version` is the feed's count that this was read at. `problem` says why it could not be read again."""

    clock: Callable[[], float] = time.monotonic
    waiting: list[Action] = field(default_factory=list)
    total: int = 0
    decided: list[Action] = field(default_factory=list)
    server_time: datetime | None = None
    version: int | None = None
    read_at: float = 0.0
    tried_at: float = 0.0
    problem: str | None = None
    _approvals: dict[tuple[str, ActionStatus], Approval | None] = field(default_factory=dict)

    def due(self, version: int, live: bool) -> bool:
        """Whether the service should be asked again."""
        waited = self.clock() - self.tried_at >= FALLBACK_SECONDS
        if self.problem is not None:
            return waited
        return version != self.version or (not live and waited)

    def outdate(self) -> None:
        """The next look asks the service."""
        self.version, self.problem = None, None

    def refresh(self, client: Client, version: int) -> None:
        """Ask the service. `version` is the feed's count from before, so that nothing in between is missed.

        Raises what the client raises when there is nothing to show yet, and what a wrong or weak key raises.
        """
        self.tried_at = self.clock()
        try:
            (waiting, page), decided = both(lambda: _waiting(client), lambda: _decided(client))
        except (ConnectionFailed, Unavailable, ServerError) as error:
            if self.server_time is None:
                raise
            self.problem = str(error).splitlines()[0]
            return
        self.waiting, self.total, self.decided = waiting, page.total, decided
        self.server_time, self.read_at = page.lastUpdated, self.clock()
        self.version, self.problem = version, None
        shown = {_key(action) for action in (*self.waiting, *self.decided)}
        self._approvals = {key: approval for key, approval in self._approvals.items() if key in shown}

    def items(self, client: Client, actions: Sequence[Action]) -> list[Item]:
        """The actions with their approvals, which are asked for when they are not known. An approval that cannot be
        had just now is left out, and asked for at the next look."""
        missing = [action for action in actions if _key(action) not in self._approvals]
        if missing and self.problem is None:
            try:
                for detail in each(lambda action: client.get_action(action.action_id), missing):
                    self._approvals[_key(detail.action)] = detail.approval
            except (ConnectionFailed, Unavailable, ServerError) as error:
                self.problem = str(error).splitlines()[0]
        return [Item(action=action, approval=self._approvals.get(_key(action))) for action in actions]

    def now(self) -> datetime:
        """The service's time, as far as it is known: what it said, and how long ago that was here."""
        assert self.server_time is not None, "nothing has been read yet"
        return self.server_time + timedelta(seconds=self.clock() - self.read_at)


def arrange(actions: Sequence[Action], order: Order, agents: Sequence[str], types: Sequence[str]) -> list[Action]:
    """The actions to show, in their order. No agent and no type chosen means all of them."""
    kept = [
        action
        for action in actions
        if (not agents or named(action) in agents) and (not types or action.action_type in types)
    ]
    match order:
        case Order.LONGEST:
            return sorted(kept, key=lambda action: action.created_at)
        case Order.NEWEST:
            return sorted(kept, key=lambda action: action.created_at, reverse=True)
        case Order.RISK:
            return sorted(kept, key=lambda action: (-action.risk_score, action.created_at))


def named(action: Action) -> str:
    """Who acts, as people choose it from a list."""
    return action.agent_name or action.agent_id or "no agent"


def latest(items: Sequence[Item]) -> list[Item]:
    """What has been decided, the latest decision first; an item whose approval is not known is left out."""
    known = [item for item in items if item.approval is not None and item.approval.decided_at is not None]
    return sorted(known, key=_decided_at, reverse=True)


def _decided_at(item: Item) -> datetime:
    decided_at = item.approval.decided_at if item.approval is not None else None
    assert decided_at is not None, "only decided items are sorted"
    return decided_at


def _waiting(client: Client) -> tuple[list[Action], Actions]:
    """What waits, newest first, and the page that was read last. Pages move while they are read: what stands on two of
    them counts once, and what slips through comes with the next event."""
    page = client.get_pending_approvals(limit=PAGE)
    found = {action.action_id: action for action in page.actions}
    for offset in range(PAGE, min(page.total, MOST), PAGE):
        page = client.get_pending_approvals(limit=PAGE, offset=offset)
        found |= {action.action_id: action for action in page.actions}
    return list(found.values()), page


def _decided(client: Client) -> list[Action]:
    page = client.get_actions(
        decision=Decision.REQUIRE_APPROVAL,
        exclude_status=ActionStatus.PENDING_APPROVAL,
        days=DECIDED_DAYS,
        limit=DECIDED,
    )
    return page.actions


def _key(action: Action) -> tuple[str, ActionStatus]:
    return action.action_id, action.status
