"""What the page of approvals shows of the past, and when it asks the service again. Knows nothing of Streamlit.

1. It asks when the feed has heard of an approval since it was read, at most every few seconds, and every few seconds
   while the stream is down. Otherwise an open page asks nothing.
2. When the service does not answer, what was seen last stays on the screen and says since when. A page that has seen
   nothing yet has no time of the service (`server_time`) and nothing to show of the past; the inbox stands as ever.
3. It holds no more than `DECIDED` requests, however long the page stays open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assent import ApprovalState, Client
from assent.contract.control.inbox import ActionApproval
from assent_dashboard.views.addresses import ApprovalsAddress, Scope
from assent_dashboard.views.answers import AWAY

Item = ActionApproval

DECIDED = 50
FALLBACK_SECONDS = 4.0
LEAST_SECONDS = 5.0


@dataclass
class Decided:
    """`version` is the feed's count that this was read at. `problem` says why it could not be read again; `total` is
    how many were decided in the scope."""

    scope: Scope = field(default_factory=lambda: ApprovalsAddress().scope)
    clock: Callable[[], float] = time.monotonic
    items: list[Item] = field(default_factory=list)
    total: int = 0
    server_time: datetime | None = None
    version: int | None = None
    read_at: float = 0.0
    tried_at: float = 0.0
    problem: str | None = None

    def due(self, version: int, live: bool) -> bool:
        """Whether the service should be asked again."""
        if self.version is None and self.problem is None:
            return True
        waited = self.clock() - self.tried_at
        if self.problem is not None or not live:
            return waited >= FALLBACK_SECONDS
        return version != self.version and waited >= LEAST_SECONDS

    def outdate(self) -> None:
        """The next look asks the service."""
        self.version, self.problem = None, None

    def refresh(self, client: Client, version: int) -> None:
        """Ask the service. `version` is the feed's count from before, so that nothing in between is missed.

        Raises what a wrong or weak key raises.
        """
        self.tried_at = self.clock()
        try:
            page = client.get_approvals(
                exclude_state=ApprovalState.AWAITING,
                agent_id=self.scope.agent_id,
                action_type=self.scope.action_type,
                days=self.scope.days,
                limit=DECIDED,
            )
        except AWAY as error:
            self.problem = str(error).splitlines()[0]
            return
        self.items, self.total = latest(page.approvals), page.total
        self.server_time, self.read_at = page.lastUpdated, self.clock()
        self.version, self.problem = version, None

    @property
    def age(self) -> float:
        """Seconds since the service was asked."""
        return self.clock() - self.read_at

    def now(self) -> datetime:
        """The service's time, as far as it is known: what it said, and how long ago that was here."""
        assert self.server_time is not None, "nothing has been read yet"
        return self.server_time + timedelta(seconds=self.age)


def latest(items: Sequence[Item]) -> list[Item]:
    """The latest decision first."""
    return sorted(items, key=lambda item: item.approval.decided_at or item.approval.requested_at, reverse=True)
