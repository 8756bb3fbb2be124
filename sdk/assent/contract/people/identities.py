"""Identities: whose signature is whose. An identity binds an agent to one public key."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Id, OrganizationId, Record, RecordedAt, Request, meaning
from assent.contract.roles import ADMIN


class Algorithm(StrEnum):
    """How an agent signs. RSA keys have 2048 to 8192 bits and sign with SHA-256 (RFC 8017, section 8.2)."""

    RSA = "RSASSA-PKCS1-v1_5"
    ED25519 = "Ed25519"


PublicKey = Annotated[str, Meta(min_length=1, max_length=16_000)]
"""A PEM: long enough for a private key sent by mistake to be told so."""

KEY_SPELLINGS: dict[str, str] = {
    "public_key_pem": "public_key",
    "publicKeyPem": "public_key",
    "pem": "public_key",
}


class RegisterIdentity(Request, frozen=True, kw_only=True):
    """`public_key` is an SPKI PEM ("BEGIN PUBLIC KEY"). It replaces the key that the agent had."""

    example: ClassVar[Example] = {"agent_id": "robot", "public_key": "-----BEGIN PUBLIC KEY-----"}

    agent_id: Id
    public_key: PublicKey
    algorithm: Algorithm = Algorithm.RSA


class Identity(Record, frozen=True, kw_only=True):
    """One for each agent. `fingerprint` is `sha256:` and the hex SHA-256 of the key's SPKI in DER.

    Signatures count from `updated_at` on, when this key came to be the agent's, and no more once `revoked_at` is set.
    `pairing_id` is the pairing that it came from, None where an admin registered it.
    """

    org_id: OrganizationId
    identity_id: Annotated[str, meaning("id of the identity", frozen=True)]
    agent_id: Annotated[str, meaning("the agent whose key it is", frozen=True)]
    algorithm: Annotated[Algorithm, meaning("how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519")]
    public_key: Annotated[str, meaning("the key as an SPKI PEM")]
    fingerprint: Annotated[str, meaning("SHA-256 of the key's SPKI in DER")]
    pairing_id: Annotated[str | None, meaning("the pairing that it came from; empty when an admin registered it")]
    registered_by: Annotated[str, meaning("id of the key of the admin who registered or approved it")]
    revoked_at: Annotated[datetime | None, meaning("when it was revoked")]
    revoked_by: Annotated[str | None, meaning("id of the key that revoked it")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]


class IdentityDetail(Record, frozen=True, kw_only=True):
    identity: Identity


class Identities(Record, frozen=True, kw_only=True):
    identities: list[Identity]


class RevokedIdentity(Record, frozen=True, kw_only=True):
    identity: Identity
    revoked: bool


REGISTER_IDENTITY = Endpoint(
    operation="register_identity",
    method="POST",
    path="/api/identities",
    summary="Say which public key an agent signs with; replaces the one it had.",
    roles=ADMIN,
    request=RegisterIdentity,
    response=IdentityDetail,
    spelled=KEY_SPELLINGS,
    limit=100_000,
    problems=(Code.INVALID_PUBLIC_KEY,),
    # A private one is told so, and refused.
    keeps_secrets=("public_key",),
)
GET_IDENTITIES = Endpoint(
    operation="get_identities",
    method="GET",
    path="/api/identities",
    summary="The agents whose signatures are known, revoked ones included.",
    roles=ADMIN,
    response=Identities,
)
GET_IDENTITY = Endpoint(
    operation="get_identity",
    method="GET",
    path="/api/identities/{agent_id}",
    summary="The key that an agent signs with, revoked or not.",
    roles=ADMIN,
    response=IdentityDetail,
    problems=(Code.IDENTITY_NOT_FOUND,),
)
REVOKE_IDENTITY = Endpoint(
    operation="revoke_identity",
    method="DELETE",
    path="/api/identities/{agent_id}",
    summary="Stop trusting an agent's signatures, at once.",
    roles=ADMIN,
    response=RevokedIdentity,
    problems=(Code.IDENTITY_NOT_FOUND,),
)
