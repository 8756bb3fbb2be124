"""Sessions in memory, as far as they fit: those that were told or asked about longest ago are forgotten, and made anew
from the tables when somebody asks about them again (`Recall`).

After a start nothing is here. A session that is not here is new only where the tables had none of its organization and
nothing was forgotten since; otherwise nobody knows, and it is looked up.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from assent.contract.control.actions import ActionStatus
from assent.contract.control.flows import FlowSession
from assent.contract.events import EventName
from assent_service.base.memory import DEFAULT, MemoryBudget, Newest
from assent_service.control.flows.rows import FlowStatement, flow_id_of
from assent_service.control.flows.telling import KnownSession
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.store.tables import Table

Key = tuple[str, str]
"""Organization and flow."""
SESSION, DIGEST = 1_500, 110
"""Bytes, as tracemalloc counts them."""
_WAITED = b'"pending_approval"'
"""In an event of an action that waited until then."""
FLOW_SESSIONS = Table.of(
    FlowSession,
    name="flow_sessions",
    meaning="sessions that were told something, one row each as it is now",
    key="flow_id",
    created=("flow_session.created",),
    replaced=("flow_session.updated",),
)
FLOW_TOLD = Table.of(
    FlowStatement,
    name="flow_told",
    meaning="what sessions were told, as digests and labels",
    key="told_id",
    created=("flow.told", "flow.labels_removed"),
)
_HEADS = (EventName.FLOW_SESSION_CREATED.value, EventName.FLOW_SESSION_UPDATED.value)


class Recall(NamedTuple):
    """That a session is being looked up: `version` tells whether it has changed meanwhile."""

    key: Key
    version: int


class ChangedAction(Struct, frozen=True):
    """What is looked at of an action that waited."""

    status: ActionStatus
    session_id: str | None = None


class FlowState:
    """Fold of what sessions were told. What an operator approves is trusted in its session from then on: such a session
    is looked up anew, with it."""

    types = frozenset(
        {
            *_HEADS,
            EventName.FLOW_TOLD.value,
            EventName.FLOW_LABELS_REMOVED.value,
            EventName.EVIDENCE_ERASED.value,
            EventName.ACTION_UPDATED.value,
        }
    )

    def __init__(self, memory: MemoryBudget = DEFAULT) -> None:
        self._kept: Newest[Key, KnownSession] = Newest(budget=memory.of("flows"))
        self._elsewhere: set[str] = set()
        """Organizations that had sessions when the tables were read, or of which some were dropped."""
        self._here: set[str] = set()
        """Organizations that have or had sessions in memory."""
        self._untold = KnownSession()
        """That of each session which was told nothing, as most are; nobody changes it."""
        self._recalls: dict[Key, list[int]] = {}
        """Readers and version of what is being looked up."""

    def load(self, read: Read) -> None:
        self._elsewhere = {str(org) for (org,) in read("SELECT DISTINCT org_id FROM flow_sessions", [])}

    def fold(self, event: Event) -> None:
        if event.type == EventName.EVIDENCE_ERASED.value:
            self._drop(event.org)
            return
        if event.data is None:
            return
        if event.type == EventName.ACTION_UPDATED.value:
            if event.org in self._here and _WAITED in event.data:
                self._approved(event.org, decode(event, ChangedAction))
        elif event.type in _HEADS:
            head = decode(event, FlowSession)
            self._keep_head(head, new=event.type == EventName.FLOW_SESSION_CREATED.value)
        else:
            self._tell(decode(event, FlowStatement))

    def of(self, org_id: str, flow_id: str) -> KnownSession | None:
        """None where it may be in the tables only."""
        found = self._kept.touch((org_id, flow_id))
        if found is not None:
            return found
        return None if self._is_elsewhere(org_id) else self._untold

    def recall(self, key: Key) -> Recall:
        """To be said before the tables are asked; `recalled` or `give_up` follows in any case."""
        found = self._recalls.setdefault(key, [0, 0])
        found[0] += 1
        return Recall(key, found[1])

    def recalled(self, recall: Recall, kept: KnownSession) -> bool:
        """Whether `kept` is what the tables have, and is here from now on; otherwise they have to be asked again."""
        holds = self._recalls[recall.key][1] == recall.version
        self.give_up(recall)
        if holds and recall.key not in self._kept:
            self._here.add(recall.key[0])
            self._kept.put(recall.key, kept, _size(kept))
        return holds

    def give_up(self, recall: Recall) -> None:
        found = self._recalls[recall.key]
        found[0] -= 1
        if not found[0]:
            del self._recalls[recall.key]

    def _keep_head(self, head: FlowSession, *, new: bool) -> None:
        key = (head.org_id, head.flow_id)
        self._changed(key)
        kept = self._kept.touch(key)
        if kept is not None:
            kept.head = head
        elif new:
            self._here.add(head.org_id)
            self._kept.put(key, KnownSession(head), SESSION)

    def _tell(self, row: FlowStatement) -> None:
        key = (row.org_id, row.flow_id)
        self._changed(key)
        kept = self._kept.touch(key)
        if kept is None:
            return
        before = _size(kept)
        kept.tell(row)
        if _size(kept) != before:
            self._kept.grow(key, _size(kept) - before)

    def _approved(self, org_id: str, action: ChangedAction) -> None:
        if action.session_id is None or action.status is not ActionStatus.RUNNING:
            return
        own = self._kept.get((org_id, flow_id_of(org_id, action.session_id)))
        if own is None:
            self._drop(org_id)
        elif own.head is not None:
            self._elsewhere.add(org_id)
            self._changed((org_id, own.head.root_id))
            self._kept.pop((org_id, own.head.root_id))

    def _drop(self, org_id: str) -> None:
        """What was erased is not known any more, or what was approved not yet: everything of the organization is looked
        up anew."""
        self._elsewhere.add(org_id)
        for key in [key for key, _ in self._kept.items() if key[0] == org_id]:
            self._kept.pop(key)
        for key in [key for key in self._recalls if key[0] == org_id]:
            self._changed(key)

    def _changed(self, key: Key) -> None:
        if key in self._recalls:
            self._recalls[key][1] += 1

    def _is_elsewhere(self, org_id: str) -> bool:
        return org_id in self._elsewhere or (self._kept.forgotten > 0 and org_id in self._here)


def _size(known: KnownSession) -> int:
    """Bytes, about."""
    kept = known.session
    digests = len(kept.user) + len(kept.approved) + len(kept.leaves) + len(kept.free)
    return SESSION + DIGEST * (digests + len(known.history.calls))
