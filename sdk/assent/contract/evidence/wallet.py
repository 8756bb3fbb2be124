"""The wallet: an organization's signing keys, and the set of public ones that strangers verify with (RFC 7517)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Id, Query, Record, Request
from assent.contract.roles import ADMIN, OPEN, READING

Reason = Annotated[str, Meta(min_length=1, max_length=500)]


class SigningKeyStatus(StrEnum):
    """`active` signs. `retired` was replaced and `expired` is out of its time: both keep what they signed. Nothing
    counts that a `revoked` one signed."""

    ACTIVE = "active"
    RETIRED = "retired"
    EXPIRED = "expired"
    REVOKED = "revoked"


class JwkRevoked(Record, frozen=True, kw_only=True):
    """`revoked_at` in seconds since 1970."""

    revoked_at: int
    reason: str


class Jwk(Record, frozen=True, kw_only=True):
    """A public key (RFC 7517, RFC 8037). `kid` is its RFC 7638 thumbprint, `x` its 32 bytes; both base64url without
    padding. `nbf` and `exp` in seconds since 1970: what it signed counts from `nbf` on and before `exp`."""

    kty: str
    crv: str
    x: str
    kid: str
    use: str | UnsetType = UNSET
    alg: str | UnsetType = UNSET
    nbf: int | UnsetType = UNSET
    exp: int | UnsetType = UNSET
    revoked: JwkRevoked | UnsetType = UNSET


class Jwks(Record, frozen=True, kw_only=True):
    keys: list[Jwk]


class SigningKey(Record, frozen=True, kw_only=True):
    """The public part of a key. It signs from `not_before` until `not_after`, which is earlier than planned for a key
    that was replaced. `reason` is why it was retired or revoked. `created_by` and the others are ids of keys, or
    `system`."""

    org_id: str
    kid: str
    x: str
    status: SigningKeyStatus
    not_before: datetime
    not_after: datetime
    created_at: datetime
    created_by: str
    retired_at: datetime | None
    retired_by: str | None
    revoked_at: datetime | None
    revoked_by: str | None
    reason: str | None
    updated_at: datetime


class SigningKeys(Record, frozen=True, kw_only=True):
    """In the order in which they were made."""

    keys: list[SigningKey]


class RotateSigningKey(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"reason": "once a year"}

    reason: Reason | None = None


class RotatedSigningKey(Record, frozen=True, kw_only=True):
    """`key` signs from now on; `retired` is the one before it, None when none was active."""

    key: SigningKey
    retired: SigningKey | None


class RevokeSigningKey(Request, frozen=True, kw_only=True):
    """The reason is published with the key."""

    example: ClassVar[Example] = {"reason": "stolen"}

    reason: Reason


class RevokedSigningKey(Record, frozen=True, kw_only=True):
    key: SigningKey
    revoked: bool


class JwksQuery(Query, frozen=True, kw_only=True):
    """Without `org_id` the keys of the service's first organization."""

    org_id: Id | None = None


GET_SIGNING_KEYS = Endpoint(
    operation="get_signing_keys",
    method="GET",
    path="/api/signing-keys",
    summary="The organization's signing keys: public parts, validity, retired and revoked ones included.",
    roles=READING,
    response=SigningKeys,
)
ROTATE_SIGNING_KEY = Endpoint(
    operation="rotate_signing_key",
    method="POST",
    path="/api/signing-keys/rotate",
    summary="Sign with a new key from now on; what the one before signed stays valid.",
    roles=ADMIN,
    request=RotateSigningKey,
    response=RotatedSigningKey,
    statuses=(201,),
    problems=(Code.WALLET_UNAVAILABLE,),
)
REVOKE_SIGNING_KEY = Endpoint(
    operation="revoke_signing_key",
    method="POST",
    path="/api/signing-keys/{kid}/revoke",
    summary="Say that nothing counts any more that this key signed; the next use makes a new one.",
    roles=ADMIN,
    request=RevokeSigningKey,
    response=RevokedSigningKey,
    problems=(Code.SIGNING_KEY_NOT_FOUND, Code.SIGNING_KEY_ENDED),
)
GET_JWKS = Endpoint(
    operation="get_jwks",
    method="GET",
    path="/.well-known/jwks.json",
    summary="An organization's public signing keys as a JWK Set; empty until something was signed.",
    roles=OPEN,
    query=JwksQuery,
    response=Jwks,
)
