"""Proofs: what was recorded, in a form that a stranger can check without us.

A bundle is one JSON object. Each of its members is signed, or is worked out again from what is signed: whoever changes
one of them is found out by `assent.proof.verify`, offline, with nothing but a public key.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Final, Literal

from msgspec import Meta

from assent.contract.endpoint import MEGABYTE, Endpoint
from assent.contract.evidence.log import LogHead
from assent.contract.file import File
from assent.contract.problems import Code
from assent.contract.record import Example, Id, Query, Record, Request
from assent.contract.roles import ANYONE

SCHEMA: Final = "svc.proof.v1"
SNAPSHOT_SCHEMA: Final = "svc.proof.snapshot.v1"
PROOF_FILE = "application/vnd.svc.proof.v1+json"
BUNDLE_LIMIT = 50 * MEGABYTE
"""Bytes of the largest bundle that is verified."""

BundleId = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}(?!\n)$")]


class ProofKind(StrEnum):
    """What a bundle is about."""

    ACTION = "action"
    ORGANIZATION = "organization"


class EnvelopeSignature(Record, frozen=True, kw_only=True):
    """`sig` is base64 (RFC 4648, section 4); `keyid` the signing key's RFC 7638 thumbprint."""

    keyid: str
    sig: str


class Envelope(Record, frozen=True, kw_only=True):
    """A DSSE 1.0.2 envelope. `payload` is base64 of an in-toto statement in canonical JSON (RFC 8785)."""

    payload: str
    payloadType: str  # noqa: N815 - the published name
    signatures: list[EnvelopeSignature]


class BundleKey(Record, frozen=True, kw_only=True):
    """A public key that signed something in the bundle (RFC 8037). It tells that nothing was altered; *whose* it is
    tells only a key set that the reader has from elsewhere."""

    kty: str
    crv: str
    x: str
    kid: str


class BundleEvent(Record, frozen=True, kw_only=True):
    """One recorded event, byte by byte. `header` is canonical JSON whose SHA-256 behind a zero byte is the leaf; `body`
    is `{"salt":...,"data":...}`, whose digest the header holds, and None once it was erased. `inclusion` are the
    hashes (hex) from the leaf up to the root of the bundle's checkpoint (RFC 9162, section 2.1.3)."""

    header: str
    body: str | None
    inclusion: list[str]


class ConsistencyStep(Record, frozen=True, kw_only=True):
    """That the tree of an older or newer signed head and the bundle's own are one log, the shorter the beginning of the
    longer (RFC 9162, section 2.1.4)."""

    checkpoint: str
    hashes: list[str]


class ProofBundle(Record, frozen=True, kw_only=True):
    """`svc.proof.v1`. `bundle_id` is the SHA-256 of the canonical form of everything else in it.

    `digest` is the canonical digest of the certificate, which is the predicate of the statement in `attestation`.
    `checkpoint` is a signed tree head (C2SP tlog-checkpoint). `events` are those that the certificate is made of, in
    the order of the log; none for an organization. `policies` are the policies that guard decided by, whose digest the
    decision holds; None where none was recorded. `keys` are the public keys behind the signatures.
    """

    schema: Literal["svc.proof.v1"]
    bundle_id: str
    kind: ProofKind
    org_id: str
    action_id: str | None
    digest: str
    attestation: Envelope
    checkpoint: str
    events: list[BundleEvent]
    policies: list[dict[str, Any]] | None
    consistency: list[ConsistencyStep]
    keys: list[BundleKey]


class CheckStatus(StrEnum):
    """`warn`: it holds, and something is worth knowing. `not_checked`: what it takes was not there."""

    PASS = "pass"  # noqa: S105 - a verdict
    FAIL = "fail"
    WARN = "warn"
    NOT_CHECKED = "not_checked"


class CheckName(StrEnum):
    """In the order in which they are made. The last two need the service; all others are made offline too."""

    SCHEMA = "schema"
    BUNDLE_ID = "bundle_id"
    KEY = "key"
    CHECKPOINT = "checkpoint"
    SIGNATURE = "signature"
    DIGEST = "digest"
    INCLUSION = "inclusion"
    CERTIFICATE = "certificate"
    CHECKPOINT_COVERAGE = "checkpoint_coverage"
    POLICY_REPLAY = "policy_replay"
    APPROVAL_RECEIPT = "approval_receipt"
    CONSISTENCY = "consistency"
    LOG = "log"
    DATABASE_ROW = "database_row"


class ProofCheck(Record, frozen=True, kw_only=True):
    """One thing that was checked. `detail` says what was compared and, where it failed, why; `expected` and `found` are
    the two values where there are two."""

    name: CheckName
    status: CheckStatus
    detail: str
    expected: str | None = None
    found: str | None = None


class Signer(StrEnum):
    """Whether the key behind the bundle is in a key set that the reader trusts."""

    TRUSTED = "trusted"
    UNKNOWN = "unknown"


class ProofVerification(Record, frozen=True, kw_only=True):
    """`ok` when no check failed. With an unknown `signer` that says that nothing was altered since it was signed, and
    not who signed it. `certificate` is what is proven, None when the bundle could not be read that far."""

    ok: bool
    schema: str | None
    kind: ProofKind | None
    org_id: str | None
    action_id: str | None
    bundle_id: str | None
    digest: str | None
    signer: Signer
    checks: list[ProofCheck]
    certificate: dict[str, Any] | None


class ProofSnapshot(Record, frozen=True, kw_only=True):
    """The same facts for people. `summary` is one sentence; `certificate` is that of the action or the organization;
    `head` the signed tree head that it is proven under."""

    schema: Literal["svc.proof.snapshot.v1"]
    kind: ProofKind
    org_id: str
    action_id: str | None
    generated_at: datetime
    ok: bool
    summary: str
    digest: str
    head: LogHead
    checks: list[ProofCheck]
    certificate: dict[str, Any]


class ProofFormat(StrEnum):
    BUNDLE = "bundle"


class ProofQuery(Query, frozen=True, kw_only=True):
    """`action_id` for one action, none for the organization; `format=bundle` for the bundle instead of the snapshot.
    `since` is the size of a tree head that the reader holds: the bundle then proves that it grew out of that."""

    action_id: Id | None = None
    format: ProofFormat | None = None
    since: Annotated[int, Meta(ge=1, le=10**15)] | None = None


class ExportQuery(Query, frozen=True, kw_only=True):
    """One of `action_id` (a fresh bundle) and `bundle_id` (one that was given out before), neither for the
    organization's. `since` as in the proof's query."""

    action_id: Id | None = None
    bundle_id: BundleId | None = None
    since: Annotated[int, Meta(ge=1, le=10**15)] | None = None


class VerifyProof(Request, frozen=True, kw_only=True):
    """Exactly one of `action_id` (its proof is made and checked against the log, the policies and the tables as they
    are) and `bundle` (one that somebody holds, checked against the log as it is). `since` is the text of a tree head
    that the caller kept."""

    example: ClassVar[Example] = {"action_id": "act_1"}

    action_id: Id | None = None
    bundle: dict[str, Any] | None = None
    since: Annotated[str, Meta(max_length=4000)] | None = None


GET_GOVERNANCE_PROOF: Endpoint[None, ProofQuery, ProofSnapshot | ProofBundle] = Endpoint(
    operation="get_governance_proof",
    method="GET",
    path="/api/governance/proof",
    summary="The proof of an action or of the organization, as a snapshot to read or a bundle to hand on.",
    roles=ANYONE,
    query=ProofQuery,
    response=ProofSnapshot,
    alternative=ProofBundle,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.BUNDLE_TOO_LARGE,
        Code.WALLET_UNAVAILABLE,
        Code.STORAGE_UNAVAILABLE,
        Code.READ_ONLY,
    ),
)
VERIFY_GOVERNANCE_PROOF = Endpoint(
    operation="verify_governance_proof",
    method="POST",
    path="/api/governance/proof/verify",
    summary="Check an action's proof, or a bundle that somebody holds, against the log, the policies and the tables.",
    roles=ANYONE,
    request=VerifyProof,
    response=ProofVerification,
    limit=BUNDLE_LIMIT,
    problems=(Code.ACTION_NOT_FOUND, Code.WALLET_UNAVAILABLE, Code.PROJECTION_BEHIND),
    # A bundle is checked by its digest, and not kept.
    keeps_secrets=("*",),
    tells_twice=True,
)
EXPORT_PROOF = Endpoint(
    operation="export_proof",
    method="GET",
    path="/api/governance/proof/export",
    summary="A bundle as one file, to be verified offline.",
    roles=ANYONE,
    query=ExportQuery,
    response=File,
    content=PROOF_FILE,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.BUNDLE_NOT_FOUND,
        Code.BUNDLE_TOO_LARGE,
        Code.WALLET_UNAVAILABLE,
        Code.STORAGE_UNAVAILABLE,
        Code.READ_ONLY,
    ),
)
