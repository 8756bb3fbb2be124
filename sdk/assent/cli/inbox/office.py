"""What the inbox asks the service. Every method blocks, and is called beside the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assent import Client
from assent.contract.actions import Action, ActionStatus
from assent.contract.approvals import Approval
from assent.contract.guard import Decision

PAGE = 200
"""A page of the service holds no more."""
MOST = 1000
"""How many waiting actions are read."""
PAST = 5


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What waits, newest first; `total` counts those that were not read, too."""

    actions: list[Action]
    total: int


@dataclass(frozen=True, kw_only=True)
class Past:
    """A decision of before: the approval, and the action as it is now."""

    action: Action
    approval: Approval


class Office:
    """`client` may be used by several threads."""

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self.client, self._clock = client, clock
        self._said = (datetime.now(UTC), clock())

    def now(self) -> datetime:
        """The service's time, as far as it is known: what it said last, and how long ago that was here."""
        at, read = self._said
        return at + timedelta(seconds=self._clock() - read)

    def listing(self) -> Listing:
        """Pages move while they are read: what stands on two of them counts once."""
        page = self.client.get_pending_approvals(limit=PAGE)
        found = {action.action_id: action for action in page.actions}
        for offset in range(PAGE, min(page.total, MOST), PAGE):
            page = self.client.get_pending_approvals(limit=PAGE, offset=offset)
            found |= {action.action_id: action for action in page.actions}
        self._said = (page.lastUpdated, self._clock())
        return Listing(actions=list(found.values()), total=max(page.total, len(found)))

    def approvals(self, action_ids: Sequence[str]) -> dict[str, Approval | None]:
        """The approvals of these actions; one that is not there any more is left out."""
        from assent.errors import NotFound

        found: dict[str, Approval | None] = {}
        for action_id in action_ids:
            try:
                found[action_id] = self.client.get_action(action_id).approval
            except NotFound:
                continue
        return found

    def past(self, agent_id: str, action_type: str) -> list[Past]:
        """The last decisions on what this agent wanted of this type, newest first."""
        page = self.client.get_actions(
            agent_id=agent_id,
            action_type=action_type,
            decision=Decision.REQUIRE_APPROVAL,
            exclude_status=ActionStatus.PENDING_APPROVAL,
            limit=PAST,
        )
        details = [self.client.get_action(action.action_id) for action in page.actions]
        return [Past(action=each.action, approval=each.approval) for each in details if each.approval is not None]
