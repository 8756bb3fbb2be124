"""The wallet: the keys that organizations sign with.

1. An organization has a key from its first use on. One is in use at a time; when it has run out, was retired or was
   revoked, the next use makes another. Asking which keys there are makes none.
2. The private part is durable before the key is recorded, and only the public part is recorded. A crash in between
   leaves a file that nobody knows of.
3. A new key and the retirement of the one before it are recorded together, at the same moment.
4. Revoking says nothing of a successor: the next use makes it.
5. A kid is base64url and could begin with `-`, which no id in a path may and which a command line reads as an option.
   Such a pair of keys (one of 64) is thrown away and another is made.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.wallet import Jwk, Jwks, RotatedSigningKey, SigningKey
from assent.proof.jwk import thumbprint
from assent.proof.note import key_id as id_in_note
from assent_service.core.clock import Clock, microseconds
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.wallet.master import Master
from assent_service.wallet.state import WalletState
from assent_service.wallet.stored import StoredSigningKey, made, published, retired, revoked, rising, shown
from assent_service.wallet.vault import Vault

SYSTEM = "system"


@dataclass(frozen=True)
class Signer:
    """A key in use. What is signed with it should carry a time that is read after it was handed out."""

    kid: str
    jwk: Jwk
    key: Ed25519PrivateKey = field(repr=False)


class Wallet:
    """The signing keys of every organization. `home` is the data folder, `secret` the setting `wallet_key`, `days` how
    long a key signs."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, *, home: Path, secret: str | None, days: float
    ) -> None:
        self._ledger, self._clock, self._locks, self._days = ledger, clock, locks, days
        self._vault = Vault(home, Master(home, secret))
        self._open: dict[str, tuple[str, Ed25519PrivateKey]] = {}
        self.state = WalletState()

    async def signer(self, org_id: str) -> Signer:
        """The key in use, made where there is none. `org_id` must be one that is there.

        Raises `wallet_unavailable`, and what recording raises when a key has to be made.
        """
        async with self._locks.hold(_lock(org_id)):
            newest = self.state.newest(org_id)
            if newest is None or not newest.signs(self._clock()):
                newest = await self._made(org_id, SYSTEM)
                await self._ledger.append(_event(EventName.SIGNING_KEY_CREATED, newest, SYSTEM))
            return Signer(newest.kid, published(newest), await self._private(newest))

    async def rotate(self, principal: Principal, reason: str | None) -> RotatedSigningKey:
        """Sign with a new key from now on. Works where the private part of the one before cannot be opened."""
        async with self._locks.hold(_lock(principal.org_id)):
            by, before = principal.key_id, self.state.newest(principal.org_id)
            after = await self._made(principal.org_id, by)
            drafts = [_event(EventName.SIGNING_KEY_CREATED, after, by)]
            ended: StoredSigningKey | None = None
            now = microseconds(after.created_at)
            if before is not None and before.signs(now):
                ended = retired(before, by=by, reason=reason, now=now)
                drafts.insert(0, _event(EventName.SIGNING_KEY_UPDATED, ended, by))
            await self._ledger.append(*drafts)
            return RotatedSigningKey(key=self._shown(after), retired=None if ended is None else self._shown(ended))

    async def revoke(self, principal: Principal, kid: str, reason: str) -> SigningKey:
        """Raises `signing_key_not_found`, and `signing_key_ended` for one that is revoked already."""
        async with self._locks.hold(_lock(principal.org_id)):
            before = self.state.get(principal.org_id, kid)
            if before is None:
                raise refuse(
                    Code.SIGNING_KEY_NOT_FOUND,
                    f"There is no signing key {kid!r} in this organization; get_signing_keys lists them.",
                )
            if before.revoked_at is not None:
                raise refuse(
                    Code.SIGNING_KEY_ENDED,
                    f"Signing key {kid!r} was revoked already, at {before.revoked_at.isoformat()}.",
                )
            after = revoked(before, by=principal.key_id, reason=reason, now=rising(self._clock(), before))
            await self._ledger.append(_event(EventName.SIGNING_KEY_UPDATED, after, principal.key_id))
            return self._shown(after)

    def list(self, org_id: str) -> list[SigningKey]:
        return [self._shown(key) for key in self.state.of(org_id)]

    def has_key(self, org_id: str) -> bool:
        """Whether anything was ever signed for it."""
        return self.state.newest(org_id) is not None

    def jwks(self, org_id: str) -> Jwks:
        """Every key there ever was, each with its validity; none for an organization that is not there."""
        return Jwks(keys=[published(key) for key in self.state.of(org_id)])

    def jwk(self, org_id: str, kid: str) -> Jwk | None:
        key = self.state.get(org_id, kid)
        return None if key is None else published(key)

    def kid_of(self, org_id: str, name: str, key_id: bytes) -> str | None:
        """The kid of the key that signs notes under this name by this id (`assent.proof.note.key_id`)."""
        return next((key.kid for key in self.state.of(org_id) if id_in_note(name, key.public) == key_id), None)

    async def _made(self, org_id: str, by: str) -> StoredSigningKey:
        """A new key, not recorded yet; its private part is kept already."""
        private = Ed25519PrivateKey.generate()
        while (kid := thumbprint(private.public_key().public_bytes_raw())).startswith("-"):
            private = Ed25519PrivateKey.generate()
        await asyncio.to_thread(self._vault.seal, org_id, kid, private)
        newest, now = self.state.newest(org_id), self._clock()
        return made(org_id, private.public_key(), by=by, now=now, days=self._days, before=newest)

    async def _private(self, key: StoredSigningKey) -> Ed25519PrivateKey:
        """Opened once for each key in use."""
        kid, private = self._open.get(key.org_id, (None, None))
        if private is None or kid != key.kid:
            private = await asyncio.to_thread(self._vault.open, key.org_id, key.kid)
            self._open[key.org_id] = (key.kid, private)
        return private

    def _shown(self, key: StoredSigningKey) -> SigningKey:
        newest = self.state.newest(key.org_id)
        return shown(key, newest=newest is not None and newest.kid == key.kid, now=self._clock())


def _lock(org_id: str) -> str:
    return f"wallet:{org_id}"


def _event(name: EventName, key: StoredSigningKey, actor: str) -> Draft:
    return Draft(
        org=key.org_id,
        type=name.value,
        ts=microseconds(key.updated_at),
        subject=key.kid,
        actor=actor,
        data=encode(key),
    )
