"""Where a request stands in its caller's trace: the header `traceparent` (W3C Trace Context, level 1).

Taken over as it is when it is well formed, otherwise a trace of our own begins: a caller's mistake is no reason to
refuse a request. `tracestate` belongs to tracing vendors and is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random
from typing import NamedTuple

_HEADER = re.compile(rb"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_NO_TRACE, _NO_SPAN = "0" * 32, "0" * 16

random_bits = Random().getrandbits  # noqa: S311 - names requests and spans, guards nothing
"""A generator of our own: whoever seeds the one that a process shares finds it where it was."""


class Parent(NamedTuple):
    """The caller's span. `sampled` says whether the caller keeps its own."""

    trace_id: str
    span_id: str
    sampled: bool


def parent_of(headers: Iterable[tuple[bytes, bytes]]) -> Parent | None:
    """What the request's headers say, None without a usable `traceparent` and for two: which of them is right?"""
    found = [value for name, value in headers if name == b"traceparent"]
    return read(found[0]) if len(found) == 1 else None


def read(value: bytes) -> Parent | None:
    """A header's value. A later version may say more behind what this one says, 00 may not; ff is no version."""
    found = _HEADER.fullmatch(value)
    if found is None or found[1] == b"ff" or (found[1] == b"00" and found[5] is not None):
        return None
    trace_id, span_id = found[2].decode(), found[3].decode()
    if trace_id == _NO_TRACE or span_id == _NO_SPAN:
        return None
    return Parent(trace_id, span_id, sampled=bool(int(found[4], 16) & 1))


def new_trace_id() -> str:
    return f"{random_bits(128) or 1:032x}"


def new_span_id() -> str:
    return f"{random_bits(64) or 1:016x}"
