"""Approvals in memory: those that wait, and when the next of them expires."""

from __future__ import annotations

import heapq

from assent.contract.approvals import Approval, ApprovalState
from assent.contract.events import EventName
from assent_service.approvals.tables import APPROVALS
from assent_service.core.clock import microseconds
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.store.event import Event
from assent_service.store.ledger import Read


class ApprovalStore:
    """Awaiting approvals by organization and action."""

    types = frozenset(
        {
            EventName.APPROVAL_REQUESTED.value,
            EventName.APPROVAL_DECIDED.value,
            EventName.APPROVAL_EXPIRED.value,
            EventName.EVIDENCE_ERASED.value,
        }
    )

    def __init__(self) -> None:
        self.awaiting: dict[tuple[str, str], Approval] = {}
        self._expiries: list[tuple[int, tuple[str, str]]] = []

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(APPROVALS)} FROM approvals WHERE state = 'awaiting'", []):
            self._keep(record(APPROVALS, row, Approval))

    def fold(self, event: Event) -> None:
        if event.type == EventName.EVIDENCE_ERASED.value:
            # The decision on it may have been erased before the tables had it, and the approval be loaded as waiting.
            self.awaiting.pop((event.org, event.subject), None)
        elif not event.erased:
            self._keep(decode(event, Approval))

    def overdue(self, now: int) -> list[Approval]:
        """Take out the approvals whose time has passed and that still wait."""
        found = []
        while self._expiries and self._expiries[0][0] <= now:
            _, key = heapq.heappop(self._expiries)
            approval = self.awaiting.get(key)
            if approval is not None and microseconds(approval.expires_at) <= now:
                found.append(approval)
        return found

    def put_back(self, approval: Approval) -> None:
        """An overdue approval that could not be recorded as expired yet."""
        heapq.heappush(self._expiries, (microseconds(approval.expires_at), (approval.org_id, approval.action_id)))

    def _keep(self, approval: Approval) -> None:
        key = (approval.org_id, approval.action_id)
        if approval.state is ApprovalState.AWAITING:
            self.awaiting[key] = approval
            self.put_back(approval)
        else:
            self.awaiting.pop(key, None)
