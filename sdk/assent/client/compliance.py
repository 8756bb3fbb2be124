"""Compliance: which records would show what a framework's controls ask for."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.evidence.compliance import (
    ANALYZE_GAPS,
    GET_COMPLIANCE_EVIDENCE,
    GET_COMPLIANCE_REPORT,
    GET_PROOF_REPORT,
    LIST_FRAMEWORKS,
    MAP_COMPLIANCE,
)


class ComplianceOperations(Caller):
    @sends(LIST_FRAMEWORKS)
    def list_frameworks(self) -> Response:
        """The frameworks that evidence can be mapped to."""

    @sends(MAP_COMPLIANCE)
    def map_compliance(self, framework: str, window: str = "30d") -> Response:
        """For each control of a framework (`soc2`, `eu-ai-act`): what would show it, whether that is present, partial
        or absent within the window (`<n>d`), and the ids of the newest records that are it.

        It says nothing about whether a control is met. Raises NotFound for an unknown framework.
        """

    @sends(ANALYZE_GAPS)
    def analyze_gaps(self, framework: str, window: str = "30d") -> Response:
        """The controls whose evidence is not all there, and what would bring it about."""

    @sends(GET_COMPLIANCE_REPORT)
    def get_compliance_report(self, framework: str, format: str = "json", window: str = "30d") -> Response:
        """The map of a framework as one text, `json` or `md`."""

    @sends(GET_COMPLIANCE_EVIDENCE, without=("framework",))
    def get_compliance_evidence(self, window: str = "30d") -> Response:
        """Live counts of the decisions, approvals, actions and assumptions of a window (`<n>d`)."""

    @sends(GET_PROOF_REPORT)
    def get_proof_report(self, format: str = "json", window: str = "30d") -> Response:
        """The policies in force and what they decided in a window, as one text, `json` or `md`."""
