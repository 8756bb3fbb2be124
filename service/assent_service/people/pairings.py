"""Pairings: an agent asks that its public key be trusted, and an admin says yes, until a deadline.

1. An agent that asks again with the key for which it waits already is answered with the pairing that waits, so that a
   restarted agent does not fill the admin's list.
2. No more than WAITING_AT_MOST wait in one organization, and WAITING_OF_AGENT of one agent: whoever has an agent's key
   cannot keep the others from asking.
3. Approving makes the key the agent's identity, in one write with the pairing's change; of two admins the second is
   told who was first.
4. A pairing whose time has passed is expired for every reader at once. That it is so is recorded by a look each
   second, which also tells the stream.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections import OrderedDict
from contextlib import suppress
from datetime import timedelta
from functools import partial

import msgspec

from assent.contract.events import EventName
from assent.contract.names import comparable, same_name
from assent.contract.people.pairings import (
    APPROVE_PAIRING,
    CREATE_PAIRING,
    GET_PAIRING,
    GET_PAIRINGS,
    ApprovedPairing,
    CreatedPairing,
    CreatePairing,
    Pairing,
    PairingDetail,
    PairingRow,
    PairingsQuery,
    PairingState,
    PairingStatus,
)
from assent.contract.people.pairings import Pairings as PairingList
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.people.identities import IDENTITY_FENCE, CheckedKey, Identities, read_key
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = [
    "PAIRINGS",
    "TABLES",
    "Pairings",
    "open_pairings",
]


# Pairings in memory: all that wait, and the newest others, so that asking how one stands needs no query.
#
# Whoever asks by id has no key, hence no organization, and could ask without end; what is not here is not there.


PAIRINGS = Table.of(
    PairingRow,
    name="pairings",
    meaning="requests of agents to have their public key trusted, one row for each as it stands now",
    key="pairing_id",
    created=("pairing.created",),
    replaced=("pairing.updated",),
    after={
        "public_key": "algorithm",
        "fingerprint": "public_key",
        "created_by": "expires_at",
        "approved_by": "created_by",
        "approved_at": "approved_by",
    },
)
TABLES = (PAIRINGS,)


NEWEST = 20_000
"""How many pairings that no longer wait are remembered."""

_SELECTED = f"SELECT {select(PAIRINGS)} FROM pairings"


class PairingMemory:
    """Pairings by id, those that wait also by organization."""

    types = frozenset({EventName.PAIRING_CREATED.value, EventName.PAIRING_UPDATED.value})

    def __init__(self) -> None:
        self._waiting: dict[str, dict[str, PairingRow]] = {}
        self._by_id: dict[str, PairingRow] = {}
        self._past: OrderedDict[str, PairingRow] = OrderedDict()
        self._expiries: list[tuple[int, str]] = []

    def load(self, read: Read) -> None:
        past = f"{_SELECTED} WHERE status <> 'pending' ORDER BY updated_at DESC, pairing_id DESC LIMIT {NEWEST}"
        for row in reversed(read(past, [])):
            self._keep(record(PAIRINGS, row, PairingRow))
        for row in read(f"{_SELECTED} WHERE status = 'pending' ORDER BY created_at, pairing_id", []):
            self._keep(record(PAIRINGS, row, PairingRow))

    def fold(self, event: Event) -> None:
        if not event.erased:
            self._keep(decode(event, PairingRow))

    def get(self, pairing_id: str) -> PairingRow | None:
        return self._by_id.get(pairing_id) or self._past.get(pairing_id)

    def waiting(self, org_id: str) -> list[PairingRow]:
        """Those recorded as pending, oldest first; the time of some may have passed."""
        return list(self._waiting.get(org_id, {}).values())

    def count_waiting(self, org_id: str) -> int:
        return len(self._waiting.get(org_id, ()))

    def overdue(self, now: int) -> list[PairingRow]:
        """Take out those whose time has passed and that are recorded as pending."""
        found = []
        while self._expiries and self._expiries[0][0] <= now:
            pairing = self._by_id.get(heapq.heappop(self._expiries)[1])
            if pairing is not None:
                found.append(pairing)
        return found

    def put_back(self, pairing: PairingRow) -> None:
        """An overdue pairing that could not be recorded as expired yet."""
        heapq.heappush(self._expiries, (microseconds(pairing.expires_at), pairing.pairing_id))

    def _keep(self, pairing: PairingRow) -> None:
        of_org = self._waiting.setdefault(pairing.org_id, {})
        if pairing.status is PairingState.PENDING:
            of_org[pairing.pairing_id] = self._by_id[pairing.pairing_id] = pairing
            self.put_back(pairing)
            return
        of_org.pop(pairing.pairing_id, None)
        self._by_id.pop(pairing.pairing_id, None)
        self._past[pairing.pairing_id] = pairing
        if len(self._past) > NEWEST:
            self._past.popitem(last=False)


# What a pairing becomes. Pure.
#
# 1. It waits from its creation until `expires_at`; at that very moment it is expired, recorded or not.
# 2. An admin approves one that waits. One that was approved is decided; one whose time has passed is gone.


def at(pairing: PairingRow, now: int) -> PairingRow:
    """The pairing as it truly stands at `now`."""
    if pairing.status is not PairingState.PENDING or now < microseconds(pairing.expires_at):
        return pairing
    return msgspec.structs.replace(pairing, status=PairingState.EXPIRED, updated_at=pairing.expires_at)


def approved(pairing: PairingRow, principal: Principal, now: int) -> PairingRow:
    """Raises `pairing_decided` and `pairing_expired`."""
    match at(pairing, now).status:
        case PairingState.APPROVED:
            raise refuse(
                Code.PAIRING_DECIDED,
                f"Pairing {pairing.pairing_id} was approved already by {pairing.approved_by}; "
                f"{pairing.agent_id} signs with its key.",
            )
        case PairingState.EXPIRED:
            raise refuse(
                Code.PAIRING_EXPIRED,
                f"Pairing {pairing.pairing_id} expired at {pairing.expires_at.isoformat()}; "
                f"have {pairing.agent_id} create a new one.",
            )
        case PairingState.PENDING:
            changes = {"approved_by": principal.name, "approved_at": moment(now), "updated_at": moment(now)}
            return msgspec.structs.replace(pairing, status=PairingState.APPROVED, **changes)


PAIRINGS_FENCE = Fence("pairings")
"""What waits in an organization is counted."""
PAIRING_FENCE = Fence("pairing", "pairing_id")
WAITING_AT_MOST = 1000
WAITING_OF_AGENT = 20
LOOK_SECONDS = 1.0
SYSTEM = "system"

log = logging.getLogger("assent.pairings")


class Pairings:
    """The pairings of every organization; `life` is how long an admin has."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, identities: Identities, life: timedelta
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._identities, self._life = identities, life
        self.state = PairingMemory()
        self._watch: asyncio.Task[None] | None = None

    async def create(self, principal: Principal, said: CreatePairing) -> Pairing:
        """Raises `invalid_public_key`, `agent_mismatch`, `too_many_pairings`, and `invalid_body` where neither body
        nor key names the agent."""
        agent_id = principal.speaks_for(said.agent_id)
        if agent_id is None:
            raise refuse(
                Code.INVALID_BODY,
                "agent_id is missing: say which agent signs with this key.",
                FieldError(place="agent_id", message="is missing"),
            )
        given = read_key(said.public_key, said.algorithm)
        async with self._locks.hold(PAIRINGS_FENCE.of(principal.org_id)):
            now = self._clock()
            waiting = [each for each in self.state.waiting(principal.org_id) if at(each, now) is each]
            own = [each for each in waiting if same_name(each.agent_id, agent_id)]
            for each in own:
                if each.fingerprint == given.fingerprint:
                    return each.public()
            if len(waiting) >= WAITING_AT_MOST:
                raise _too_many(f"{len(waiting)} pairings wait in this organization")
            if len(own) >= WAITING_OF_AGENT:
                raise _too_many(f"{len(own)} pairings of {agent_id} wait")
            pairing = self._opened(principal, agent_id, said.agent_name, given, now)
            await self._ledger.append(_event(EventName.PAIRING_CREATED, pairing, principal.key_id, now))
            return pairing.public()

    def status(self, pairing_id: str) -> PairingStatus:
        """How a pairing of any organization stands. Raises `pairing_not_found`."""
        found = self.state.get(pairing_id)
        if found is None:
            raise _not_found(pairing_id)
        return at(found, self._clock()).shown_to_anybody()

    async def page(self, principal: Principal, query: PairingsQuery) -> list[Pairing]:
        """Newest first."""
        if query.status is PairingState.PENDING:
            now = self._clock()
            waiting = [each for each in self.state.waiting(principal.org_id) if at(each, now) is each]
            return [each.public() for each in reversed(waiting[-query.limit :])]
        await self.expire_overdue()
        rows = await self._ledger.read(
            f"SELECT {select(PAIRINGS)} FROM pairings WHERE org_id = ? AND status = ? "
            "ORDER BY created_at DESC, pairing_id DESC LIMIT ?",
            [principal.org_id, query.status.value, query.limit],
        )
        return [record(PAIRINGS, row, PairingRow).public() for row in rows]

    async def approve(self, principal: Principal, pairing_id: str) -> ApprovedPairing:
        """Raises `pairing_not_found`, `pairing_decided` and `pairing_expired`."""
        found = self._own(principal, pairing_id)
        async with self._locks.hold(
            PAIRING_FENCE.of(found.org_id, pairing_id), IDENTITY_FENCE.of(found.org_id, comparable(found.agent_id))
        ):
            before = self._own(principal, pairing_id)
            now = self._clock()
            after = approved(before, principal, now)
            given = CheckedKey(after.algorithm, after.public_key, after.fingerprint)
            identity, bound = self._identities.bound(principal, after.agent_id, given, pairing_id, now)
            await self._record(after, bound, principal.key_id, now)
            return ApprovedPairing(identity=identity, pairing=after.public())

    async def start(self) -> None:
        """Begin to look for pairings whose time has passed."""
        self._watch = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch

    async def expire_overdue(self) -> int:
        """Record overdue pairings as expired, and say how many were."""
        recorded = 0
        for pairing in self.state.overdue(self._clock()):
            try:
                recorded += await self._ledger.run(partial(self._expire, pairing))
            except Exception as error:  # noqa: BLE001 - whatever it is, the others must not be forgotten for it
                # Readers see it as expired all the same, and the next look tries again.
                log.warning("pairing %s is overdue but not recorded: %s", pairing.pairing_id, error)
                self.state.put_back(pairing)
        return recorded

    def _opened(
        self, principal: Principal, agent_id: str, agent_name: str | None, given: CheckedKey, now: int
    ) -> PairingRow:
        return PairingRow(
            org_id=principal.org_id,
            pairing_id=new_id("pair_", now),
            agent_id=agent_id,
            agent_name=agent_name,
            algorithm=given.algorithm,
            public_key=given.pem,
            fingerprint=given.fingerprint,
            status=PairingState.PENDING,
            expires_at=moment(now) + self._life,
            created_by=principal.key_id,
            approved_by=None,
            approved_at=None,
            created_at=moment(now),
            updated_at=moment(now),
        )

    def _own(self, principal: Principal, pairing_id: str) -> PairingRow:
        found = self.state.get(pairing_id)
        if found is None or found.org_id != principal.org_id:
            raise _not_found(pairing_id)
        return found

    async def _expire(self, pairing: PairingRow) -> bool:
        async with self._locks.hold(PAIRING_FENCE.of(pairing.org_id, pairing.pairing_id)):
            now = self._clock()
            before = self.state.get(pairing.pairing_id)
            after = None if before is None else at(before, now)
            if after is None or after is before:
                return False
            await self._record(after, None, SYSTEM, now)
            return True

    async def _record(self, after: PairingRow, bound: Draft | None, actor: str, now: int) -> None:
        event = _event(EventName.PAIRING_UPDATED, after, actor, now)
        await self._ledger.append(*(event,) if bound is None else (bound, event))

    async def _look(self) -> None:
        turn = self._ledger.turn("pairings")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                if await turn.is_ours():
                    await self.expire_overdue()
            except Exception:
                log.exception("looking for overdue pairings failed; the next look tries again")


def _not_found(pairing_id: str) -> Refusal:
    return refuse(
        Code.PAIRING_NOT_FOUND, f"There is no pairing {pairing_id[:128]!r}; create_pairing answers with its id."
    )


def _too_many(how_many: str) -> Refusal:
    return refuse(
        Code.TOO_MANY_PAIRINGS,
        f"{how_many}, and no more may; have an admin approve those that are meant, or wait until some expire.",
    )


def _event(name: EventName, pairing: PairingRow, actor: str, now: int) -> Draft:
    return Draft(
        org=pairing.org_id,
        type=name.value,
        ts=now,
        subject=pairing.pairing_id,
        actor=actor,
        data=encode(pairing),
    )


def routes(pairings: Pairings, dashboard_url: str) -> tuple[Route, ...]:
    page = f"{dashboard_url.rstrip('/')}/settings?section=pairings&pairing_id="

    @serves(CREATE_PAIRING, holds=(PAIRINGS_FENCE,))
    async def create(call: Call[CreatePairing, None]) -> CreatedPairing:
        created = await pairings.create(call.principal, call.body)
        return CreatedPairing(pairing=created, pairing_url=page + created.pairing_id)

    @serves(GET_PAIRINGS)
    async def list_all(call: Call[None, PairingsQuery]) -> PairingList:
        return PairingList(pairings=await pairings.page(call.principal, call.query))

    @serves(GET_PAIRING)
    async def get(call: Call[None, None], pairing_id: str) -> PairingDetail:
        return PairingDetail(pairing=pairings.status(pairing_id))

    @serves(APPROVE_PAIRING, holds=(PAIRING_FENCE, IDENTITY_FENCE))
    async def approve(call: Call[None, None], pairing_id: str) -> ApprovedPairing:
        return await pairings.approve(call.principal, pairing_id)

    return create, list_all, get, approve


def open_pairings(on: Foundation, identities: Identities) -> Pairings:
    life = timedelta(minutes=on.settings.pairing_minutes)
    pairings = Pairings(on.ledger, on.clock, on.locks, identities, life)
    on.bring(
        routes=routes(pairings, on.settings.dashboard_url),
        memory=pairings.state,
        start=pairings.start,
        stop=pairings.stop,
    )
    return pairings
