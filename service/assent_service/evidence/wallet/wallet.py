"""The wallet: the keys that organizations sign with.

1. An organization has a key from its first use on. One is in use at a time; when it has run out, was retired or was
   revoked, the next use makes another. Asking which keys there are makes none.
2. The private part is durable before the key is recorded, and only the public part is recorded. A crash in between
   leaves a file that nobody knows of.
3. A new key and the retirement of the one before it are recorded together, at the same moment.
4. Revoking says nothing of a successor: the next use makes it.
5. In a folder that was restored, and in a replica's whose database has lost what it had read, nothing is signed and
   no key is rotated until somebody has run `assent log adopt` (`store.adoption`). Then every key in use is retired for
   that reason, which is recorded, and the next use makes another.
6. A kid is base64url and could begin with `-`, which no id in a path may and which a command line reads as an option.
   Such a pair of keys (one of 64) is thrown away and another is made.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.events import EventName
from assent.contract.evidence.wallet import (
    GET_JWKS,
    GET_SIGNING_KEYS,
    REVOKE_SIGNING_KEY,
    ROTATE_SIGNING_KEY,
    Jwk,
    Jwks,
    JwksQuery,
    RevokedSigningKey,
    RevokeSigningKey,
    RotatedSigningKey,
    RotateSigningKey,
    SigningKey,
    SigningKeys,
)
from assent.contract.health import Check
from assent.contract.problems import Code
from assent.proof.jwk import thumbprint
from assent.proof.note import key_id as id_in_note
from assent_service.base.clock import Clock, microseconds
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.core.settings import SettingsError
from assent_service.evidence.wallet.master import VARIABLE, Master
from assent_service.evidence.wallet.signing_key import (
    SIGNING_KEYS,
    SigningKeyRow,
    as_answer,
    made,
    published,
    retired,
    revoked,
    rising,
)
from assent_service.evidence.wallet.vault import Vault
from assent_service.store.adoption import end_adoption, history_lost, read_adoption, restored
from assent_service.store.backup_mark import read_mark
from assent_service.store.conditions import once
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.noted_heads import read_lost

# Signing keys in memory: a few for each organization, in the order in which they were made.


class WalletState:
    """Every key of every organization. Those of one have rising times of creation (`wallet`)."""

    types = frozenset({EventName.SIGNING_KEY_CREATED.value, EventName.SIGNING_KEY_UPDATED.value})

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, SigningKeyRow]] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(SIGNING_KEYS)} FROM signing_keys ORDER BY created_at, kid", []):
            self._keep(record(SIGNING_KEYS, row, SigningKeyRow))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, SigningKeyRow))

    @property
    def organizations(self) -> list[str]:
        """Those that have ever had a key."""
        return list(self._keys)

    def of(self, org_id: str) -> list[SigningKeyRow]:
        return list(self._keys.get(org_id, {}).values())

    def get(self, org_id: str, kid: str) -> SigningKeyRow | None:
        return self._keys.get(org_id, {}).get(kid)

    def newest(self, org_id: str) -> SigningKeyRow | None:
        """The only one that can be in use."""
        return next(reversed(self._keys.get(org_id, {}).values()), None)

    def _keep(self, key: SigningKeyRow) -> None:
        self._keys.setdefault(key.org_id, {})[key.kid] = key


log = logging.getLogger("assent.wallet")
WALLET_FENCE = Fence("wallet")
SYSTEM = "system"
TRIED_AGAIN = 8
"""Keys that could not be opened and are tried again whenever somebody asks whether the service is ready."""


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
        self._vault = Vault(home, Master(home, secret), ledger.shared)
        self._open: dict[str, tuple[str, Ed25519PrivateKey]] = {}
        self._home = home
        self._withheld: str | None = None
        """Why nothing is signed, for any organization."""
        self._unusable: dict[str, str] = {}
        """What keeps an organization's key in use from signing, by organization."""
        self.state = WalletState()

    async def signer(self, org_id: str) -> Signer:
        """The key in use, made where there is none. `org_id` must be one that is there.

        Raises `wallet_unavailable`, and what recording raises when a key has to be made.
        """
        self._check_signing()
        async with self._locks.hold(WALLET_FENCE.of(org_id)):
            newest = self.state.newest(org_id)
            if newest is None or not newest.signs(self._clock()):
                newest = await self._made(org_id, SYSTEM)
                await self._ledger.append(_event(EventName.SIGNING_KEY_CREATED, newest, SYSTEM))
            return Signer(newest.kid, published(newest), await self._private(newest))

    async def start(self) -> None:
        """Open every key that is in use, so that a data folder restored without them is known at the start and not when
        the first proof is wanted. One that was adopted after a restore gets new keys.

        Raises BackupMarkDamaged, AdoptionRefused and LogDamaged for a file that cannot be read.
        """
        adoption = await asyncio.to_thread(read_adoption, self._home)
        if adoption is not None:
            for org_id in self.state.organizations:
                await self._ledger.run(partial(self._replaced, org_id, SYSTEM, adoption.reason(org_id)))
            await asyncio.to_thread(end_adoption, self._home)
        mark = await asyncio.to_thread(read_mark, self._home)
        if mark is not None:
            self.withhold(restored(mark))
        lost = await asyncio.to_thread(read_lost, self._home)
        if lost:
            self.withhold(history_lost(lost))
        await asyncio.to_thread(self._open_all)

    def check_shared_keys(self) -> None:
        """That a service which shares the keys of others can open one that is in use: a key that it made would be of no
        use to them.

        Raises SettingsError, and LogAway.
        """
        if self._ledger.shared is None:
            return
        found = False
        for org_id in self.state.organizations:
            newest = self.state.newest(org_id)
            if newest is not None and newest.signs(self._clock()):
                fits = self._vault.fits(self._ledger.shared, org_id, newest.kid)
                if fits:
                    return
                found = found or fits is not None
        if found:
            raise SettingsError(
                f"{VARIABLE} is another one than that of the services that share this log: it opens none of the "
                "signing keys in use in the database; give this service the same."
            )

    def withhold(self, reason: str) -> None:
        """Sign nothing any more in this process; `reason` is one or more sentences."""
        if self._withheld is None:
            log.error("nothing is signed: %s", reason)
            self._withheld = reason

    def _check_signing(self) -> None:
        if self._withheld is not None:
            raise refuse(Code.WALLET_UNAVAILABLE, f"Nothing is signed. {self._withheld}")

    def _open_all(self) -> None:
        for org_id in self.state.organizations:
            newest = self.state.newest(org_id)
            if newest is not None and newest.signs(self._clock()):
                with suppress(Refusal):
                    self._opened(newest)

    def inspect(self) -> Check:
        """Whether the keys in use can sign. Those that cannot are tried again, a few each time, since an operator mends
        it while the service runs."""
        if self._withheld is not None:
            return Check(name="wallet", status="fail", detail=self._withheld, code=Code.WALLET_UNAVAILABLE.value)
        for org_id in list(self._unusable)[:TRIED_AGAIN]:
            newest = self.state.newest(org_id)
            if newest is None or not newest.signs(self._clock()):
                self._unusable.pop(org_id, None)  # the next use makes a new one
            else:
                with suppress(Refusal):
                    self._opened(newest)
        if not self._unusable:
            return Check(name="wallet", status="pass", detail="The signing keys in use can be opened.")
        count, why = len(self._unusable), next(iter(self._unusable.values()))
        whose = "one organization" if count == 1 else f"{count} organizations"
        return Check(name="wallet", status="fail", detail=f"Of {whose}: {why}", code=Code.WALLET_UNAVAILABLE.value)

    def _opened(self, key: SigningKeyRow) -> Ed25519PrivateKey:
        """The private part, kept open; what keeps it shut is kept, too. Raises `wallet_unavailable`."""
        try:
            private = self._vault.open(key.org_id, key.kid)
        except Refusal as refusal:
            # Ids are nobody's business who asks without a key.
            self._unusable[key.org_id] = refusal.detail.replace(key.org_id, "...").replace(key.kid, "...")
            raise
        self._open[key.org_id] = (key.kid, private)
        self._unusable.pop(key.org_id, None)
        return private

    async def rotate(self, principal: Principal, reason: str | None) -> RotatedSigningKey:
        """Sign with a new key from now on. Works where the private part of the one before cannot be opened, and not
        where nothing is signed: `assent log adopt` makes the new key there, and says why.

        Raises `wallet_unavailable`.
        """
        self._check_signing()
        return await self._replaced(principal.org_id, principal.key_id, reason)

    async def _replaced(self, org_id: str, by: str, reason: str | None) -> RotatedSigningKey:
        async with self._locks.hold(WALLET_FENCE.of(org_id)):
            before = self.state.newest(org_id)
            after = await self._made(org_id, by)
            drafts = [_event(EventName.SIGNING_KEY_CREATED, after, by)]
            ended: SigningKeyRow | None = None
            now = microseconds(after.created_at)
            if before is not None and before.signs(now):
                ended = retired(before, by=by, reason=reason, now=now)
                drafts.insert(0, _event(EventName.SIGNING_KEY_UPDATED, ended, by))
            await self._ledger.append(*drafts)
            return RotatedSigningKey(key=self._answer(after), retired=None if ended is None else self._answer(ended))

    async def revoke(self, principal: Principal, kid: str, reason: str) -> SigningKey:
        """Raises `signing_key_not_found`, and `signing_key_ended` for one that is revoked already."""
        async with self._locks.hold(WALLET_FENCE.of(principal.org_id)):
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
            return self._answer(after)

    def list(self, org_id: str) -> list[SigningKey]:
        return [self._answer(key) for key in self.state.of(org_id)]

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

    async def _made(self, org_id: str, by: str) -> SigningKeyRow:
        """A new key, not recorded yet; its private part is kept already."""
        private = await once((self, org_id), lambda: self._sealed(org_id))
        newest, now = self.state.newest(org_id), self._clock()
        return made(org_id, private.public_key(), by=by, now=now, days=self._days, before=newest)

    async def _sealed(self, org_id: str) -> Ed25519PrivateKey:
        private = Ed25519PrivateKey.generate()
        while (kid := thumbprint(private.public_key().public_bytes_raw())).startswith("-"):
            private = Ed25519PrivateKey.generate()
        await asyncio.to_thread(self._vault.seal, org_id, kid, private)
        return private

    async def _private(self, key: SigningKeyRow) -> Ed25519PrivateKey:
        """Opened once for each key in use."""
        kid, private = self._open.get(key.org_id, (None, None))
        if private is None or kid != key.kid:
            private = await asyncio.to_thread(self._opened, key)
        return private

    def _answer(self, key: SigningKeyRow) -> SigningKey:
        newest = self.state.newest(key.org_id)
        return as_answer(key, newest=newest is not None and newest.kid == key.kid, now=self._clock())


def _event(name: EventName, key: SigningKeyRow, actor: str) -> Draft:
    return Draft(
        org=key.org_id,
        type=name.value,
        ts=microseconds(key.updated_at),
        subject=key.kid,
        actor=actor,
        data=encode(key),
    )


def routes(wallet: Wallet, first: Callable[[], str | None]) -> tuple[Route, ...]:
    """`first` is the id of the organization that the service started with."""

    @serves(GET_SIGNING_KEYS)
    async def list_keys(call: Call[None, None]) -> SigningKeys:
        return SigningKeys(keys=wallet.list(call.principal.org_id))

    @serves(ROTATE_SIGNING_KEY, holds=(WALLET_FENCE,), effects="writes a signing key")
    async def rotate(call: Call[RotateSigningKey, None]) -> RotatedSigningKey:
        return await wallet.rotate(call.principal, call.body.reason)

    @serves(REVOKE_SIGNING_KEY, holds=(WALLET_FENCE,))
    async def revoke(call: Call[RevokeSigningKey, None], kid: str) -> RevokedSigningKey:
        key = await wallet.revoke(call.principal, kid, call.body.reason)
        return RevokedSigningKey(key=key, revoked=True)

    @serves(GET_JWKS)
    async def jwks(call: Call[None, JwksQuery]) -> Jwks:
        org_id = call.query.org_id or first()
        return Jwks(keys=[]) if org_id is None else wallet.jwks(org_id)

    return list_keys, rotate, revoke, jwks
