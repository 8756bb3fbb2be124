"""Compliance: which records would show what a framework's controls ask for."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.compliance import (
    ANALYZE_GAPS,
    GET_COMPLIANCE_EVIDENCE,
    GET_COMPLIANCE_REPORT,
    GET_PROOF_REPORT,
    LIST_FRAMEWORKS,
    MAP_COMPLIANCE,
    ComplianceEvidence,
    ComplianceGaps,
    ComplianceMap,
    ComplianceReport,
    EvidenceQuery,
    FrameworkQuery,
    Frameworks,
    ProofReportQuery,
    Report,
    ReportQuery,
)


class ComplianceOperations(Caller):
    @operation
    def list_frameworks(self) -> Flow[Frameworks]:
        """The frameworks that evidence can be mapped to."""
        return (yield from send(LIST_FRAMEWORKS))

    @operation
    def map_compliance(self, framework: str, window: str = "30d") -> Flow[ComplianceMap]:
        """For each control of a framework (`soc2`, `eu-ai-act`): what would show it, whether that is present, partial
        or absent within the window (`<n>d`), and the ids of the newest records that are it.

        It says nothing about whether a control is met. Raises NotFound for an unknown framework.
        """
        query = members(FrameworkQuery, {"framework": framework, "window": window}, "map_compliance")
        return (yield from send(MAP_COMPLIANCE, query=query))

    @operation
    def analyze_gaps(self, framework: str, window: str = "30d") -> Flow[ComplianceGaps]:
        """The controls whose evidence is not all there, and what would bring it about."""
        query = members(FrameworkQuery, {"framework": framework, "window": window}, "analyze_gaps")
        return (yield from send(ANALYZE_GAPS, query=query))

    @operation
    def get_compliance_report(
        self, framework: str, format: str = "json", window: str = "30d"
    ) -> Flow[ComplianceReport]:
        """The map of a framework as one text, `json` or `md`."""
        given = {"framework": framework, "format": format, "window": window}
        return (yield from send(GET_COMPLIANCE_REPORT, query=members(ReportQuery, given, "get_compliance_report")))

    @operation
    def get_compliance_evidence(self, window: str = "30d") -> Flow[ComplianceEvidence]:
        """Live counts of the decisions, approvals, actions and assumptions of a window (`<n>d`)."""
        query = members(EvidenceQuery, {"window": window}, "get_compliance_evidence")
        return (yield from send(GET_COMPLIANCE_EVIDENCE, query=query))

    @operation
    def get_proof_report(self, format: str = "json", window: str = "30d") -> Flow[Report]:
        """The policies in force and what they decided in a window, as one text, `json` or `md`."""
        query = members(ProofReportQuery, {"format": format, "window": window}, "get_proof_report")
        return (yield from send(GET_PROOF_REPORT, query=query))
