"""Compliance over time: reports that are kept, schedules that make them, and the counts that they took.

An export is what the map of one or more frameworks was at one moment, as a text; it is recorded and never changes. A
schedule makes exports by the clock. A trend is what exports counted, in the order in which they were made, and nothing
that was not counted then.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.evidence.compliance import ControlCounts, FrameworkName, ReportFormat
from assent.contract.evidence.proofs import BundleKey, Envelope
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Name,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    meaning,
)
from assent.contract.roles import OPERATING, READING
from assent.contract.window import LONGEST_DAYS

EXPORT_PAYLOAD = "application/vnd.svc.compliance-export.v1+json"
"""The type of what a bundle signs."""
MOST_SCHEDULES = 20
"""Of an organization."""

Names = Annotated[list[FrameworkName], Meta(min_length=1, max_length=20)]
Days = Annotated[int, Meta(ge=1, le=LONGEST_DAYS, description="days that evidence counts back from the export")]
Format = Annotated[str, Meta(pattern="^(json|md|markdown)$")]
CronExpression = Annotated[str, Meta(min_length=1, max_length=100)]


class CreateComplianceExport(Request, frozen=True, kw_only=True):
    """`markdown` is accepted for `md`. Without `include_evidence` the report has no records, without
    `include_remediation` no advice; with `include_trends` it has what earlier exports counted."""

    example: ClassVar[Example] = {"frameworks": ["soc2"], "name": "Quarterly review", "window_days": 90}

    frameworks: Names
    name: Name = "Compliance export"
    format: Format = "markdown"
    window_days: Days = 30
    include_evidence: bool = True
    include_remediation: bool = True
    include_trends: bool = False


class CreateComplianceSchedule(Request, frozen=True, kw_only=True):
    """`cron_expression` is five fields as in crontab, in UTC, with one minute: minute, hour, day of the month, month,
    day of the week (0 to 7, Sunday is both). The other members are those of the exports that it makes."""

    example: ClassVar[Example] = {"frameworks": ["soc2"], "cron_expression": "0 6 * * 1", "name": "Each Monday"}

    frameworks: Names
    cron_expression: CronExpression
    name: Name = "Scheduled export"
    format: Format = "markdown"
    window_days: Days = 30
    include_evidence: bool = True
    include_remediation: bool = True
    include_trends: bool = False
    enabled: bool = True


class UpdateComplianceSchedule(Request, frozen=True, kw_only=True):
    """What is left out stays as it is."""

    example: ClassVar[Example] = {"enabled": False}

    frameworks: Names | None = None
    cron_expression: CronExpression | None = None
    name: Name | None = None
    format: Format | None = None
    window_days: Days | None = None
    include_evidence: bool | None = None
    include_remediation: bool | None = None
    include_trends: bool | None = None
    enabled: bool | None = None


class FrameworkCounts(ControlCounts, frozen=True, kw_only=True):
    """What an export counted of one framework. `records` are the records that were found in all, each kind of evidence
    once."""

    framework: str
    framework_version: str
    records: int


class ComplianceExport(Record, frozen=True, kw_only=True):
    """One export, without its text. `since` and `until` bound the evidence that counts by time."""

    org_id: OrganizationId
    export_id: Annotated[str, meaning("id of the export", frozen=True)]
    name: Annotated[str, meaning("what people call it", frozen=True)]
    frameworks: Annotated[list[str], meaning("the frameworks in it", frozen=True)]
    format: Annotated[ReportFormat, meaning("json, or md for Markdown", frozen=True)]
    window_days: Annotated[int, meaning("how far back evidence counts", unit="days", frozen=True)]
    include_evidence: Annotated[bool, meaning("whether the report names records", frozen=True)]
    include_remediation: Annotated[bool, meaning("whether the report says how to come by what is missing", frozen=True)]
    include_trends: Annotated[bool, meaning("whether the report has what earlier exports counted", frozen=True)]
    since: Annotated[datetime, meaning("from when evidence counts", frozen=True)]
    until: Annotated[datetime, meaning("until when evidence counts", frozen=True)]
    counts: Annotated[list[FrameworkCounts], meaning("what was counted of each framework", frozen=True)]
    report_digest: Annotated[str, meaning("SHA-256 of the report's UTF-8 bytes", frozen=True)]
    report_bytes: Annotated[int, meaning("how long the report is", unit="bytes", frozen=True)]
    schedule_id: Annotated[str | None, meaning("the schedule that made it, if one did", frozen=True)]
    created_by: Annotated[str, meaning("id of the key that asked for it; system for a schedule's", frozen=True)]
    created_at: RecordedAt
    deleted_at: Annotated[datetime | None, meaning("when it was taken out of lists and trends")]


class ComplianceExportRow(ComplianceExport, frozen=True, kw_only=True):
    """An export as it is recorded."""

    report: Annotated[str, meaning("the whole text; empty once it was deleted")]


class ComplianceSchedule(Record, frozen=True, kw_only=True):
    """What makes exports by the clock. `last_error` is why its newest turn made none."""

    org_id: OrganizationId
    schedule_id: Annotated[str, meaning("id of the schedule", frozen=True)]
    name: Annotated[str, meaning("what people call it")]
    frameworks: Annotated[list[str], meaning("the frameworks in each export")]
    format: Annotated[ReportFormat, meaning("json, or md for Markdown")]
    window_days: Annotated[int, meaning("how far back evidence counts", unit="days")]
    include_evidence: Annotated[bool, meaning("whether reports name records")]
    include_remediation: Annotated[bool, meaning("whether reports say how to come by what is missing")]
    include_trends: Annotated[bool, meaning("whether reports have what earlier exports counted")]
    cron_expression: Annotated[str, meaning("when, as five fields of crontab in UTC")]
    enabled: Annotated[bool, meaning("whether it makes exports")]
    next_run_at: Annotated[datetime | None, meaning("its next turn; empty while it is not enabled")]
    last_run_at: Annotated[datetime | None, meaning("its newest turn")]
    last_export_id: Annotated[str | None, meaning("the newest export that it made")]
    last_error: Annotated[str | None, meaning("why its newest turn made no export")]
    created_by: Annotated[str, meaning("id of the key that made it", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    deleted_at: Annotated[datetime | None, meaning("when it was taken out of lists")]


class ComplianceExportDetail(Record, frozen=True, kw_only=True):
    export: ComplianceExportRow
    export_id: str


class ComplianceExportsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list. `cursor` comes from the page before."""

    schedule_id: Id | None = None
    limit: Limit = 20
    offset: Offset = 0
    cursor: Cursor | None = None


class ComplianceExports(Record, frozen=True, kw_only=True):
    """A page, newest first, without the texts."""

    exports: list[ComplianceExport]
    total: int
    next_cursor: str | None


class DeletedComplianceExport(Record, frozen=True, kw_only=True):
    deleted: bool
    export_id: str


class ComplianceBundle(Record, frozen=True, kw_only=True):
    """An export to hand on. `attestation` signs the canonical JSON (RFC 8785) of `payload` with a key of the
    organization; `keys` has its public part. That nothing was altered follows from the two; whose key it is tells the
    organization's key set (`/.well-known/jwks.json`)."""

    payload: ComplianceExportRow
    attestation: Envelope
    keys: list[BundleKey]


class ComplianceScheduleDetail(Record, frozen=True, kw_only=True):
    schedule: ComplianceSchedule
    schedule_id: str


class ComplianceSchedules(Record, frozen=True, kw_only=True):
    """All of them, the newest first."""

    schedules: list[ComplianceSchedule]
    total: int


class DeletedComplianceSchedule(Record, frozen=True, kw_only=True):
    deleted: bool
    schedule_id: str


class ComplianceTrendsQuery(Query, frozen=True, kw_only=True):
    """`limit` is how many counts, the newest."""

    framework: FrameworkName | None = None
    limit: Limit = 30


class ComplianceTrend(FrameworkCounts, frozen=True, kw_only=True):
    """What one export counted of one framework, and what that rests on: the export that has the records, the days that
    evidence counted, and how many records there were."""

    export_id: str
    schedule_id: str | None
    created_at: datetime
    window_days: int
    since: datetime
    until: datetime


class ComplianceTrends(Record, frozen=True, kw_only=True):
    """`trends` in the order in which they were counted; `exports` is how many exports they come from. `caveat` says
    which of them can be compared."""

    framework: str | None
    trends: list[ComplianceTrend]
    exports: int
    caveat: str


CREATE_COMPLIANCE_EXPORT = Endpoint(
    operation="create_compliance_export",
    method="POST",
    path="/api/compliance/exports",
    summary="Keep what the map of one or more frameworks is now, as one text.",
    roles=OPERATING,
    request=CreateComplianceExport,
    response=ComplianceExportDetail,
    statuses=(201,),
    problems=(Code.FRAMEWORK_NOT_FOUND, Code.PROJECTION_BEHIND),
)
LIST_COMPLIANCE_EXPORTS = Endpoint(
    operation="list_compliance_exports",
    method="GET",
    path="/api/compliance/exports",
    summary="Exports of compliance, newest first, without their texts.",
    roles=READING,
    query=ComplianceExportsQuery,
    response=ComplianceExports,
)
GET_COMPLIANCE_EXPORT = Endpoint(
    operation="get_compliance_export",
    method="GET",
    path="/api/compliance/exports/{export_id}",
    summary="One export of compliance with its text.",
    roles=READING,
    response=ComplianceExportDetail,
    problems=(Code.COMPLIANCE_EXPORT_NOT_FOUND,),
)
DOWNLOAD_COMPLIANCE_EXPORT = Endpoint(
    operation="download_compliance_export",
    method="GET",
    path="/api/compliance/exports/{export_id}/download",
    summary="One export of compliance as a bundle that is signed by the organization.",
    roles=READING,
    response=ComplianceBundle,
    problems=(
        Code.COMPLIANCE_EXPORT_NOT_FOUND,
        Code.WALLET_UNAVAILABLE,
        Code.STORAGE_UNAVAILABLE,
        Code.READ_ONLY,
    ),
)
DELETE_COMPLIANCE_EXPORT = Endpoint(
    operation="delete_compliance_export",
    method="DELETE",
    path="/api/compliance/exports/{export_id}",
    summary="Take an export of compliance out of lists and trends; that it was made stays recorded.",
    roles=OPERATING,
    response=DeletedComplianceExport,
    problems=(Code.COMPLIANCE_EXPORT_NOT_FOUND, Code.PROJECTION_BEHIND),
)
CREATE_COMPLIANCE_SCHEDULE = Endpoint(
    operation="create_compliance_schedule",
    method="POST",
    path="/api/compliance/schedules",
    summary="Have exports of compliance made by the clock, once an hour at most.",
    roles=OPERATING,
    request=CreateComplianceSchedule,
    response=ComplianceScheduleDetail,
    statuses=(201,),
    problems=(Code.FRAMEWORK_NOT_FOUND, Code.TOO_MANY_SCHEDULES, Code.PROJECTION_BEHIND),
)
LIST_COMPLIANCE_SCHEDULES = Endpoint(
    operation="list_compliance_schedules",
    method="GET",
    path="/api/compliance/schedules",
    summary="The schedules that make exports of compliance.",
    roles=READING,
    response=ComplianceSchedules,
)
GET_COMPLIANCE_SCHEDULE = Endpoint(
    operation="get_compliance_schedule",
    method="GET",
    path="/api/compliance/schedules/{schedule_id}",
    summary="One schedule of compliance exports.",
    roles=READING,
    response=ComplianceScheduleDetail,
    problems=(Code.COMPLIANCE_SCHEDULE_NOT_FOUND,),
)
UPDATE_COMPLIANCE_SCHEDULE = Endpoint(
    operation="update_compliance_schedule",
    method="PATCH",
    path="/api/compliance/schedules/{schedule_id}",
    summary="Change a schedule of compliance exports, switch it off or on.",
    roles=OPERATING,
    request=UpdateComplianceSchedule,
    response=ComplianceScheduleDetail,
    problems=(Code.COMPLIANCE_SCHEDULE_NOT_FOUND, Code.FRAMEWORK_NOT_FOUND, Code.PROJECTION_BEHIND),
)
DELETE_COMPLIANCE_SCHEDULE = Endpoint(
    operation="delete_compliance_schedule",
    method="DELETE",
    path="/api/compliance/schedules/{schedule_id}",
    summary="End a schedule of compliance exports; what it made stays.",
    roles=OPERATING,
    response=DeletedComplianceSchedule,
    problems=(Code.COMPLIANCE_SCHEDULE_NOT_FOUND, Code.PROJECTION_BEHIND),
)
GET_COMPLIANCE_TRENDS = Endpoint(
    operation="get_compliance_trends",
    method="GET",
    path="/api/compliance/trends",
    summary="What exports of compliance counted over time, and what each count rests on.",
    roles=READING,
    query=ComplianceTrendsQuery,
    response=ComplianceTrends,
    problems=(Code.FRAMEWORK_NOT_FOUND,),
)
