"""Pairings: an agent asks that its public key be trusted, and an admin says yes while the agent waits."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.people.identities import KEY_SPELLINGS, Algorithm, Identity, PublicKey
from assent.contract.problems import Code
from assent.contract.record import Example, Id, Limit, OrganizationId, Query, Record, RecordedAt, Request, meaning
from assent.contract.roles import ACTING, ADMIN, OPEN


class PairingState(StrEnum):
    """`expired` from the moment its time has passed, whether or not anybody looked."""

    PENDING = "pending"
    APPROVED = "approved"
    EXPIRED = "expired"


class CreatePairing(Request, frozen=True, kw_only=True):
    """`public_key` is an SPKI PEM ("BEGIN PUBLIC KEY"); `agent_id` is otherwise the key's own."""

    example: ClassVar[Example] = {"public_key": "-----BEGIN PUBLIC KEY-----"}

    public_key: PublicKey
    algorithm: Algorithm = Algorithm.RSA
    agent_id: Id | None = None
    agent_name: Annotated[str, Meta(max_length=256)] | None = None


class PairingStatus(Record, frozen=True, kw_only=True):
    """What anybody who knows the id may see. `id` and `pairing_id` are the same."""

    id: str
    pairing_id: str
    agent_id: str
    agent_name: str | None
    algorithm: Algorithm
    status: PairingState
    expires_at: datetime
    created_at: datetime
    updated_at: datetime


class Pairing(PairingStatus, frozen=True, kw_only=True):
    """`fingerprint` is `sha256:` and the hex SHA-256 of the key's SPKI in DER: compare it with the agent's own before
    approving."""

    org_id: str
    public_key: str
    fingerprint: str
    created_by: str
    approved_by: str | None
    approved_at: datetime | None


class CreatedPairing(Record, frozen=True, kw_only=True):
    """`pairing_url` is where a person goes to approve it."""

    pairing: Pairing
    pairing_url: str


class PairingRow(Record, frozen=True, kw_only=True):
    """A pairing as it is recorded."""

    org_id: OrganizationId
    pairing_id: Annotated[str, meaning("id of the pairing", frozen=True)]
    agent_id: Annotated[str, meaning("the agent that asks", frozen=True)]
    agent_name: Annotated[str | None, meaning("what people call the agent")]
    algorithm: Annotated[Algorithm, meaning("how the agent signs: RSASSA-PKCS1-v1_5 or Ed25519")]
    public_key: Annotated[str, meaning("the key as an SPKI PEM")]
    fingerprint: Annotated[str, meaning("SHA-256 of the key's SPKI in DER")]
    status: Annotated[PairingState, meaning("pending, approved or expired")]
    expires_at: Annotated[datetime, meaning("until when it may be approved")]
    created_by: Annotated[str, meaning("id of the key that asked")]
    approved_by: Annotated[str | None, meaning("name of the key that approved it")]
    approved_at: Annotated[datetime | None, meaning("when it was approved")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]

    def members(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__struct_fields__}

    def public(self) -> Pairing:
        return Pairing(id=self.pairing_id, **self.members())  # type: ignore[arg-type]  # the same members, by name

    def shown_to_anybody(self) -> PairingStatus:
        public = self.public()
        return PairingStatus(**{name: getattr(public, name) for name in PairingStatus.__struct_fields__})


class PairingDetail(Record, frozen=True, kw_only=True):
    pairing: PairingStatus


class PairingsQuery(Query, frozen=True, kw_only=True):
    """Without a status, those that wait."""

    status: PairingState = PairingState.PENDING
    limit: Limit = 50


class Pairings(Record, frozen=True, kw_only=True):
    """Newest first."""

    pairings: list[Pairing]


class ApprovedPairing(Record, frozen=True, kw_only=True):
    identity: Identity
    pairing: Pairing


CREATE_PAIRING = Endpoint(
    operation="create_pairing",
    method="POST",
    path="/api/pairings",
    summary="Ask that an agent's public key be trusted; an admin approves.",
    roles=ACTING,
    request=CreatePairing,
    response=CreatedPairing,
    spelled=KEY_SPELLINGS,
    limit=100_000,
    problems=(Code.INVALID_PUBLIC_KEY, Code.AGENT_MISMATCH, Code.TOO_MANY_PAIRINGS),
    # A private one is told so, and refused.
    keeps_secrets=("public_key",),
)
GET_PAIRINGS = Endpoint(
    operation="get_pairings",
    method="GET",
    path="/api/pairings",
    summary="Pairings, newest first; those that wait unless another status is asked for.",
    roles=ADMIN,
    query=PairingsQuery,
    response=Pairings,
)
GET_PAIRING = Endpoint(
    operation="get_pairing",
    method="GET",
    path="/api/pairings/{pairing_id}",
    summary="How a pairing stands; open, since its id is known to those alone who were told.",
    roles=OPEN,
    response=PairingDetail,
    problems=(Code.PAIRING_NOT_FOUND,),
)
APPROVE_PAIRING = Endpoint(
    operation="approve_pairing",
    method="POST",
    path="/api/pairings/{pairing_id}/approve",
    summary="Trust the key of a pairing: it becomes the agent's identity.",
    roles=ADMIN,
    response=ApprovedPairing,
    problems=(Code.PAIRING_NOT_FOUND, Code.PAIRING_DECIDED, Code.PAIRING_EXPIRED),
)
