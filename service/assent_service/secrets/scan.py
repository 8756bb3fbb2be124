"""One text looked through: what is answered, and what is recorded of it. Pure.

Findings are numbered by their place. What is recorded is where the secrets are and of which kind, never the text, its
digest or a part of it.
"""

from __future__ import annotations

from assent.contract.secrets import ContentScan, RecordedContentScan, ScanContent, SecretFinding, SecretPlace
from assent.secrets import find_secrets, redacted
from assent_service.core.clock import moment, new_id

CRITICAL = "critical"
MOST_RECORDED = 1_000
"""Findings; a megabyte can hold a hundred thousand, which would take ten in the log."""


def scanned(said: ScanContent) -> ContentScan:
    """What the text holds; nothing is recorded yet."""
    found = [
        SecretFinding(
            pattern=each.pattern,
            category=each.category,
            severity=each.severity,
            position=each.start,
            end=each.end,
            matched=each.matched(said.text),
        )
        for each in find_secrets(said.text)
    ]
    return ContentScan(
        clean=not found,
        findings_count=len(found),
        critical_count=sum(each.severity == CRITICAL for each in found),
        categories=sorted({each.category for each in found}),
        findings=found,
        redacted_text=redacted(said.text) if found else said.text,
        destination=said.destination,
        scan_id=None,
    )


def recorded(
    scan: ContentScan, *, org_id: str, agent_id: str | None, length: int, created_by: str, now: int
) -> RecordedContentScan:
    """What is kept of a scan that found something."""
    return RecordedContentScan(
        org_id=org_id,
        scan_id=new_id("sec_", now),
        agent_id=agent_id,
        destination=scan.destination,
        length=length,
        findings_count=scan.findings_count,
        critical_count=scan.critical_count,
        categories=scan.categories,
        findings=[
            SecretPlace(
                pattern=each.pattern,
                category=each.category,
                severity=each.severity,
                position=each.position,
                end=each.end,
            )
            for each in scan.findings[:MOST_RECORDED]
        ],
        created_by=created_by,
        created_at=moment(now),
    )
