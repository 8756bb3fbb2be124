"""Answers that are files: their bytes come as they are, and what they are called stands in the headers."""

from __future__ import annotations

from assent.contract.record import Record


class File(Record, frozen=True, kw_only=True):
    """A file as a client hands it over. On the wire `data` is the body, `mime_type` the header Content-Type and
    `filename` is in Content-Disposition."""

    data: bytes
    filename: str
    mime_type: str


FILES = (bytes, File)
"""What an endpoint whose answer is no JSON may have as its response."""
