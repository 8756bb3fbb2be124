"""Attachments of messages: small files that one agent hands to another."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.file import File
from assent.contract.problems import Code
from assent.contract.record import Id, Query, Record, Request
from assent.contract.roles import ANYONE

MOST_ATTACHMENTS = 3
MOST_ATTACHMENT_BYTES = 5 * 1024 * 1024
"""Of one file, before it is written as base64."""
ATTACHMENT_TYPES = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "application/pdf",
    "text/plain",
    "text/markdown",
    "text/csv",
    "application/json",
)
"""Nothing that a browser would run: no HTML, no SVG, no scripts."""


class NewAttachment(Request, frozen=True, kw_only=True):
    """`data` is the file in base64 (RFC 4648, section 4, with padding), at most 5 MiB before encoding. `mime_type` is
    one of image/png, image/jpeg, image/gif, image/webp, application/pdf, text/plain, text/markdown, text/csv and
    application/json; parameters behind it are dropped. What is inside is not looked at."""

    filename: Annotated[str, Meta(min_length=1, max_length=255)]
    mime_type: Annotated[str, Meta(min_length=1, max_length=100)]
    data: str


class Attachment(Record, frozen=True, kw_only=True):
    """What is known of a file without its bytes. `id` and `attachment_id` are the same."""

    id: str
    attachment_id: str
    filename: str
    mime_type: str
    size_bytes: int
    sha256: str


class AttachmentQuery(Query, frozen=True, kw_only=True):
    """`id` is the attachment's, as its message names it; it must be there."""

    id: Id | None = None


GET_ATTACHMENT = Endpoint(
    operation="get_attachment",
    method="GET",
    path="/api/messages/attachments",
    summary="A message's attachment: its bytes, with its type and name in the headers.",
    roles=ANYONE,
    query=AttachmentQuery,
    spelled={"attachment_id": "id"},
    response=File,
    content=ATTACHMENT_TYPES[0],
    contents=ATTACHMENT_TYPES,
    problems=(Code.ATTACHMENT_NOT_FOUND,),
)
