"""Secrets in a text: which it holds, and the text without them, for whoever is about to send it somewhere.

A record of it says where the secrets are and of which kind, never the text, its digest or a part of it.
"""

from __future__ import annotations

import asyncio

import msgspec

from assent.contract.control.secrets import (
    SCAN_CONTENT,
    SECRETS_FOUND,
    ContentScan,
    RecordedContentScan,
    ScanContent,
    SecretFinding,
    SecretPlace,
)
from assent.secrets import find_secrets, redacted
from assent_service.base.clock import Clock, moment, new_id
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.payload import encode
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

__all__ = [
    "open_secrets",
]


# One text looked through: what is answered, and what is recorded of it. Pure.
#
# Findings are numbered by their place. What is recorded is where the secrets are and of which kind, never the text, its
# digest or a part of it.


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


SHORT = 4096
"""Characters up to which a text is looked through on the loop; longer ones beside it, since guard answers there."""


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(SCAN_CONTENT, unfenced=NEW_ID)
    async def scan(call: Call[ScanContent, None]) -> ContentScan:
        said, principal = call.body, call.principal
        agent_id = principal.speaks_for(said.agent_id)
        found = scanned(said) if len(said.text) <= SHORT else await asyncio.to_thread(scanned, said)
        if not (said.store and found.findings):
            return found
        now, by = clock(), principal.key_id
        kept = recorded(
            found, org_id=principal.org_id, agent_id=agent_id, length=len(said.text), created_by=by, now=now
        )
        draft = Draft(
            org=principal.org_id, type=SECRETS_FOUND.value, ts=now, subject=kept.scan_id, actor=by, data=encode(kept)
        )
        await ledger.append(draft)
        return msgspec.structs.replace(found, scan_id=kept.scan_id)

    return (scan,)


def open_secrets(on: Foundation) -> None:
    on.bring(routes=routes(on.ledger, on.clock))
