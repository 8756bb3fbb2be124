"""The spans of a request: one of the server, and one below it for what governance did.

An approval and an outcome come in requests of their own, often from another program and hours later, so they are in
traces of their own; each links back to the span in which its action was created. Where that was is kept in memory for
the latest actions and not in the evidence log: a trace is kept for days somewhere else, a log line for ever here, and
what is signed should not depend on a header. After a restart the link is missing; `assent.action_id` is on both.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from time import time_ns

from assent_service.telemetry.governance_spans import EVALUATION, GovernanceSpan
from assent_service.telemetry.observed_request import OTHER, ObservedRequest
from assent_service.telemetry.spans import Attributes, Link, Request, Span, SpanEvent
from assent_service.telemetry.trace import new_span_id, new_trace_id, parent_of

REMEMBERED = 10_000
"""Actions whose beginning is known."""
CLIENT_LEFT = 0


class Tracing:
    """`send` takes the spans of each request that has ended."""

    def __init__(self, send: Callable[[Request], None]) -> None:
        self._send = send
        self._begun: OrderedDict[tuple[str, str], Link] = OrderedDict()

    def begin(self, observed: ObservedRequest) -> None:
        observed.parent = parent_of(observed.headers)
        observed.trace_id = observed.parent.trace_id if observed.parent else new_trace_id()
        observed.span_id = new_span_id()

    def governed(self, observed: ObservedRequest, governed: GovernanceSpan, began: int) -> None:
        """What governance did between `began`, in nanoseconds since 1970, and now."""
        now = time_ns()
        span_id = new_span_id()
        org_id = "" if observed.principal is None else observed.principal.org_id
        verdict = None if governed.verdict is None else SpanEvent(EVALUATION, now, governed.verdict)
        link = None if governed.about is None else self._begun.get((org_id, governed.about))
        error = "blocked" if governed.attributes.get("assent.action.status") == "blocked" else None
        observed.inner.append(
            Span(
                governed.name,
                span_id,
                observed.span_id,
                began,
                now,
                governed.attributes,
                error=error,
                event=verdict,
                link=link,
            )
        )
        if governed.began is not None and (org_id, governed.began) not in self._begun:
            # A block that is only repeated does not begin anew.
            self._begun[org_id, governed.began] = Link(observed.trace_id, span_id)
            if len(self._begun) > REMEMBERED:
                self._begun.popitem(last=False)

    def end(self, observed: ObservedRequest) -> None:
        status = observed.status
        method = "_OTHER" if observed.method == OTHER else observed.method
        attributes: Attributes = {"http.request.method": method, "url.scheme": "http"}
        name = "HTTP" if observed.method == OTHER else method
        if observed.route != OTHER:
            attributes["http.route"] = observed.route
            name = f"{name} {observed.route}"
        if status != CLIENT_LEFT:
            attributes["http.response.status_code"] = status
        if observed.principal is not None:
            attributes["assent.org_id"] = observed.principal.org_id
            attributes["assent.key_id"] = observed.principal.key_id
        parent = observed.parent
        server = Span(
            name,
            observed.span_id,
            parent.span_id if parent else None,
            observed.began,
            observed.began + observed.elapsed,
            attributes,
            server=True,
            error=str(status) if status >= 500 else None,
        )
        self._send(Request(observed.trace_id, parent.sampled if parent else None, [server, *observed.inner]))
