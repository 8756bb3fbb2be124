"""Compliance: what the controls of a framework ask for, and which records would show it.

Nothing here says that anybody complies: a record can show that something was done, never that it was enough.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Query, Record
from assent.contract.roles import READING
from assent.contract.window import WindowText

FrameworkName = Annotated[str, Meta(max_length=64)]


class Presence(StrEnum):
    """Evidence is `present`, or `absent`; a control with some of its evidence is `partial`."""

    PRESENT = "present"
    PARTIAL = "partial"
    ABSENT = "absent"


class ReportFormat(StrEnum):
    JSON = "json"
    MARKDOWN = "md"


class FrameworkQuery(Query, frozen=True, kw_only=True):
    """`window` is how far back evidence counts, where it counts by time at all."""

    framework: FrameworkName
    window: WindowText = "30d"


class ReportQuery(Query, frozen=True, kw_only=True):
    """`markdown` is accepted for `md`."""

    framework: FrameworkName
    format: Annotated[str, Meta(pattern="^(json|md|markdown)$")] = "json"
    window: WindowText = "30d"


class EvidenceQuery(Query, frozen=True, kw_only=True):
    """`framework` is accepted for published clients and changes nothing."""

    window: WindowText = "30d"
    framework: FrameworkName | None = None


class ProofReportQuery(Query, frozen=True, kw_only=True):
    """`markdown` is accepted for `md`."""

    format: Annotated[str, Meta(pattern="^(json|md|markdown)$")] = "json"
    window: WindowText = "30d"


class Framework(Record, frozen=True, kw_only=True):
    """`source` is the text that the controls are taken from; their words here are our own."""

    framework: str
    title: str
    framework_version: str
    source: str
    total_controls: int


class Frameworks(Record, frozen=True, kw_only=True):
    frameworks: list[Framework]


class EvidenceFound(Record, frozen=True, kw_only=True):
    """One kind of evidence. `n` counts what was found, `record_ids` are the newest of them, ten at most; an event's is
    its leaf hash, as in the activity log."""

    evidence: str
    shows: str
    status: Presence
    n: int
    record_type: str
    record_ids: list[str]


class Control(Record, frozen=True, kw_only=True):
    """`status` is `present` when every kind of its evidence was found, `absent` when none was. `matched_policies` are
    the ids of active policies, where policies are among the evidence."""

    control_id: str
    title: str
    category: str
    description: str
    agent_relevance: str
    status: Presence
    evidence: list[EvidenceFound]
    matched_policies: list[str]
    gap_recommendations: list[str]


class ControlCounts(Record, frozen=True, kw_only=True):
    """Controls whose evidence is present (`covered`), partial or absent (`gaps`). `coverage_percentage` is
    (covered + partial / 2) / total_controls in percent, rounded: how much evidence there is, and no more."""

    total_controls: int
    covered: int
    partial: int
    gaps: int
    coverage_percentage: int


class ComplianceMap(Record, frozen=True, kw_only=True):
    """`project` is the organization's name. Simulated rows are no evidence and are left out; `caveat` says so, and what
    the map cannot tell."""

    framework: str
    title: str
    framework_version: str
    source: str
    project: str
    window: str
    since: datetime
    until: datetime
    generated_at: datetime
    summary: ControlCounts
    controls: list[Control]
    caveat: str


class ComplianceGaps(Record, frozen=True, kw_only=True):
    """The controls whose evidence is not all there, those without any first."""

    framework: str
    framework_version: str
    generated_at: datetime
    total_gaps: int
    gaps: list[Control]
    recommendations: list[str]


class Report(Record, frozen=True, kw_only=True):
    """`report` is the whole text, Markdown or JSON."""

    report: str
    format: ReportFormat
    generated_at: datetime


class ComplianceReport(Record, frozen=True, kw_only=True):
    framework: str
    report: str
    format: ReportFormat
    summary: ControlCounts
    generated_at: datetime


class EvidenceCounts(Record, frozen=True, kw_only=True):
    """Counts of the window. `breakdown` has a `count` for each `action_type` and `decision`, `action_breakdown` for
    each `status`. Simulated rows count, and `simulated` says how many decisions and actions they are."""

    guard_decisions_total: int
    guard_decisions_blocked: int
    approval_requests: int
    approvals_decided: int
    action_records_total: int
    actions_verified: int
    assumptions_total: int
    simulated: int
    breakdown: list[dict[str, Any]]
    action_breakdown: list[dict[str, Any]]


class ComplianceEvidence(Record, frozen=True, kw_only=True):
    window: str
    window_days: int
    since: datetime
    until: datetime
    evidence: EvidenceCounts
    generated_at: datetime


LIST_FRAMEWORKS = Endpoint(
    operation="list_frameworks",
    method="GET",
    path="/api/compliance/frameworks",
    summary="The frameworks that evidence can be mapped to.",
    roles=READING,
    response=Frameworks,
)
MAP_COMPLIANCE = Endpoint(
    operation="map_compliance",
    method="GET",
    path="/api/compliance/map",
    summary="For each control of a framework: what would show it, whether it is there, and the records that are it.",
    roles=READING,
    query=FrameworkQuery,
    response=ComplianceMap,
    problems=(Code.FRAMEWORK_NOT_FOUND,),
)
ANALYZE_GAPS = Endpoint(
    operation="analyze_gaps",
    method="GET",
    path="/api/compliance/gaps",
    summary="The controls whose evidence is partial or absent, and what would make it present.",
    roles=READING,
    query=FrameworkQuery,
    response=ComplianceGaps,
    problems=(Code.FRAMEWORK_NOT_FOUND,),
)
GET_COMPLIANCE_REPORT = Endpoint(
    operation="get_compliance_report",
    method="GET",
    path="/api/compliance/report",
    summary="The map of a framework as one text to hand on.",
    roles=READING,
    query=ReportQuery,
    response=ComplianceReport,
    problems=(Code.FRAMEWORK_NOT_FOUND,),
)
GET_COMPLIANCE_EVIDENCE = Endpoint(
    operation="get_compliance_evidence",
    method="GET",
    path="/api/compliance/evidence",
    summary="Live counts of decisions, approvals, actions and assumptions in a window.",
    roles=READING,
    query=EvidenceQuery,
    response=ComplianceEvidence,
)
GET_PROOF_REPORT = Endpoint(
    operation="get_proof_report",
    method="GET",
    path="/api/policies/proof",
    summary="Which policies are in force, how often each matched in a window and in which decision last, as one text.",
    roles=READING,
    query=ProofReportQuery,
    response=Report,
)
