"""From what the engine found to what is told and recorded. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assent.contract.control.injection import (
    LONGEST_MATCH,
    SCAN_SAYS,
    InjectionFinding,
    InjectionScan,
    RecordedScan,
    RiskLevel,
    ScanRecommendation,
    SubjectKind,
)
from assent.contract.events import EventName
from assent.secrets import redacted
from assent_service.base.clock import moment, new_id
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.store.event import Draft
from assent_service.store.tables import (
    CREATED_AT,
    ORGANIZATION,
    Table,
    columns_of,
    of_entry,
    text,
)

if TYPE_CHECKING:
    from assent_analytics.injection import Finding, Scan

INJECTION_SCANS = Table.of(
    RecordedScan,
    name="injection_scans",
    meaning="texts in which the scan found prompt injections; the text itself is with its subject",
    key="scan_id",
    created=("injection.found",),
)
INJECTION_FINDINGS = Table(
    name="injection_findings",
    meaning="what the scan for prompt injections found, one row for each finding",
    key="scan_id",
    columns=(
        ORGANIZATION,
        text("scan_id", "the scan that found it; several rows share it", frozen=True),
        text("subject_kind", "what kind of thing the text belongs to"),
        text("subject_id", "id of what the text belongs to"),
        text("agent_id", "whose text it was"),
        text("field", "the member of the subject that held it"),
        text("source", "where the text came from, as it was scanned"),
        text("recommendation", "what the scan recommends for the whole text"),
        *(of_entry(column) for column in columns_of(InjectionFinding)),
        CREATED_AT,
    ),
    created=frozenset({"injection.found"}),
    each="findings",
)


READ_FOR_SECRETS = 2_000
"""Characters of a match that are looked into for secrets before it is cut."""
_CRITICAL = "critical"


class Subject(NamedTuple):
    """What scanned texts belong to; `now` is in microseconds."""

    principal: Principal
    kind: SubjectKind
    id: str
    agent_id: str | None
    now: int
    action_id: str | None = None


def finding_of(found: Finding) -> InjectionFinding:
    return InjectionFinding(
        pattern=found.rule,
        category=found.category,
        severity=found.severity,
        says=found.says,
        matched=redacted(found.matched[:READ_FOR_SECRETS])[:LONGEST_MATCH],
        position=found.position,
        end=found.end,
        via=list(found.via),
        weight=round(found.weight, 4),
    )


def recorded(
    subject: Subject, field: str, text: str, source: str, found: Scan, *, text_digest: str, allowed: bool, version: str
) -> RecordedScan:
    """A scan as it is recorded; that of a text by itself is its own subject."""
    scan_id = new_id("inj_", subject.now)
    return RecordedScan(
        org_id=subject.principal.org_id,
        scan_id=scan_id,
        subject_kind=subject.kind,
        subject_id=subject.id or scan_id,
        action_id=subject.action_id,
        agent_id=subject.agent_id,
        field=field,
        source=source,
        text_digest=text_digest,
        length=len(text),
        recommendation=ScanRecommendation.ALLOW if allowed else ScanRecommendation(found.recommendation.value),
        risk_level=RiskLevel(found.risk_level),
        score=round(found.score, 4),
        allowed=allowed,
        unread=found.unread,
        version=version,
        findings_count=len(found.findings),
        critical_count=critical(found),
        categories=list(found.categories),
        findings=[finding_of(each) for each in found.findings],
        created_by=subject.principal.key_id,
        created_at=moment(subject.now),
    )


def draft(scan: RecordedScan, now: int) -> Draft:
    return Draft(
        org=scan.org_id,
        type=EventName.INJECTION_FOUND.value,
        ts=now,
        subject=scan.scan_id,
        actor=scan.created_by,
        data=encode(scan),
        action=scan.action_id,
    )


def answer(
    source: str, found: Scan, *, text_digest: str, allowed: bool, version: str, scan_id: str | None
) -> InjectionScan:
    """What whoever asked about a text is told."""
    return InjectionScan(
        clean=not found.findings,
        risk_level=RiskLevel(found.risk_level),
        recommendation=ScanRecommendation.ALLOW if allowed else ScanRecommendation(found.recommendation.value),
        findings_count=len(found.findings),
        critical_count=critical(found),
        categories=list(found.categories),
        findings=[finding_of(each) for each in found.findings],
        source=source,
        score=round(found.score, 4),
        text_digest=text_digest,
        allowed=allowed,
        version=version,
        scan_id=scan_id,
        unread=found.unread,
    )


def critical(found: Scan) -> int:
    return sum(each.severity == _CRITICAL for each in found.findings)


def finding_sentence(field: str, found: Scan) -> str:
    """One sentence about a text in which something was found: where, what it does, and what had to be undone."""
    heaviest = found.findings[0]
    place = f"characters {heaviest.position}-{heaviest.end}"
    if heaviest.via:
        place += f", read through {', '.join(heaviest.via)}"
    more = len(found.findings) - 1
    also = f"; {more} more finding{'s' if more > 1 else ''}" if more else ""
    return f"{SCAN_SAYS}{field}: {heaviest.says} ({place}{also})"
