"""Erasure of an action: taking back what was said about it, without taking back that it happened; and which actions
were erased.

1. Only an action that has ended is erased: one that goes on would be told of again.
2. From the moment on that its events are looked for, nothing more is taken about it (`store.erasure.Ended`).
3. The erasure is one write: `evidence.erased`, and behind it what replaces rows that may only echo the action.
4. The store does the rest when it folds that event (`store.erasure`): whoever reads the tables afterwards, and this
   answer, come after it. When the tables cannot follow just then, it is done as soon as they can, or at the next start.
5. Nobody attaches one of the action's files to another message meanwhile: it would be removed from under it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Protocol

import msgspec

from assent.contract.control.actions import FINAL, Action
from assent.contract.control.erasure import ERASE_ACTION, EraseAction, Erasure
from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent.contract.record import OrganizationId, Record, RecordedAt, meaning
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.locks import ACTION_FENCE, FILE_FENCE, WEBHOOK_FENCE, EntityLocks
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.store.erasure import COVERED
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.spelling import name_key
from assent_service.store.tables import Table

__all__ = [
    "ERASURES",
    "TABLES",
    "ErasureRow",
    "ErasureState",
    "Erasures",
    "gone",
    "key_digest",
    "open_erasures",
]


# Which actions were erased, and what memory keeps of that.
#
# The newest NEWEST are in memory; older ones are in the table, which is only asked about an organization that has more
# than memory holds, and only for an action that was not found. So nobody who has never erased anything pays for it.
#
# An idempotency key of an erased action still answers, for as long as it would have: a repeat must not bring back what
# was erased. The key itself is not kept, since clients make theirs of what they like, but a digest of it.


NEWEST = 10_000


class ErasureRow(Record, frozen=True, kw_only=True):
    """The payload of `evidence.erased`. `also` are ids of what was erased although its events do not name the action;
    the store reads it (`store.erasure`). Nothing here was said by the agent."""

    org_id: OrganizationId
    action_id: Annotated[str, meaning("the action", frozen=True)]
    agent_id: Annotated[str | None, meaning("who had acted", frozen=True)]
    decision_id: Annotated[str | None, meaning("guard's decision on it, which was erased as well", frozen=True)]
    also: Annotated[list[str], meaning("ids of what else was erased with it, whose events do not name the action")]
    erased_at: Annotated[datetime, meaning("when it was erased")]
    erased_by: Annotated[str, meaning("name of the key that asked for it")]
    erased_by_key: Annotated[str, meaning("id of that key")]
    reason: Annotated[str, meaning("why, in that person's words")]
    key_digest: Annotated[
        str | None, meaning("SHA-256 that tells a repeat of the action's creation by its idempotency key", frozen=True)
    ]
    signature_digest: Annotated[
        str | None, meaning("SHA-256 of the creation's signature, to tell a repeat of it", frozen=True)
    ]
    action_created_at: Annotated[datetime, meaning("when the action was recorded", frozen=True)]
    created_at: RecordedAt


ERASURES = Table.of(
    ErasureRow,
    name="erasures",
    meaning="actions whose content was erased, one row each: by whom, when and why",
    key="action_id",
    created=("evidence.erased",),
)
TABLES = (ERASURES,)


def _named(agent_id: str | None) -> str | None:
    return None if agent_id is None else comparable(agent_id)


class ErasureState:
    """Fold of erasures."""

    types = frozenset({EventName.EVIDENCE_ERASED.value})
    rules = True

    def __init__(self) -> None:
        self._newest: OrderedDict[tuple[str, str], ErasureRow] = OrderedDict()
        self._by_key: dict[tuple[str, str | None, str], str] = {}
        self._held: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self.recorded = 0
        """The seq of the last erasure that was folded, 0 for none since the tables were read."""

    def load(self, read: Read) -> None:
        for org_id, number in read("SELECT org_id, count(*) FROM erasures GROUP BY org_id", []):
            self._all[str(org_id)] = int(str(number))
        rows = read(f"SELECT {select(ERASURES)} FROM erasures ORDER BY created_at DESC, action_id LIMIT {NEWEST}", [])
        for row in reversed(rows):
            self._keep(record(ERASURES, row, ErasureRow))

    def fold(self, event: Event) -> None:
        erasure = decode(event, ErasureRow)
        self.recorded = event.seq
        self._all[erasure.org_id] += 1
        self._keep(erasure)

    def get(self, org_id: str, action_id: str) -> ErasureRow | None:
        """Out of memory alone."""
        return self._newest.get((org_id, action_id))

    async def find(self, ledger: Ledger, org_id: str, action_id: str) -> ErasureRow | None:
        """Raises `projection_behind`."""
        return self.get(org_id, action_id) or await self._look(ledger, org_id, "action_id = ?", action_id)

    def of_key(self, org_id: str, agent_id: str | None, idempotency_key: str) -> ErasureRow | None:
        """The erased action that this agent's creation with this key had made. Out of memory alone."""
        if not self._held[org_id]:
            return None
        action_id = self._by_key.get((org_id, _named(agent_id), key_digest(org_id, idempotency_key)))
        return None if action_id is None else self.get(org_id, action_id)

    async def of_key_ever(
        self, ledger: Ledger, org_id: str, agent_id: str | None, idempotency_key: str
    ) -> ErasureRow | None:
        """The same, however long ago it was erased. Raises `projection_behind`."""
        condition = f"{name_key('agent_id')} IS NOT DISTINCT FROM ? AND key_digest = ?"
        found = self.of_key(org_id, agent_id, idempotency_key)
        return found or await self._look(
            ledger, org_id, condition, _named(agent_id), key_digest(org_id, idempotency_key)
        )

    def snapshot(self) -> dict[tuple[str, str], ErasureRow]:
        """What is held, to compare two memories."""
        return dict(self._newest)

    async def _look(self, ledger: Ledger, org_id: str, condition: str, *parameters: str | None) -> ErasureRow | None:
        if self._all[org_id] <= self._held[org_id]:
            return None
        # What memory has let go of is older than everything that it holds, so the tables may lag behind by as much.
        sql = f"SELECT {select(ERASURES)} FROM erasures WHERE org_id = ? AND {condition}"
        rows = await ledger.read(sql, [org_id, *parameters], remembered=NEWEST)
        return record(ERASURES, rows[0], ErasureRow) if rows else None

    def _keep(self, erasure: ErasureRow) -> None:
        self._newest[erasure.org_id, erasure.action_id] = erasure
        self._held[erasure.org_id] += 1
        if erasure.key_digest is not None:
            self._by_key[erasure.org_id, _named(erasure.agent_id), erasure.key_digest] = erasure.action_id
        if len(self._newest) > NEWEST:
            (org_id, _), oldest = self._newest.popitem(last=False)
            self._held[org_id] -= 1
            self._by_key.pop((org_id, _named(oldest.agent_id), oldest.key_digest or ""), None)


def key_digest(org_id: str, idempotency_key: str) -> str:
    """The organization is in it, so that the same key of another one is not recognised by it."""
    return sha256(f"{org_id}\n{idempotency_key}".encode()).hexdigest()


def gone(erasure: ErasureRow, principal: Principal) -> Refusal | None:
    """What somebody is told who asks for an erased action; None for whom it was never there."""
    if erasure.org_id != principal.org_id or not principal.sees(erasure.agent_id):
        return None
    return refuse(
        Code.ACTION_ERASED,
        f"The content of action {erasure.action_id} was erased by {erasure.erased_by} at "
        f"{erasure.erased_at.isoformat()}. That it happened is still proven: ask for its proof.",
    )


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
        async with self._locks.hold(ACTION_FENCE.of(principal.org_id, action_id)):
            action = await self._actions.visible(principal, action_id)
            if action.status not in FINAL:
                raise refuse(
                    Code.ACTION_OPEN,
                    f"Action {action_id} is {action.status}; report its outcome or decide on it first, then erase it.",
                )
            async with self._alone(action):
                recorded = await self._record(principal, action, reason)
                erased = msgspec.json.decode(recorded.data or b"{}", type=prepared(ErasureRow))
                await self._ledger.caught_up()
        return _answer(erased, await self._count(recorded, erased))

    @asynccontextmanager
    async def _alone(self, action: Action) -> AsyncIterator[None]:
        """Hold the files that its messages name."""
        rows = await self._ledger.read(_ATTACHED, [action.org_id, action.action_id])
        async with self._locks.hold(*(FILE_FENCE.of(action.org_id, str(digest)) for (digest,) in rows)):
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
                erased = _erased_row(principal, action, reason, also, await self._signature(action), now)
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

    async def _count(self, recorded: Event, erased: ErasureRow) -> int:
        ((count,),) = await self._ledger.read(
            f"SELECT count(*) FROM events WHERE {COVERED}",
            [recorded.org, recorded.n, erased.action_id, erased.also],
        )
        return int(str(count))


def _erased_row(
    principal: Principal, action: Action, reason: str, also: list[str], signature: str | None, now: int
) -> ErasureRow:
    key = action.idempotency_key
    return ErasureRow(
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


def _event(erased: ErasureRow, principal: Principal, now: int) -> Draft:
    return Draft(
        org=erased.org_id,
        type=EventName.EVIDENCE_ERASED.value,
        ts=now,
        subject=erased.action_id,
        actor=principal.key_id,
        data=encode(erased),
        action=erased.action_id,
    )


def _answer(erased: ErasureRow, events: int) -> Erasure:
    return carry(
        Erasure,
        erased,
        events=events,
    )


def routes(erasures: Erasures) -> tuple[Route, ...]:
    @serves(
        ERASE_ACTION, holds=(ACTION_FENCE, FILE_FENCE, WEBHOOK_FENCE), effects="takes nothing more about the action"
    )
    async def erase(call: Call[EraseAction, None], action_id: str) -> Erasure:
        return await erasures.erase(call.principal, action_id, call.body.reason)

    return (erase,)


def open_erasures(on: Foundation, actions: Actions, state: ErasureState, silenced: Silenced) -> None:
    """`silenced` takes what was erased out of what webhooks still have to send."""
    erasures = Erasures(on.ledger, on.clock, on.locks, actions, state, silenced)
    on.bring(routes=routes(erasures), start=erasures.start)
