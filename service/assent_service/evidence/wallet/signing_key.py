"""A signing key as it is recorded, and its life. Pure.

1. It signs from the moment it was made until `not_after`, unless it is retired or revoked before.
2. Retiring ends its time there and then: what it signed before counts for ever.
3. Revoking ends all: nothing counts that it ever signed, since whoever stole it can write any time into what he signs.
   A key that has retired or run out can still be revoked; one that is revoked cannot change any more.
4. Only the newest key of an organization can be active. Times of creation rise even when the clock steps back; the time
   from which a key signs is the clock's, and a key of the future does not sign, since that would count for nothing.
5. In its JWK, `nbf` is rounded down and `exp` up to whole seconds, so that no signature of its time falls outside.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from assent.contract.evidence.wallet import Jwk, JwkRevoked, SigningKey, SigningKeyStatus
from assent.contract.record import OrganizationId, RecordedAt, meaning
from assent.proof.jwk import decode_url_exact, jwk_of
from assent_service.base.clock import DAY, SECOND, microseconds, moment
from assent_service.store.tables import Table


class SigningKeyRow(Struct, frozen=True, kw_only=True):
    """The payload of its events."""

    org_id: OrganizationId
    kid: Annotated[str, meaning("RFC 7638 thumbprint of the key", frozen=True)]
    x: Annotated[str, meaning("the public key, base64url", frozen=True)]
    not_before: Annotated[datetime, meaning("from when on it signs", frozen=True)]
    not_after: Annotated[datetime, meaning("until when it signs, at the most")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that asked for it, or system when it was needed")]
    retired_at: Annotated[datetime | None, meaning("when it was replaced before its time")] = None
    retired_by: Annotated[str | None, meaning("id of the key that replaced it")] = None
    revoked_at: Annotated[datetime | None, meaning("when it was revoked; nothing that it signed counts since")] = None
    revoked_by: Annotated[str | None, meaning("id of the key that revoked it")] = None
    reason: Annotated[str | None, meaning("why it was retired or revoked")] = None
    updated_at: Annotated[datetime, meaning("when it last changed")]

    @property
    def public(self) -> Ed25519PublicKey:
        return Ed25519PublicKey.from_public_bytes(decode_url_exact(self.x))

    @property
    def ended(self) -> bool:
        """By somebody, not by time."""
        return self.retired_at is not None or self.revoked_at is not None

    def signs(self, now: int) -> bool:
        """For the newest key: whether what it signs now counts."""
        return not self.ended and self.nbf * SECOND <= now < microseconds(self.not_after)

    @property
    def nbf(self) -> int:
        return microseconds(self.not_before) // SECOND

    @property
    def exp(self) -> int:
        return -(-microseconds(self.not_after) // SECOND)


def made(
    org_id: str, public: Ed25519PublicKey, *, by: str, now: int, days: float, before: SigningKeyRow | None = None
) -> SigningKeyRow:
    """A key that signs from now on, recorded behind the one `before` it."""
    jwk = jwk_of(public)
    at = moment(rising(now, before))
    ends = moment(now + round(days * DAY))
    return SigningKeyRow(
        org_id=org_id,
        kid=jwk.kid,
        x=jwk.x,
        not_before=moment(now),
        not_after=ends,
        created_at=at,
        created_by=by,
        updated_at=at,
    )


def rising(now: int, before: SigningKeyRow | None) -> int:
    """Now, or just after whatever happened to the key `before`."""
    return now if before is None else max(now, microseconds(before.updated_at) + 1)


def retired(key: SigningKeyRow, *, by: str, reason: str | None, now: int) -> SigningKeyRow:
    """A key that signs no more, as of now."""
    at = moment(now)
    return msgspec.structs.replace(key, not_after=at, retired_at=at, retired_by=by, reason=reason, updated_at=at)


def revoked(key: SigningKeyRow, *, by: str, reason: str, now: int) -> SigningKeyRow:
    """A key that never counted, as is known now."""
    at = moment(now)
    return msgspec.structs.replace(key, revoked_at=at, revoked_by=by, reason=reason, updated_at=at)


def as_answer(key: SigningKeyRow, *, newest: bool, now: int) -> SigningKey:
    """As the API tells it."""
    members = {name: getattr(key, name) for name in SigningKeyRow.__struct_fields__}
    return SigningKey(**members, status=_status(key, newest, now))


def published(key: SigningKeyRow) -> Jwk:
    """As the world verifies with it."""
    jwk = msgspec.structs.replace(
        jwk_of(key.public),
        nbf=key.nbf,
        exp=key.exp,
    )
    if key.revoked_at is None:
        return jwk
    revocation = JwkRevoked(revoked_at=microseconds(key.revoked_at) // SECOND, reason=key.reason or "")
    return msgspec.structs.replace(jwk, revoked=revocation)


def _status(key: SigningKeyRow, newest: bool, now: int) -> SigningKeyStatus:
    if key.revoked_at is not None:
        return SigningKeyStatus.REVOKED
    if key.retired_at is not None:
        return SigningKeyStatus.RETIRED
    return SigningKeyStatus.ACTIVE if newest and key.signs(now) else SigningKeyStatus.EXPIRED


SIGNING_KEYS = Table.of(
    SigningKeyRow,
    name="signing_keys",
    meaning="the organization's signing keys, public parts only, retired and revoked ones included",
    key="kid",
    created=("signing_key.created",),
    replaced=("signing_key.updated",),
)
