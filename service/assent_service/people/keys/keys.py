"""API keys: making, listing and revoking them, their secrets, and the look-up of a request's key by its fingerprint.

A key is in memory, so a revoked one is gone at once. The look-up tells by its time at most how a SHA-256 begins, and
nobody who guesses can choose how the digest of a guess does: so the time says nothing about a key, and nothing else is
compared with one.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated

from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.people.keys import (
    CREATE_KEY,
    GET_KEY,
    GET_KEYS,
    GET_OPERATORS,
    GET_OWN_KEY,
    REVOKE_KEY,
    CreatedKey,
    CreateKey,
    Key,
    KeyDetail,
    Operator,
    Operators,
    RevokedKey,
)
from assent.contract.people.keys import Keys as KeyList
from assent.contract.problems import Code, FieldError
from assent.contract.record import meaning
from assent.contract.roles import OPERATING, Role
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import SHORTEST, Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

# The secret of a key. It holds 256 random bits, so a plain SHA-256 keeps it safe at rest.


PREFIX = "assent_"


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def fingerprint(secret: str) -> str:
    """What is stored of a secret, hex."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def hint(secret: str) -> str:
    """The last four characters, by which a person tells keys apart."""
    return secret[-4:]


class KeyRow(Key, frozen=True, kw_only=True):
    """A key as it is recorded, with what is kept of its secret."""

    fingerprint: Annotated[str, meaning("SHA-256 of the secret, hex")]

    def public(self) -> Key:
        return Key(**{name: getattr(self, name) for name in Key.__struct_fields__})


KEYS = Table.of(
    KeyRow,
    name="api_keys",
    meaning="API keys, revoked ones included; their secrets are not here",
    key="key_id",
    created=("key.created",),
    replaced=("key.revoked",),
    after={"fingerprint": "hint"},
)


class OwnAgents(Collection[str]):
    """The agents of one organization that have a key of their own: of role agent, bound to them and valid. Any spelling
    of one is it; they are listed as they are compared."""

    def __init__(self) -> None:
        self._keys: dict[str, set[str]] = {}

    def __contains__(self, agent_id: object) -> bool:
        return isinstance(agent_id, str) and comparable(agent_id) in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def keep(self, key: KeyRow) -> None:
        if key.role is not Role.AGENT or key.agent_id is None:
            return
        name = comparable(key.agent_id)
        if key.revoked_at is None:
            self._keys.setdefault(name, set()).add(key.key_id)
            return
        left = self._keys.get(name, set())
        left.discard(key.key_id)
        if not left:
            self._keys.pop(name, None)


class KeyState:
    """Every key by id, and the principals of those that are valid by fingerprint."""

    types = frozenset({EventName.KEY_CREATED.value, EventName.KEY_REVOKED.value})
    rules = True

    def __init__(self) -> None:
        self.by_id: dict[tuple[str, str], KeyRow] = {}
        self.short: set[str] = set()
        """Ids of valid keys that came with a request and are shorter than a new one may be."""
        self._valid: dict[str, Principal] = {}
        self._own: dict[str, OwnAgents] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(KEYS)} FROM api_keys ORDER BY created_at, key_id", []):
            self._keep(record(KEYS, row, KeyRow))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, KeyRow))

    def principal(self, fingerprint: str) -> Principal | None:
        return self._valid.get(fingerprint)

    def unbound(self, org_id: str, key_id: str) -> bool:
        """Whether a key, valid or revoked, is an agents' and bound to none."""
        key = self.by_id.get((org_id, key_id))
        return key is not None and key.agent_id is None and key.role is Role.AGENT

    def of(self, org_id: str) -> list[KeyRow]:
        return [key for (org, _), key in self.by_id.items() if org == org_id]

    def _keep(self, key: KeyRow) -> None:
        self.by_id[key.org_id, key.key_id] = key
        own = self._own.setdefault(key.org_id, OwnAgents())
        own.keep(key)
        if key.revoked_at is None:
            shared = key.role is Role.AGENT and key.agent_id is None and not key.any_agent
            self._valid[key.fingerprint] = Principal(
                key.org_id, key.key_id, key.name, key.role, key.agent_id, own if shared else ()
            )
        else:
            self._valid.pop(key.fingerprint, None)


KEYS_FENCE = Fence("keys")


class Keys:
    """The keys of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = KeyState()

    def authenticate(self, secret: str) -> Principal | None:
        """The principal of a key, None when there is none or it was revoked. A valid one that is too short to be made
        any more is noted (`KeyState.short`)."""
        principal = self.state.principal(fingerprint(secret))
        if principal is not None and len(secret) < SHORTEST:
            self.state.short.add(principal.key_id)
        return principal

    def list(self, org_id: str) -> list[Key]:
        return [key.public() for key in self.state.of(org_id)]

    def get(self, org_id: str, key_id: str) -> Key:
        """Raises `key_not_found`."""
        return self._row(org_id, key_id).public()

    def find(self, org_id: str, key_id: str) -> Key | None:
        """A key of the organization, valid or revoked."""
        key = self.state.by_id.get((org_id, key_id))
        return None if key is None else key.public()

    def operators(self, org_id: str) -> Sequence[Operator]:
        """Those that decide, by name."""
        keys = [key for key in self.state.of(org_id) if key.revoked_at is None and key.role in OPERATING]
        keys.sort(key=lambda key: (key.name, key.key_id))
        return [Operator(key_id=key.key_id, name=key.name, role=key.role) for key in keys]

    def own(self, principal: Principal) -> Key:
        return self.state.by_id[(principal.org_id, principal.key_id)].public()

    def draft(self, org_id: str, request: CreateKey, *, by: str, secret: str | None = None) -> tuple[Draft, CreatedKey]:
        """The event that makes a key, for whoever records it together with something else."""
        now = self._clock()
        secret = secret or new_secret()
        key = KeyRow(
            org_id=org_id,
            key_id=new_id("key_", now),
            name=request.name,
            role=request.role,
            agent_id=request.agent_id,
            any_agent=request.any_agent,
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
        """Raises `invalid_body` for `any_agent` of a key that is bound to one, or that is no agent's."""
        if request.any_agent and (request.agent_id is not None or request.role is not Role.AGENT):
            why = "is for keys of role agent" if request.role is not Role.AGENT else "and agent_id exclude each other"
            raise refuse(
                Code.INVALID_BODY,
                f"The body is not valid: any_agent {why}; leave it out, or give role agent and no agent_id.",
                FieldError(place="any_agent", message=why),
            )
        event, created = self.draft(principal.org_id, request, by=principal.key_id)
        await self._ledger.append(event)
        return created

    async def revoke(self, principal: Principal, key_id: str) -> Key:
        """Revoke a key; revoking it again answers with the first revocation.

        Raises `key_not_found`, and `last_admin_key` for the only admin key left.
        """
        async with self._locks.hold(KEYS_FENCE.of(principal.org_id)):
            key = self._row(principal.org_id, key_id)
            if key.revoked_at is not None:
                return key.public()
            if key.role is Role.ADMIN and self._admins(principal.org_id) == 1:
                raise refuse(Code.LAST_ADMIN_KEY, "This is the only admin key left; make another one first.")
            now = self._clock()
            members = {name: getattr(key, name) for name in KeyRow.__struct_fields__}
            revoked = KeyRow(**(members | {"revoked_at": moment(now), "revoked_by": principal.key_id}))
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

    def _row(self, org_id: str, key_id: str) -> KeyRow:
        key = self.state.by_id.get((org_id, key_id))
        if key is None:
            raise refuse(Code.KEY_NOT_FOUND, f"There is no key {key_id!r} in this organization.")
        return key

    def _admins(self, org_id: str) -> int:
        return sum(key.role is Role.ADMIN and key.revoked_at is None for key in self.state.of(org_id))


def routes(keys: Keys) -> tuple[Route, ...]:
    @serves(CREATE_KEY, unfenced=NEW_ID)
    async def create(call: Call[CreateKey, None]) -> CreatedKey:
        return await keys.create(call.principal, call.body)

    @serves(GET_KEYS)
    async def list_keys(call: Call[None, None]) -> KeyList:
        return KeyList(keys=keys.list(call.principal.org_id))

    @serves(GET_KEY)
    async def get(call: Call[None, None], key_id: str) -> KeyDetail:
        return KeyDetail(key=keys.get(call.principal.org_id, key_id))

    @serves(GET_OWN_KEY)
    async def own(call: Call[None, None]) -> Key:
        return keys.own(call.principal)

    @serves(GET_OPERATORS)
    async def operators(call: Call[None, None]) -> Operators:
        return Operators(operators=list(keys.operators(call.principal.org_id)))

    @serves(REVOKE_KEY, holds=(KEYS_FENCE,))
    async def revoke(call: Call[None, None], key_id: str) -> RevokedKey:
        return RevokedKey(key=await keys.revoke(call.principal, key_id), revoked=True)

    return create, list_keys, get, own, operators, revoke
