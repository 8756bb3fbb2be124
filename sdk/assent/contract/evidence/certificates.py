"""Certificates: what a proof says about an action or an organization, as typed structs.

They document the predicate of the signed statement, and their JSON Schema is docs/schemas/svc.certificate.v1.json.
`assent.proof.certificate` makes certificates as plain JSON, since what was recorded is taken as it is. Times are RFC
3339 texts as they were recorded. Where the content was erased, members are null and lists are empty.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from assent.contract.control.actions import ActionStatus, Verification
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.externality import Externality
from assent.contract.control.guard import Decision, Runtime, Source
from assent.contract.control.questions import QuestionState
from assent.contract.evidence.pcaa import Enforceability as Reach
from assent.contract.evidence.pcaa import PcaaCheckpoint, Receipts
from assent.contract.record import Record

Time = str


class CertifiedEnvelope(Record, frozen=True, kw_only=True):
    """Who wanted to do what, and how it reached the service.

    Members are those of the action when it was last recorded. `enforceability` is how far guard reaches into its
    runtime; `verification` what the agent's own signature amounted to (null for actions from before signatures).
    `context_digest` is the digest of what guard was asked, `parameters_digest` of what the action is done with.
    `externality` is what the agent said of its reach, null when it said nothing.
    """

    agent_id: str | None
    agent_name: str | None
    swarm_id: str | None
    parent_action_id: str | None
    session_id: str | None
    action_type: str
    declared_goal: str | None
    reasoning: str | None
    authorization_scope: str | None
    trigger: str | None
    systems_touched: list[str]
    input_summary: str | None
    reversible: bool
    confidence: int
    agent_risk_score: float | None
    runtime: Runtime
    source: Source
    verification: Verification | None
    timestamp_start: Time
    created_at: Time
    created_by: str
    parameters_digest: str | None
    externality: Externality | None
    enforceability: Reach
    context_digest: str | None


class CertifiedPolicy(Record, frozen=True, kw_only=True):
    """The policies that decided: their version in the organization, and the digest of their snapshot, which the
    bundle's `policies` must give. The digest is null for decisions from before snapshots were digested."""

    version: int | None
    digest: str | None


class CertifiedDecision(Record, frozen=True, kw_only=True):
    """What guard decided and why. `would_decide` and `observed_policies` are about observed policies;
    `risk_breakdown` names each addition to the risk (0 to 100)."""

    decision_id: str
    decision: Decision
    would_decide: Decision | None
    reasons: list[str]
    warnings: list[str]
    matched_policies: list[str]
    observed_policies: list[str]
    risk_score: float
    risk_breakdown: dict[str, float]
    evaluated_at: Time


class ApprovalReceipt(Record, frozen=True, kw_only=True):
    """The operator's answer. `reviewer` is the operator's key by name, `reviewer_key` by id; both are null while it
    waits and when it expired, and whoever withdrew it when it was withdrawn. `self_decided` says whether that key had
    opened the action itself; it is absent where nobody decided, and from decisions that are older than the member.
    `grant_id` is the standing grant that gave the approval in advance, absent where a person was asked.
    `policy_basis` are the policies that asked for it. `act_digest` is the digest of exactly what was approved
    (`assent.proof.act`); `claimed_at` and `claimed_by` tell its one use, `refused_claims` how often something else was
    tried on it."""

    approval_id: str
    state: ApprovalState
    requested_at: Time
    expires_at: Time
    decided_at: Time | None
    reviewer: str | None
    reviewer_key: str | None
    reasoning: str | None
    policy_basis: list[str]
    reasons: list[str]
    conditions: list[str]
    valid_until: Time | None
    act_digest: str | None
    claimed_at: Time | None
    claimed_by: str | None
    refused_claims: int
    self_decided: bool | UnsetType = UNSET
    grant_id: str | UnsetType = UNSET


class CertifiedAssumption(Record, frozen=True, kw_only=True):
    """What the agent believed, as it was last judged."""

    assumption_id: str
    assumption: str
    basis: str | None
    validated: bool
    invalidated: bool
    invalidated_reason: str | None
    occurred_at: Time


class CertifiedQuestion(Record, frozen=True, kw_only=True):
    """What an operator asked the agent back, and its answer: in words, or the changed action that took the place of
    this one. `asked_by` and `answered_by` are keys by name."""

    question_id: str
    text: str
    conditions: list[str]
    state: QuestionState
    asked_by: str
    asked_by_key: str
    created_at: Time
    answer: str | None
    replaced_by: str | None
    answered_by: str | None
    answered_by_key: str | None
    closed_at: Time | None


class CertifiedOutcome(Record, frozen=True, kw_only=True):
    """How it ended, corrections included. `duration_ms` is milliseconds, `cost_estimate` US dollars."""

    status: ActionStatus
    output_summary: str | None
    side_effects: list[str]
    artifacts_created: list[str]
    error_message: str | None
    timestamp_end: Time | None
    duration_ms: int | None
    cost_estimate: float | None
    tokens_in: int | None
    tokens_out: int | None
    model: str | None


class DurableOutcome(Record, frozen=True, kw_only=True):
    """What the agent said once and for all about how it ended (completed, partial or failed). `progress_digest` is the
    canonical digest of the progress that it reported."""

    status: str
    outcome_at: Time | None
    summary: str | None
    error_message: str | None
    elapsed_ms: int | None
    reported_by: str | None
    progress_digest: str | None


class NonExecution(Record, frozen=True, kw_only=True):
    """That it did not run: what stopped it, the id of guard's decision or of the approval (null where neither did: an
    imported attempt), and when."""

    basis: Literal["blocked", "denied", "expired", "withdrawn"]
    by: str | None
    at: Time | None


class Correction(Record, frozen=True, kw_only=True):
    """A change of an action that had ended. `n` is the event's number in the log, `by` the name of the key, `members`
    the names of what changed."""

    n: int
    at: Time
    by: str
    revision: int
    members: list[str]


class CertifiedChange(Record, frozen=True, kw_only=True):
    """One change of the action since its creation; `kind` is outcome, correction, approval, denial, expiry or
    withdrawal."""

    n: int
    at: Time
    by: str
    kind: str
    revision: int


class Erasure(Record, frozen=True, kw_only=True):
    """That the content was erased, when, by whom (name and id of the key) and why; `events` counts the events of this
    certificate whose content it took."""

    erased_at: Time | None
    erased_by: str | None
    erased_by_key: str | None
    reason: str | None
    events: int


class EvidenceItem(Record, frozen=True, kw_only=True):
    """One event that the certificate is made of. `n` is its number in the organization's log, `leaf_hash` (hex) its
    leaf in the tree."""

    n: int
    type: str
    leaf_hash: str


class CertifiedLog(Record, frozen=True, kw_only=True):
    """The signed tree head that the certificate is bound to: `size` events under `root` (hex), as of `signed_at`."""

    origin: str
    size: int
    root: str
    signed_at: Time


class Certificate(Record, frozen=True, kw_only=True):
    """Everything that was recorded about one action; every member follows from the events in `evidence` and from
    `log`.

    `status` and `revision` are the newest. `outcome` is null until the status is final, and where `non_execution` says
    that it never ran. `durable_outcome` is what was said once and for all. `checkpoints` and `receipts` are judged as
    of the tree head. After an erasure, content is null or empty, `erasure` tells of it, and `evidence` stays.
    `questions` are there where an operator asked back, `replaces` where it took the place of another action.
    """

    schema: Literal["svc.certificate.v1"]
    org_id: str
    action_id: str
    status: ActionStatus | None
    revision: int | None
    envelope: CertifiedEnvelope | None
    policy: CertifiedPolicy
    decision: CertifiedDecision | None
    approval: ApprovalReceipt | None
    assumptions: list[CertifiedAssumption]
    outcome: CertifiedOutcome | None
    durable_outcome: DurableOutcome | None
    non_execution: NonExecution | None
    corrections: list[Correction]
    changes: list[CertifiedChange]
    checkpoints: list[PcaaCheckpoint]
    receipts: Receipts | None
    erasure: Erasure | None
    evidence: list[EvidenceItem]
    log: CertifiedLog
    questions: list[CertifiedQuestion] | UnsetType = UNSET
    replaces: str | UnsetType = UNSET


class CertifiedKey(Record, frozen=True, kw_only=True):
    """A signing key of the organization; `nbf` and `exp` in seconds since 1970, null without a bound."""

    kid: str
    nbf: int | None
    exp: int | None
    revoked: bool


class OrganizationCertificate(Record, frozen=True, kw_only=True):
    """What the service says about an organization's log of `log.size` events. It is signed; offline only the policies'
    digest and the sums can be worked out again.

    `events_by_type` counts the events below that size, `erasures` those that tell of an erasure. `policy` is the
    version in force at that size, with the digest of the bundle's `policies`.
    """

    schema: Literal["svc.organization.v1"]
    org_id: str
    events_by_type: dict[str, int]
    first_event_at: Time | None
    last_event_at: Time | None
    erasures: int
    policy: CertifiedPolicy
    keys: list[CertifiedKey]
    log: CertifiedLog


AnyCertificate = dict[str, Any]
"""A certificate as it is signed: plain JSON."""
