"""Which actions were erased, and what memory keeps of that.

The newest NEWEST are in memory; older ones are in the table, which is only asked about an organization that has more
than memory holds, and only for an action that was not found. So nobody who has never erased anything pays for it.

An idempotency key of an erased action still answers, for as long as it would have: a repeat must not bring back what
was erased. The key itself is not kept, since clients make theirs of what they like, but a digest of it.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from datetime import datetime
from hashlib import sha256

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.record import Record
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.core.rows import record, select
from assent_service.erasure.tables import ERASURES
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger, Read

NEWEST = 10_000


class StoredErasure(Record, frozen=True, kw_only=True):
    """The payload of `evidence.erased`. `also` are ids of what was erased although its events do not name the action;
    the store reads it (`store.erasure`). Nothing here was said by the agent."""

    org_id: str
    action_id: str
    agent_id: str | None
    decision_id: str | None
    also: list[str]
    erased_at: datetime
    erased_by: str
    erased_by_key: str
    reason: str
    key_digest: str | None
    signature_digest: str | None
    action_created_at: datetime
    created_at: datetime


class ErasureState:
    """Fold of erasures."""

    types = frozenset({EventName.EVIDENCE_ERASED.value})

    def __init__(self) -> None:
        self._newest: OrderedDict[tuple[str, str], StoredErasure] = OrderedDict()
        self._by_key: dict[tuple[str, str], str] = {}
        self._held: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self.recorded = 0
        """The seq of the last erasure that was folded, 0 for none since the tables were read."""

    def load(self, read: Read) -> None:
        for org_id, number in read("SELECT org_id, count(*) FROM erasures GROUP BY org_id", []):
            self._all[str(org_id)] = int(str(number))
        rows = read(f"SELECT {select(ERASURES)} FROM erasures ORDER BY created_at DESC, action_id LIMIT {NEWEST}", [])
        for row in reversed(rows):
            self._keep(record(ERASURES, row, StoredErasure))

    def fold(self, event: Event) -> None:
        erasure = decode(event, StoredErasure)
        self.recorded = event.seq
        self._all[erasure.org_id] += 1
        self._keep(erasure)

    def get(self, org_id: str, action_id: str) -> StoredErasure | None:
        """Out of memory alone."""
        return self._newest.get((org_id, action_id))

    async def find(self, ledger: Ledger, org_id: str, action_id: str) -> StoredErasure | None:
        """Raises `projection_behind`."""
        return self.get(org_id, action_id) or await self._look(ledger, org_id, "action_id", action_id)

    def of_key(self, org_id: str, idempotency_key: str) -> StoredErasure | None:
        """The erased action that a creation with this key had made. Out of memory alone."""
        if not self._held[org_id]:
            return None
        action_id = self._by_key.get((org_id, key_digest(org_id, idempotency_key)))
        return None if action_id is None else self.get(org_id, action_id)

    async def of_key_ever(self, ledger: Ledger, org_id: str, idempotency_key: str) -> StoredErasure | None:
        """The same, however long ago it was erased. Raises `projection_behind`."""
        found = self.of_key(org_id, idempotency_key)
        return found or await self._look(ledger, org_id, "key_digest", key_digest(org_id, idempotency_key))

    def snapshot(self) -> dict[tuple[str, str], StoredErasure]:
        """What is held, to compare two memories."""
        return dict(self._newest)

    async def _look(self, ledger: Ledger, org_id: str, column: str, value: str) -> StoredErasure | None:
        if self._all[org_id] <= self._held[org_id]:
            return None
        # What memory has let go of is older than everything that it holds, so the tables may lag behind by as much.
        sql = f"SELECT {select(ERASURES)} FROM erasures WHERE org_id = ? AND {column} = ?"
        rows = await ledger.read(sql, [org_id, value], remembered=NEWEST)
        return record(ERASURES, rows[0], StoredErasure) if rows else None

    def _keep(self, erasure: StoredErasure) -> None:
        self._newest[erasure.org_id, erasure.action_id] = erasure
        self._held[erasure.org_id] += 1
        if erasure.key_digest is not None:
            self._by_key[erasure.org_id, erasure.key_digest] = erasure.action_id
        if len(self._newest) > NEWEST:
            (org_id, _), oldest = self._newest.popitem(last=False)
            self._held[org_id] -= 1
            self._by_key.pop((org_id, oldest.key_digest or ""), None)


def key_digest(org_id: str, idempotency_key: str) -> str:
    """The organization is in it, so that the same key of another one is not recognised by it."""
    return sha256(f"{org_id}\n{idempotency_key}".encode()).hexdigest()


def gone(erasure: StoredErasure, principal: Principal) -> Refusal | None:
    """What somebody is told who asks for an erased action; None for whom it was never there."""
    if erasure.org_id != principal.org_id or not principal.sees(erasure.agent_id):
        return None
    return refuse(
        Code.ACTION_ERASED,
        f"The content of action {erasure.action_id} was erased by {erasure.erased_by} at "
        f"{erasure.erased_at.isoformat()}. That it happened is still proven: ask for its proof.",
    )
