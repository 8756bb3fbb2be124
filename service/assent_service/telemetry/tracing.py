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

from assent_service.telemetry.deeds import EVALUATION, Deed
from assent_service.telemetry.spans import Attributes, Event, Link, Request, Span
from assent_service.telemetry.trace import new_span_id, new_trace_id, parent_of
from assent_service.telemetry.visit import OTHER, Visit

REMEMBERED = 10_000
"""Actions whose beginning is known."""
CLIENT_LEFT = 0


class Tracing:
    """`send` takes the spans of each request that has ended."""

    def __init__(self, send: Callable[[Request], None]) -> None:
        self._send = send
        self._begun: OrderedDict[tuple[str, str], Link] = OrderedDict()

    def begin(self, visit: Visit) -> None:
        visit.parent = parent_of(visit.headers)
        visit.trace_id = visit.parent.trace_id if visit.parent else new_trace_id()
        visit.span_id = new_span_id()

    def deed(self, visit: Visit, deed: Deed, began: int) -> None:
        """What governance did between `began`, in nanoseconds since 1970, and now."""
        now = time_ns()
        span_id = new_span_id()
        org_id = "" if visit.principal is None else visit.principal.org_id
        verdict = None if deed.verdict is None else Event(EVALUATION, now, deed.verdict)
        link = None if deed.about is None else self._begun.get((org_id, deed.about))
        error = "blocked" if deed.attributes.get("assent.action.status") == "blocked" else None
        visit.inner.append(
            Span(deed.name, span_id, visit.span_id, began, now, deed.attributes, error=error, event=verdict, link=link)
        )
        if deed.began is not None and (org_id, deed.began) not in self._begun:
            # A block that is only repeated does not begin anew.
            self._begun[org_id, deed.began] = Link(visit.trace_id, span_id)
            if len(self._begun) > REMEMBERED:
                self._begun.popitem(last=False)

    def end(self, visit: Visit) -> None:
        status = visit.status
        method = "_OTHER" if visit.method == OTHER else visit.method
        attributes: Attributes = {"http.request.method": method, "url.scheme": "http"}
        name = "HTTP" if visit.method == OTHER else method
        if visit.route != OTHER:
            attributes["http.route"] = visit.route
            name = f"{name} {visit.route}"
        if status != CLIENT_LEFT:
            attributes["http.response.status_code"] = status
        if visit.principal is not None:
            attributes["assent.org_id"] = visit.principal.org_id
            attributes["assent.key_id"] = visit.principal.key_id
        parent = visit.parent
        server = Span(
            name,
            visit.span_id,
            parent.span_id if parent else None,
            visit.began,
            visit.began + visit.elapsed,
            attributes,
            server=True,
            error=str(status) if status >= 500 else None,
        )
        self._send(Request(visit.trace_id, parent.sampled if parent else None, [server, *visit.inner]))
