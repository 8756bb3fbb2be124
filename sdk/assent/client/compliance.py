"""Compliance: which records would show what a framework's controls ask for, now and over time."""

from __future__ import annotations

from collections.abc import Sequence

from assent.client.method import Response, sends
from assent.client.operation import Caller, each
from assent.contract.evidence.compliance import (
    ANALYZE_GAPS,
    GET_COMPLIANCE_EVIDENCE,
    GET_COMPLIANCE_REPORT,
    GET_PROOF_REPORT,
    LIST_FRAMEWORKS,
    MAP_COMPLIANCE,
)
from assent.contract.evidence.compliance_exports import (
    CREATE_COMPLIANCE_EXPORT,
    CREATE_COMPLIANCE_SCHEDULE,
    DELETE_COMPLIANCE_EXPORT,
    DELETE_COMPLIANCE_SCHEDULE,
    DOWNLOAD_COMPLIANCE_EXPORT,
    GET_COMPLIANCE_EXPORT,
    GET_COMPLIANCE_SCHEDULE,
    GET_COMPLIANCE_TRENDS,
    LIST_COMPLIANCE_EXPORTS,
    LIST_COMPLIANCE_SCHEDULES,
    UPDATE_COMPLIANCE_SCHEDULE,
    ComplianceExport,
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

    @sends(CREATE_COMPLIANCE_EXPORT)
    def create_compliance_export(
        self,
        frameworks: Sequence[str],
        name: str = "Compliance export",
        format: str = "markdown",
        window_days: int = 30,
        include_evidence: bool = True,
        include_remediation: bool = True,
        include_trends: bool = False,
    ) -> Response:
        """Keep what the map of one or more frameworks is now, as one text (`md` or `json`).

        Raises NotFound for an unknown framework.
        """

    @sends(LIST_COMPLIANCE_EXPORTS)
    def list_compliance_exports(
        self,
        limit: int | None = None,
        *,
        schedule_id: str | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of exports, newest first, without their texts."""

    iterate_compliance_exports = each(list_compliance_exports, ComplianceExport, lambda page: page.exports)

    @sends(GET_COMPLIANCE_EXPORT)
    def get_compliance_export(self, export_id: str) -> Response:
        """One export with its text. Raises NotFound, also for one that was deleted."""

    @sends(DOWNLOAD_COMPLIANCE_EXPORT)
    def download_compliance_export(self, export_id: str) -> Response:
        """The export as a bundle that the organization signs: `payload.report` is the text, `attestation` a DSSE
        envelope around the canonical JSON of `payload`. Raises NotFound."""

    @sends(DELETE_COMPLIANCE_EXPORT)
    def delete_compliance_export(self, export_id: str) -> Response:
        """Take an export out of lists and trends. Raises NotFound."""

    @sends(CREATE_COMPLIANCE_SCHEDULE)
    def create_compliance_schedule(
        self,
        frameworks: Sequence[str],
        cron_expression: str,
        name: str = "Scheduled export",
        *,
        format: str = "markdown",
        window_days: int = 30,
        include_evidence: bool = True,
        include_remediation: bool = True,
        include_trends: bool = False,
        enabled: bool = True,
    ) -> Response:
        """Have exports made by the clock: `cron_expression` is five fields of crontab in UTC with one minute, such as
        `0 6 * * 1`.

        Raises NotFound for an unknown framework, Conflict where there are 20 schedules already.
        """

    @sends(LIST_COMPLIANCE_SCHEDULES)
    def list_compliance_schedules(self) -> Response:
        """All schedules, the newest first."""

    @sends(GET_COMPLIANCE_SCHEDULE)
    def get_compliance_schedule(self, schedule_id: str) -> Response:
        """One schedule: its next turn, its newest one and what came of it. Raises NotFound."""

    @sends(UPDATE_COMPLIANCE_SCHEDULE)
    def update_compliance_schedule(
        self,
        schedule_id: str,
        *,
        frameworks: Sequence[str] | None = None,
        cron_expression: str | None = None,
        name: str | None = None,
        format: str | None = None,
        window_days: int | None = None,
        include_evidence: bool | None = None,
        include_remediation: bool | None = None,
        include_trends: bool | None = None,
        enabled: bool | None = None,
    ) -> Response:
        """Change a schedule; what is left out stays. `enabled` switches it off or on. Raises NotFound."""

    @sends(DELETE_COMPLIANCE_SCHEDULE)
    def delete_compliance_schedule(self, schedule_id: str) -> Response:
        """End a schedule; what it made stays. Raises NotFound."""

    @sends(GET_COMPLIANCE_TRENDS)
    def get_compliance_trends(self, framework: str | None = None, limit: int = 30) -> Response:
        """What the newest exports counted, oldest first, each with what it rests on. Raises NotFound for an unknown
        framework."""
