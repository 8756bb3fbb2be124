"""What the approvals page shows, and when it asks the service again. Knows nothing of Streamlit.

1. It asks when the feed has heard of an approval since, when somebody decided on this page, and, while the stream is
   down, every few seconds. Otherwise an open page asks nothing.
2. One request gives what waits, one what was decided in the window; where more waits than a page of the service holds,
   further pages follow, since what expires first stands on the last one. A page that was narrowed to an agent or a type
   also asks how many wait in all: what is hidden is still told.
3. When the service does not answer, what was seen last stays on the screen and says since when. Only a page that has
   seen nothing yet has nothing to show, and raises.
4. It holds no more than `MOST` waiting and `DECIDED` decided requests, however long the page stays open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assent import ApprovalState, Client
from assent.contract.control.inbox import ActionApproval, Approvals
from assent.errors import ConnectionFailed, ServerError, Unavailable
from assent_dashboard.views.addresses import ApprovalsAddress, Scope
from assent_dashboard.views.answers import later

Item = ActionApproval
"""A request: an action and its approval."""

PAGE = 200
"""A page of the service holds no more."""
MOST = 1000
"""How many waiting requests are looked at."""
DECIDED = 50
FALLBACK_SECONDS = 4.0


@dataclass
class Inbox:
    """`version` is the feed's count that this was read at. `problem` says why it could not be read again. `everywhere`
    is how many wait for any agent and of any type, `total` how many of those that the scope asks for."""

    scope: Scope = field(default_factory=lambda: ApprovalsAddress().scope)
    clock: Callable[[], float] = time.monotonic
    waiting: list[Item] = field(default_factory=list)
    total: int = 0
    everywhere: int = 0
    decided: list[Item] = field(default_factory=list)
    decided_total: int = 0
    server_time: datetime | None = None
    version: int | None = None
    read_at: float = 0.0
    tried_at: float = 0.0
    problem: str | None = None

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
        decided = later(lambda: _decided(client, self.scope))
        everywhere = (
            later(lambda: client.get_approvals(state=ApprovalState.AWAITING, limit=1)) if self.narrowed else None
        )
        try:
            waiting, page = _waiting(client, self.scope)
            past = decided()
            in_all = page if everywhere is None else everywhere()
        except (ConnectionFailed, Unavailable, ServerError) as error:
            if self.server_time is None:
                raise
            self.problem = str(error).splitlines()[0]
            return
        self.waiting, self.total, self.everywhere = waiting, page.total, in_all.total
        self.decided, self.decided_total = latest(past.approvals), past.total
        self.server_time, self.read_at = page.lastUpdated, self.clock()
        self.version, self.problem = version, None

    @property
    def narrowed(self) -> bool:
        return self.scope.narrowed

    @property
    def age(self) -> float:
        """Seconds since the service was asked."""
        return self.clock() - self.read_at

    def now(self) -> datetime:
        """The service's time, as far as it is known: what it said, and how long ago that was here."""
        assert self.server_time is not None, "nothing has been read yet"
        return self.server_time + timedelta(seconds=self.age)


def latest(items: Sequence[Item]) -> list[Item]:
    """What has been decided, the latest decision first."""
    return sorted(items, key=lambda item: item.approval.decided_at or item.approval.requested_at, reverse=True)


def _waiting(client: Client, scope: Scope) -> tuple[list[Item], Approvals]:
    """What waits, newest first, and the page that was read last. What came while pages were read comes with the next
    event."""
    found: list[Item] = []
    cursor = None
    while True:
        page = client.get_approvals(
            state=ApprovalState.AWAITING,
            agent_id=scope.agent_id,
            action_type=scope.action_type,
            limit=PAGE,
            cursor=cursor,
        )
        found += page.approvals
        cursor = page.next_cursor
        if cursor is None or len(found) >= MOST:
            return found[:MOST], page


def _decided(client: Client, scope: Scope) -> Approvals:
    return client.get_approvals(
        exclude_state=ApprovalState.AWAITING,
        agent_id=scope.agent_id,
        action_type=scope.action_type,
        days=scope.days,
        limit=DECIDED,
    )
