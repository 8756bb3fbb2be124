"""Which key an agent signs with: registered by an admin, replaced, revoked.

1. An agent has one identity. Registering again replaces its key, and lifts a revocation: the admin says so anew.
2. Registering the key that the agent has already, and that is not revoked, changes and records nothing.
3. Revoking again answers with the first revocation.
"""

from __future__ import annotations

import msgspec

from assent.contract.events import EventName
from assent.contract.identities import Identity, RegisterIdentity
from assent.contract.problems import Code
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.identities.given import GivenKey, read_key
from assent_service.identities.state import IdentityState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Identities:
    """The identities of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = IdentityState()

    def all(self, principal: Principal) -> list[Identity]:
        return self.state.of(principal.org_id)

    async def register(self, principal: Principal, said: RegisterIdentity) -> Identity:
        """Raises `invalid_public_key`."""
        given = read_key(said.public_key, said.algorithm)
        async with self._locks.hold(lock(principal.org_id, said.agent_id)):
            identity, event = self.bound(principal, said.agent_id, given, None, self._clock())
            if event is not None:
                await self._ledger.append(event)
            return identity

    async def revoke(self, principal: Principal, agent_id: str) -> Identity:
        """Raises `identity_not_found`."""
        async with self._locks.hold(lock(principal.org_id, agent_id)):
            before = self.state.get(principal.org_id, agent_id)
            if before is None:
                raise refuse(
                    Code.IDENTITY_NOT_FOUND,
                    f"Agent {agent_id!r} has no identity in this organization; get_identities lists those that have.",
                )
            if before.revoked_at is not None:
                return before
            now = self._clock()
            after = msgspec.structs.replace(
                before, revoked_at=moment(now), revoked_by=principal.key_id, updated_at=moment(now)
            )
            await self._ledger.append(_event(EventName.IDENTITY_UPDATED, after, principal.key_id, now))
            return after

    def bound(
        self, principal: Principal, agent_id: str, given: GivenKey, pairing_id: str | None, now: int
    ) -> tuple[Identity, Draft | None]:
        """The agent's identity with this key, and the event that makes it so, for whoever holds its `lock` and
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


def lock(org_id: str, agent_id: str) -> str:
    """The name of the lock around an agent's identity."""
    return f"identity:{org_id}:{agent_id}"


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
