"""Erasing actions: the event first, then everything that follows from it.

1. Only an action that has ended is erased: one that goes on would be told of again.
2. From the moment on that its events are looked for, nothing more is taken about it (`store.ended`).
3. The erasure is one write: `evidence.erased`, and behind it what replaces rows that may only echo the action.
4. The store does the rest when it folds that event (`store.erasure`): whoever reads the tables afterwards, and this
   answer, come after it. When the tables cannot follow just then, it is done as soon as they can, or at the next start.
5. Nobody attaches one of the action's files to another message meanwhile: it would be removed from under it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import msgspec

from assent.contract.actions import FINAL, Action
from assent.contract.erasure import Erasure
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent_service.core.clock import Clock, moment
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.erasure.state import ErasureState, StoredErasure, key_digest
from assent_service.store.blobs import lock_of_file
from assent_service.store.erasure import COVERED
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger

_ATTACHED = (
    "SELECT DISTINCT unnest(json_extract_string(attachments, '$[*].sha256')) AS digest FROM messages "
    "WHERE org_id = ? AND action_id = ? AND attachment_count > 0 ORDER BY digest"
)
_BOUGHT = (
    "SELECT record_id FROM records WHERE org_id = ? AND kind = 'purchase' "
    "AND json_extract_string(data, '$.action_id') = ? ORDER BY record_id"
)
"""Purchases that are recorded in this version name their action in the header; older ones only in what they say."""
_SCORED = "SELECT id FROM profile_scores WHERE org_id = ? AND action_id = ? AND source IS NULL ORDER BY id"
"""Scores that were given before the action was recorded, or by who may not see it, name it in what they say only."""

_SCANNED = (
    "SELECT scan_id FROM injection_scans WHERE org_id = ? AND subject_id = ? AND action_id IS NULL ORDER BY scan_id"
)
"""What was found in what guard was asked."""

log = logging.getLogger("assent.erasing")

Silenced = Callable[[str, Sequence[int]], AbstractAsyncContextManager[list[Draft]]]
"""Events that replace what may echo the organization's events of these numbers; held until they are recorded."""


class Actions(Protocol):
    """What an erasure needs of the action it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Erasures:
    """The erasures of every organization."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        actions: Actions,
        state: ErasureState,
        silenced: Silenced,
    ) -> None:
        self._ledger, self._clock, self._locks, self._actions = ledger, clock, locks, actions
        self.state, self._silenced = state, silenced
        self._under_way: set[asyncio.Task[Erasure]] = set()

    async def erase(self, principal: Principal, action_id: str, reason: str) -> Erasure:
        """Raises `action_not_found`, `action_open`, `action_erased`, and `projection_behind`: before the erasure is
        recorded, or after it, when the tables cannot follow; asking again then answers `action_erased`."""
        # It goes on when whoever asked has left: half of it would be worse than all of it.
        task = asyncio.create_task(self._erase(principal, action_id, reason))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    async def start(self) -> None:
        """Carry out what the last run of the service has only recorded, before anybody attaches a file."""
        if self.state.recorded > self._ledger.applied:
            try:
                await self._ledger.caught_up()
            except Refusal as refusal:
                log.warning("an erasure is recorded and not carried out yet: %s", refusal.detail)

    async def _erase(self, principal: Principal, action_id: str, reason: str) -> Erasure:
        async with self._locks.hold(f"action:{principal.org_id}:{action_id}"):
            action = await self._actions.visible(principal, action_id)
            if action.status not in FINAL:
                raise refuse(
                    Code.ACTION_OPEN,
                    f"Action {action_id} is {action.status}; report its outcome or decide on it first, then erase it.",
                )
            async with self._alone(action):
                recorded = await self._record(principal, action, reason)
                erased = msgspec.json.decode(recorded.data or b"{}", type=prepared(StoredErasure))
                await self._ledger.caught_up()
        return _shown(erased, await self._count(recorded, erased))

    @asynccontextmanager
    async def _alone(self, action: Action) -> AsyncIterator[None]:
        """Hold the files that its messages name."""
        rows = await self._ledger.read(_ATTACHED, [action.org_id, action.action_id])
        async with self._locks.hold(*(lock_of_file(action.org_id, str(digest)) for (digest,) in rows)):
            yield

    async def _record(self, principal: Principal, action: Action, reason: str) -> Event:
        self._ledger.ended.add(action.org_id, action.action_id)
        try:
            scans = await self._ledger.read(_SCANNED, [action.org_id, action.decision_id])
            numbers = await self._numbers(action, [str(each) for (each,) in scans])
            async with self._silenced(action.org_id, numbers) as silent:
                bought = await self._ledger.read(_BOUGHT, [action.org_id, action.action_id])
                scores = await self._ledger.read(_SCORED, [action.org_id, action.action_id])
                now = self._clock()
                also = [
                    action.decision_id,
                    *(draft.subject for draft in silent),
                    *(str(each) for (each,) in (*scans, *bought, *scores)),
                ]
                erased = _stored(principal, action, reason, also, await self._signature(action), now)
                recorded, *_ = await self._ledger.append(_event(erased, principal, now), *silent)
                return recorded
        except BaseException:
            if self.state.get(action.org_id, action.action_id) is None:
                self._ledger.ended.remove(action.org_id, action.action_id)
            raise

    async def _numbers(self, action: Action, scans: Sequence[str]) -> list[int]:
        marks = ", ".join("?" * (1 + len(scans)))
        rows = await self._ledger.read(
            "SELECT n FROM events WHERE org_id = ? "
            f"AND (action_id = ? OR (action_id IS NULL AND subject IN ({marks})))",
            [action.org_id, action.action_id, action.decision_id, *scans],
        )
        return [int(str(n)) for (n,) in rows]

    async def _signature(self, action: Action) -> str | None:
        rows = await self._ledger.read(
            "SELECT signature_digest FROM actions WHERE org_id = ? AND action_id = ?",
            [action.org_id, action.action_id],
        )
        return None if not rows or rows[0][0] is None else str(rows[0][0])

    async def _count(self, recorded: Event, erased: StoredErasure) -> int:
        ((count,),) = await self._ledger.read(
            f"SELECT count(*) FROM events WHERE {COVERED}",
            [recorded.org, recorded.n, erased.action_id, erased.also],
        )
        return int(str(count))


def _stored(
    principal: Principal, action: Action, reason: str, also: list[str], signature: str | None, now: int
) -> StoredErasure:
    key = action.idempotency_key
    return StoredErasure(
        org_id=action.org_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        decision_id=action.decision_id,
        also=also,
        erased_at=moment(now),
        erased_by=principal.name,
        erased_by_key=principal.key_id,
        reason=reason,
        key_digest=None if key is None else key_digest(action.org_id, key),
        signature_digest=signature,
        action_created_at=action.created_at,
        created_at=moment(now),
    )


def _event(erased: StoredErasure, principal: Principal, now: int) -> Draft:
    return Draft(
        org=erased.org_id,
        type=EventName.EVIDENCE_ERASED.value,
        ts=now,
        subject=erased.action_id,
        actor=principal.key_id,
        data=encode(erased),
        action=erased.action_id,
    )


def _shown(erased: StoredErasure, events: int) -> Erasure:
    return Erasure(
        org_id=erased.org_id,
        action_id=erased.action_id,
        erased_at=erased.erased_at,
        erased_by=erased.erased_by,
        erased_by_key=erased.erased_by_key,
        reason=erased.reason,
        events=events,
        decision_id=erased.decision_id,
    )
