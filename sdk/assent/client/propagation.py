"""The caller's trace, passed on to the service in the header `traceparent` (W3C Trace Context).

OpenTelemetry is not imported here. Where the program that uses this client has loaded it and a span is current, that
span becomes the parent of the service's; otherwise nothing is sent, and looking costs one look into a dictionary.
Whichever propagators a program has chosen for others, this is the header that the service reads.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

API = "opentelemetry.trace"
HEADER = "traceparent"


def traced(headers: Mapping[str, str]) -> Mapping[str, str]:
    """`headers`, with the current span's where there is one."""
    trace: Any = sys.modules.get(API)
    # A module that another thread is still importing is there already, without its names.
    current = getattr(trace, "get_current_span", None)
    if current is None:
        return headers
    context = current().get_span_context()
    if not context.is_valid:
        return headers
    parent = f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags) & 1:02x}"
    return {HEADER: parent, **headers}
