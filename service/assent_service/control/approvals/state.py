"""Approvals in memory: those that wait, when the next of them expires, and which were told to be near that.

All that wait are here, since each is somebody's to decide. So how many may wait is bounded where they are asked
for: EACH for an agent (those without an agent's id count together), and as many for everybody as their budget in bytes
holds, of which one organization gets half.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.problems import Code
from assent_service.base.clock import microseconds
from assent_service.base.memory import DEFAULT, MemoryBudget
from assent_service.base.problem import refuse
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.store.tables import Table

APPROVALS = Table.of(
    Approval,
    name="approvals",
    meaning="what waited for an operator, and what became of it",
    key="approval_id",
    created=("approval.requested", "approval.granted"),
    replaced=(
        "approval.decided",
        "approval.expired",
        "approval.withdrawn",
        "approval.claimed",
        "approval.claim_refused",
    ),
)


EACH = 200
"""Approvals of one agent that may wait at once."""
SIZE = 2_500
"""Bytes of one, without its texts."""


class ApprovalStore:
    """Awaiting approvals by organization and action."""

    types = frozenset(
        {
            EventName.APPROVAL_REQUESTED.value,
            EventName.APPROVAL_EXPIRING.value,
            EventName.APPROVAL_DECIDED.value,
            EventName.APPROVAL_EXPIRED.value,
            EventName.APPROVAL_WITHDRAWN.value,
            EventName.EVIDENCE_ERASED.value,
        }
    )

    def __init__(self, memory: MemoryBudget = DEFAULT) -> None:
        self.awaiting: dict[tuple[str, str], Approval] = {}
        self._expiries: list[tuple[int, tuple[str, str]]] = []
        self._warnings: list[tuple[int, tuple[str, str]]] = []
        self._warned: set[str] = set()
        self._budget = memory.of("approvals")
        self._numbers: Counter[tuple[str, str | None]] = Counter()
        self._bytes: Counter[str] = Counter()

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(APPROVALS)} FROM approvals WHERE state = 'awaiting'", []):
            self._keep(record(APPROVALS, row, Approval))
        waiting = {approval.approval_id for approval in self.awaiting.values()}
        for (approval_id,) in read("SELECT subject FROM events WHERE type = 'approval.expiring'", []):
            if approval_id in waiting:
                self._warned.add(str(approval_id))

    @contextmanager
    def room_for(self, approval: Approval | None) -> Iterator[None]:
        """While one is being recorded, which counts as waiting already. Raises `too_many_waiting`."""
        if approval is None:
            yield
            return
        org_id, agent_id = approval.org_id, approval.agent_id
        self._check(org_id, agent_id)
        self._count(approval, 1)
        try:
            yield
        finally:
            self._count(approval, -1)

    def _check(self, org_id: str, agent_id: str | None) -> None:
        whose = "actions without an agent" if agent_id is None else f"actions of agent {agent_id!r}"
        if self._numbers[org_id, _name(agent_id)] >= EACH:
            raise refuse(
                Code.TOO_MANY_WAITING,
                f"{EACH} {whose} wait for approval already, which is as many as may; nothing was recorded. Wait until "
                "some are decided, withdraw those that nobody needs any more, or ask an operator to look.",
            )
        if self._bytes[org_id] > self._budget // 2 or self._bytes.total() > self._budget:
            raise refuse(
                Code.TOO_MANY_WAITING,
                "So many actions wait for approval that memory has no room for more; nothing was recorded. Wait until "
                "operators have decided some, or raise the setting memory_megabytes.",
            )

    def fold(self, event: Event) -> None:
        if event.type == EventName.EVIDENCE_ERASED.value:
            # The decision on it may have been erased before the tables had it, and the approval be loaded as waiting.
            self._drop((event.org, event.subject))
        elif event.type == EventName.APPROVAL_EXPIRING.value:
            self._warned.add(event.subject)
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

    def expiring(self, now: int, warning: int) -> list[Approval]:
        """Take out the approvals that wait, have less than `warning` (microseconds) left of at least twice as much, and
        were not told so."""
        found = []
        while self._warnings and self._warnings[0][0] <= now + warning:
            at, key = heapq.heappop(self._warnings)
            approval = self.awaiting.get(key)
            if approval is None or microseconds(approval.expires_at) != at or self.is_warned(approval):
                continue
            if now < at and microseconds(approval.requested_at) + 2 * warning <= at:
                found.append(approval)
        return found

    def is_warned(self, approval: Approval) -> bool:
        """Whether it was told that it is near its expiry, by whomever."""
        return approval.approval_id in self._warned

    def warn_again(self, approval: Approval) -> None:
        """One that could not be recorded as near its expiry yet."""
        heapq.heappush(self._warnings, (microseconds(approval.expires_at), (approval.org_id, approval.action_id)))

    def put_back(self, approval: Approval) -> None:
        """An overdue approval that could not be recorded as expired yet."""
        heapq.heappush(self._expiries, (microseconds(approval.expires_at), (approval.org_id, approval.action_id)))

    def _keep(self, approval: Approval) -> None:
        key = (approval.org_id, approval.action_id)
        self._drop(key)
        if approval.state is ApprovalState.AWAITING:
            self.awaiting[key] = approval
            self._count(approval, 1)
            self.put_back(approval)
            self.warn_again(approval)

    def _drop(self, key: tuple[str, str]) -> None:
        before = self.awaiting.pop(key, None)
        if before is not None:
            self._count(before, -1)
            self._warned.discard(before.approval_id)

    def _count(self, approval: Approval, by: int) -> None:
        owner = (approval.org_id, _name(approval.agent_id))
        self._numbers[owner] += by
        if not self._numbers[owner]:
            del self._numbers[owner]
        self._bytes[approval.org_id] += by * (SIZE + 2 * len(approval.declared_goal or ""))
        if not self._bytes[approval.org_id]:
            del self._bytes[approval.org_id]


def _name(agent_id: str | None) -> str | None:
    """Every spelling of an agent is one."""
    return None if agent_id is None else comparable(agent_id)
