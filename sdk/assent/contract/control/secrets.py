"""The scan for secrets: what somebody is about to send, post or store, and the same text without its secrets."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import MEGABYTE, Endpoint
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request, ShortText
from assent.contract.roles import ACTING

LONGEST_TEXT = MEGABYTE
"""Characters of one text."""
TEXT_LIMIT = 6 * MEGABYTE
"""Bytes of a body: the longest text in letters of three bytes, or escaped, and what stands around it."""

Text = Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]
Destination = Annotated[str, Meta(max_length=500)]
"""Where the text is to go, in the caller's words: an address, a channel, a file."""


class ScanContent(Request, frozen=True, kw_only=True):
    """With `store` what was found is recorded for the audit trail, never the text: as the event `secrets.found`."""

    example: ClassVar[Example] = {"text": "The disk is full."}

    text: Text
    destination: Destination | None = None
    agent_id: ShortText | None = None
    store: bool = False


class SecretPlace(Record, frozen=True, kw_only=True):
    """Where a secret is, and of which kind: `position` to `end` are characters of the text."""

    pattern: str
    category: str
    severity: str
    position: int
    end: int


class SecretFinding(SecretPlace, frozen=True, kw_only=True):
    """`matched` tells it without the secret: how many characters it has, and the first four where every secret of its
    kind begins like that."""

    matched: str


class ContentScan(Record, frozen=True, kw_only=True):
    """`redacted_text` is the text with `[REDACTED:<pattern>]` in place of each secret. `scan_id` is None when nothing
    was recorded."""

    clean: bool
    findings_count: int
    critical_count: int
    categories: list[str]
    findings: list[SecretFinding]
    redacted_text: str
    destination: str | None
    scan_id: str | None


class RecordedContentScan(Record, frozen=True, kw_only=True):
    """What is recorded of a text with secrets in it, which has `length` characters: all findings are counted, and the
    first 1,000 are told. Not its digest: where a secret is
    all that is not known of a text, its digest is enough to try secrets on."""

    org_id: str
    scan_id: str
    agent_id: str | None
    destination: str | None
    length: int
    findings_count: int
    critical_count: int
    categories: list[str]
    findings: list[SecretPlace]
    created_by: str
    created_at: datetime


SECRETS_FOUND = EventName.SECRETS_FOUND
SCAN_CONTENT = Endpoint(
    operation="scan_content",
    method="POST",
    path="/api/security/scan",
    summary="Which secrets a text holds, and the text without them.",
    roles=ACTING,
    request=ScanContent,
    response=ContentScan,
    problems=(Code.AGENT_MISMATCH,),
    limit=TEXT_LIMIT,
    # It is what is asked about, and not kept.
    keeps_secrets=("text",),
)
