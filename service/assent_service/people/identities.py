"""Identities: which public key each agent signs with; registering, looking up and revoking them.

1. An agent has one identity. Registering again replaces its key, and lifts a revocation: the admin says so anew.
2. Registering the key that the agent has already, and that is not revoked, changes and records nothing.
3. Revoking again answers with the first revocation.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.people.identities import (
    GET_IDENTITIES,
    GET_IDENTITY,
    REGISTER_IDENTITY,
    REVOKE_IDENTITY,
    Algorithm,
    Identity,
    IdentityDetail,
    RegisterIdentity,
    RevokedIdentity,
)
from assent.contract.people.identities import Identities as IdentityList
from assent.contract.problems import Code, FieldError
from assent.proof.public_key import LoadedKey, PublicKeyError, fingerprint, load_public_key, pem_of
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = [
    "IDENTITIES",
    "IDENTITY_FENCE",
    "TABLES",
    "CheckedKey",
    "Identities",
    "IdentityState",
    "open_identities",
    "read_key",
]


# A public key as it was given, checked at the door; an error never repeats what was sent.


@dataclass(frozen=True)
class CheckedKey:
    """`pem` is written anew from the loaded key, so that nothing is kept but the key."""

    algorithm: Algorithm
    pem: str
    fingerprint: str


def read_key(pem: str, algorithm: Algorithm) -> CheckedKey:
    """Raises `invalid_public_key`."""
    try:
        key = load_public_key(pem, algorithm)
    except PublicKeyError as error:
        message = str(error)
        raise refuse(
            Code.INVALID_PUBLIC_KEY,
            f"public_key cannot be used: {message}.",
            FieldError(place="public_key", message=message),
        ) from None
    return CheckedKey(algorithm, pem_of(key), fingerprint(key))


# Identities in memory, each with its key ready to verify with; a revoked one is gone at once.


IDENTITIES = Table.of(
    Identity,
    name="identities",
    meaning="whose signature is whose, one row for each agent with the key it has now; revoked ones included",
    key="identity_id",
    created=("identity.created",),
    replaced=("identity.updated",),
)
TABLES = (IDENTITIES,)


class IdentityState:
    """One identity for each agent of each organization, however its name is spelled."""

    types = frozenset({EventName.IDENTITY_CREATED.value, EventName.IDENTITY_UPDATED.value})
    rules = True

    def __init__(self) -> None:
        self._by_agent: dict[tuple[str, str], Identity] = {}
        self._loaded: dict[str, tuple[str, LoadedKey]] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(IDENTITIES)} FROM identities ORDER BY created_at, identity_id", []):
            self._keep(record(IDENTITIES, row, Identity))

    def fold(self, event: Event) -> None:
        if not event.erased:
            self._keep(decode(event, Identity))

    def get(self, org_id: str, agent_id: str) -> Identity | None:
        return self._by_agent.get((org_id, comparable(agent_id)))

    def of(self, org_id: str) -> list[Identity]:
        """The organization's, by agent."""
        found = [identity for (org, _), identity in self._by_agent.items() if org == org_id]
        return sorted(found, key=lambda identity: identity.agent_id)

    def key(self, identity: Identity) -> LoadedKey:
        """The identity's key, loaded when it is first needed."""
        fingerprint, key = self._loaded.get(identity.identity_id, ("", None))
        if key is None or fingerprint != identity.fingerprint:
            key = load_public_key(identity.public_key, identity.algorithm)
            self._loaded[identity.identity_id] = (identity.fingerprint, key)
        return key

    def _keep(self, identity: Identity) -> None:
        self._by_agent[identity.org_id, comparable(identity.agent_id)] = identity


IDENTITY_FENCE = Fence("identity", "agent_id")


class Identities:
    """The identities of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = IdentityState()

    def all(self, principal: Principal) -> list[Identity]:
        return self.state.of(principal.org_id)

    def get(self, principal: Principal, agent_id: str) -> Identity:
        """Raises `identity_not_found`."""
        found = self.state.get(principal.org_id, agent_id)
        if found is None:
            raise refuse(
                Code.IDENTITY_NOT_FOUND,
                f"Agent {agent_id!r} has no identity in this organization; get_identities lists those that have.",
            )
        return found

    async def register(self, principal: Principal, said: RegisterIdentity) -> Identity:
        """Raises `invalid_public_key`."""
        given = read_key(said.public_key, said.algorithm)
        async with self._locks.hold(IDENTITY_FENCE.of(principal.org_id, comparable(said.agent_id))):
            identity, event = self.bound(principal, said.agent_id, given, None, self._clock())
            if event is not None:
                await self._ledger.append(event)
            return identity

    async def revoke(self, principal: Principal, agent_id: str) -> Identity:
        """Raises `identity_not_found`."""
        async with self._locks.hold(IDENTITY_FENCE.of(principal.org_id, comparable(agent_id))):
            before = self.get(principal, agent_id)
            if before.revoked_at is not None:
                return before
            now = self._clock()
            after = msgspec.structs.replace(
                before, revoked_at=moment(now), revoked_by=principal.key_id, updated_at=moment(now)
            )
            await self._ledger.append(_event(EventName.IDENTITY_UPDATED, after, principal.key_id, now))
            return after

    def bound(
        self, principal: Principal, agent_id: str, given: CheckedKey, pairing_id: str | None, now: int
    ) -> tuple[Identity, Draft | None]:
        """The agent's identity with this key, and the event that makes it so, for whoever holds its IDENTITY_FENCE and
        records it together with something else. None where it is so already."""
        before = self.state.get(principal.org_id, agent_id)
        if before is not None and before.revoked_at is None and before.fingerprint == given.fingerprint:
            return before, None
        after = Identity(
            org_id=principal.org_id,
            identity_id=new_id("idn_", now) if before is None else before.identity_id,
            agent_id=agent_id,
            algorithm=given.algorithm,
            public_key=given.pem,
            fingerprint=given.fingerprint,
            pairing_id=pairing_id,
            registered_by=principal.key_id,
            revoked_at=None,
            revoked_by=None,
            created_at=moment(now) if before is None else before.created_at,
            updated_at=moment(now),
        )
        name = EventName.IDENTITY_CREATED if before is None else EventName.IDENTITY_UPDATED
        return after, _event(name, after, principal.key_id, now)


def _members(identity: Identity) -> dict[str, object]:
    return {name: getattr(identity, name) for name in Identity.__struct_fields__}


def _event(name: EventName, identity: Identity, actor: str, now: int) -> Draft:
    return Draft(
        org=identity.org_id,
        type=name.value,
        ts=now,
        subject=identity.identity_id,
        actor=actor,
        data=encode(identity),
    )


def routes(identities: Identities) -> tuple[Route, ...]:
    @serves(REGISTER_IDENTITY, holds=(IDENTITY_FENCE,))
    async def register(call: Call[RegisterIdentity, None]) -> IdentityDetail:
        return IdentityDetail(identity=await identities.register(call.principal, call.body))

    @serves(GET_IDENTITIES)
    async def list_all(call: Call[None, None]) -> IdentityList:
        return IdentityList(identities=identities.all(call.principal))

    @serves(GET_IDENTITY)
    async def get(call: Call[None, None], agent_id: str) -> IdentityDetail:
        return IdentityDetail(identity=identities.get(call.principal, agent_id))

    @serves(REVOKE_IDENTITY, holds=(IDENTITY_FENCE,))
    async def revoke(call: Call[None, None], agent_id: str) -> RevokedIdentity:
        revoked = await identities.revoke(call.principal, agent_id)
        return RevokedIdentity(identity=revoked, revoked=True)

    return register, list_all, get, revoke


def open_identities(on: Foundation) -> Identities:
    identities = Identities(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(identities), memory=identities.state)
    return identities
