"""The evidence log as one Merkle tree for each organization (RFC 9162): signed heads, and proofs against them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta, field

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Query, Record
from assent.contract.roles import READING

TreeSize = Annotated[int, Meta(ge=1, le=10**15)]


class LogHead(Record, frozen=True, kw_only=True):
    """A signed tree head. `size` counts the organization's events, `root` is hex; `checkpoint` is all of it as a signed
    note (C2SP tlog-checkpoint), the one text to keep; `kid` names the signing key."""

    origin: str
    size: int
    root: str
    signed_at: datetime
    kid: str
    checkpoint: str


class InclusionProof(Record, frozen=True, kw_only=True):
    """That event `n` is in the tree of `head`: `leaf_hash` and `hashes` (hex, from the leaf upwards) give the root."""

    n: int
    leaf_hash: str
    hashes: list[str]
    head: LogHead


class ConsistencyProof(Record, frozen=True, kw_only=True):
    """That the tree of `first` is the beginning of the tree of `second`; `hashes` are hex, in the order of RFC 9162,
    section 2.1.4."""

    first: LogHead
    second: LogHead
    hashes: list[str]


class HeadQuery(Query, frozen=True, kw_only=True):
    """`size` asks for the head of the tree as it was with so many events; without it the newest."""

    size: TreeSize | None = None


class InclusionQuery(Query, frozen=True, kw_only=True):
    """`n` is the event's number in the organization, from 0; `size` that of the tree, without it the newest."""

    n: Annotated[int, Meta(ge=0, le=10**15)]
    size: TreeSize | None = None


class ConsistencyQuery(Query, frozen=True, kw_only=True):
    """Two sizes, `from` not above `to`; without `to` the newest."""

    from_: TreeSize = field(name="from")
    to: TreeSize | None = None


_PROBLEMS = (Code.WALLET_UNAVAILABLE, Code.STORAGE_UNAVAILABLE, Code.READ_ONLY)

GET_LOG_HEAD = Endpoint(
    operation="get_log_head",
    method="GET",
    path="/api/log/head",
    summary="The signed tree head of the organization's log.",
    roles=READING,
    query=HeadQuery,
    response=LogHead,
    problems=_PROBLEMS,
)
GET_INCLUSION_PROOF = Endpoint(
    operation="get_inclusion_proof",
    method="GET",
    path="/api/log/inclusion",
    summary="That an event is in the log.",
    roles=READING,
    query=InclusionQuery,
    response=InclusionProof,
    problems=_PROBLEMS,
)
GET_CONSISTENCY_PROOF = Endpoint(
    operation="get_consistency_proof",
    method="GET",
    path="/api/log/consistency",
    summary="That the log was only ever appended to between two heads.",
    roles=READING,
    query=ConsistencyQuery,
    response=ConsistencyProof,
    problems=_PROBLEMS,
)
