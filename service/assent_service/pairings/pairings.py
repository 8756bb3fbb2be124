"""Asking that a key be trusted, and saying yes.

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
import logging
from contextlib import suppress
from datetime import timedelta

from assent.contract.events import EventName
from assent.contract.pairings import ApprovedPairing, CreatePairing, Pairing, PairingsQuery, PairingState, PairingStatus
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.core.rows import record, select
from assent_service.identities import GivenKey, Identities, lock, read_key
from assent_service.pairings.state import PairingMemory
from assent_service.pairings.tables import PAIRINGS
from assent_service.pairings.transition import StoredPairing, approved, at
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

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
        async with self._locks.hold(f"pairings:{principal.org_id}"):
            now = self._clock()
            waiting = [each for each in self.state.waiting(principal.org_id) if at(each, now) is each]
            own = [each for each in waiting if each.agent_id == agent_id]
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
        return [record(PAIRINGS, row, StoredPairing).public() for row in rows]

    async def approve(self, principal: Principal, pairing_id: str) -> ApprovedPairing:
        """Raises `pairing_not_found`, `pairing_decided` and `pairing_expired`."""
        found = self._own(principal, pairing_id)
        async with self._locks.hold(_lock(pairing_id), lock(found.org_id, found.agent_id)):
            before = self._own(principal, pairing_id)
            now = self._clock()
            after = approved(before, principal, now)
            given = GivenKey(after.algorithm, after.public_key, after.fingerprint)
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
                recorded += await self._expire(pairing)
            except Exception as error:  # noqa: BLE001 - whatever it is, the others must not be forgotten for it
                # Readers see it as expired all the same, and the next look tries again.
                log.warning("pairing %s is overdue but not recorded: %s", pairing.pairing_id, error)
                self.state.put_back(pairing)
        return recorded

    def _opened(
        self, principal: Principal, agent_id: str, agent_name: str | None, given: GivenKey, now: int
    ) -> StoredPairing:
        return StoredPairing(
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

    def _own(self, principal: Principal, pairing_id: str) -> StoredPairing:
        found = self.state.get(pairing_id)
        if found is None or found.org_id != principal.org_id:
            raise _not_found(pairing_id)
        return found

    async def _expire(self, pairing: StoredPairing) -> bool:
        async with self._locks.hold(_lock(pairing.pairing_id)):
            now = self._clock()
            before = self.state.get(pairing.pairing_id)
            after = None if before is None else at(before, now)
            if after is None or after is before:
                return False
            await self._record(after, None, SYSTEM, now)
            return True

    async def _record(self, after: StoredPairing, bound: Draft | None, actor: str, now: int) -> None:
        event = _event(EventName.PAIRING_UPDATED, after, actor, now)
        await self._ledger.append(*(event,) if bound is None else (bound, event))

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
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


def _lock(pairing_id: str) -> str:
    return f"pairing:{pairing_id}"


def _event(name: EventName, pairing: StoredPairing, actor: str, now: int) -> Draft:
    return Draft(
        org=pairing.org_id,
        type=name.value,
        ts=now,
        subject=pairing.pairing_id,
        actor=actor,
        data=encode(pairing),
    )
