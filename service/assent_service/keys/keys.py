"""Making, finding and revoking keys."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.keys import CreatedKey, CreateKey, Key
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.keys.secret import fingerprint, hint, new_secret
from assent_service.keys.state import KeyState, StoredKey
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Keys:
    """The keys of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = KeyState()

    def authenticate(self, secret: str) -> Principal | None:
        return self.state.principal(fingerprint(secret))

    def list(self, org_id: str) -> list[Key]:
        return [key.public() for key in self.state.of(org_id)]

    def own(self, principal: Principal) -> Key:
        return self.state.by_id[(principal.org_id, principal.key_id)].public()

    def draft(self, org_id: str, request: CreateKey, *, by: str, secret: str | None = None) -> tuple[Draft, CreatedKey]:
        """The event that makes a key, for whoever records it together with something else."""
        now = self._clock()
        secret = secret or new_secret()
        key = StoredKey(
            org_id=org_id,
            key_id=new_id("key_", now),
            name=request.name,
            role=request.role,
            agent_id=request.agent_id,
            hint=hint(secret),
            created_at=moment(now),
            created_by=by,
            revoked_at=None,
            revoked_by=None,
            fingerprint=fingerprint(secret),
        )
        event = Draft(org=org_id, type=EventName.KEY_CREATED, ts=now, subject=key.key_id, actor=by, data=encode(key))
        return event, CreatedKey(key=key.public(), api_key=secret)

    async def create(self, principal: Principal, request: CreateKey) -> CreatedKey:
        event, created = self.draft(principal.org_id, request, by=principal.key_id)
        await self._ledger.append(event)
        return created

    async def revoke(self, principal: Principal, key_id: str) -> Key:
        """Revoke a key; revoking it again answers with the first revocation.

        Raises `key_not_found`, and `last_admin_key` for the only admin key left.
        """
        async with self._locks.hold(f"keys:{principal.org_id}"):
            key = self.state.by_id.get((principal.org_id, key_id))
            if key is None:
                raise refuse(Code.KEY_NOT_FOUND, f"There is no key {key_id!r} in this organization.")
            if key.revoked_at is not None:
                return key.public()
            if key.role is Role.ADMIN and self._admins(principal.org_id) == 1:
                raise refuse(Code.LAST_ADMIN_KEY, "This is the only admin key left; make another one first.")
            now = self._clock()
            members = {name: getattr(key, name) for name in StoredKey.__struct_fields__}
            revoked = StoredKey(**(members | {"revoked_at": moment(now), "revoked_by": principal.key_id}))
            await self._ledger.append(
                Draft(
                    org=principal.org_id,
                    type=EventName.KEY_REVOKED,
                    ts=now,
                    subject=key_id,
                    actor=principal.key_id,
                    data=encode(revoked),
                )
            )
            return revoked.public()

    def _admins(self, org_id: str) -> int:
        return sum(key.role is Role.ADMIN and key.revoked_at is None for key in self.state.of(org_id))
