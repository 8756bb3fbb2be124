"""One request, watched from its first byte to its last: which route, who asked, what was answered, how long it took.

Only where something is to be told of requests is an `ObservedRoute` put around what serves a path, once, at the start.
With metrics, traces and the access log off there is none, and a request passes as if this folder did not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from time import perf_counter_ns, time_ns
from typing import TYPE_CHECKING, Any

from litestar.types import ASGIApp, Message, Receive, Scope, Send

from assent_service.core.call import AnyCall
from assent_service.core.echo import REQUEST_ID, request_id
from assent_service.core.principal import Authenticate, Principal
from assent_service.core.stream import GONE

if TYPE_CHECKING:
    from assent_service.telemetry.spans import Span
    from assent_service.telemetry.trace import Parent

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Told apart where no route says which are served."""
OTHER = "other"
"""Stands for every method and path that is not of the API, so that callers cannot make up new ones."""


class ObservedRequest:
    """`route` is the path's template and `method` one that it serves, each `other` for anything else. `status` is 0
    when the client left before there was an answer; `sent` counts bytes of the body. `began` is in nanoseconds since
    1970, `elapsed` in nanoseconds, there at the end."""

    __slots__ = (
        "_tick",
        "began",
        "elapsed",
        "headers",
        "inner",
        "method",
        "parent",
        "principal",
        "request_id",
        "route",
        "sent",
        "span_id",
        "status",
        "trace_id",
    )

    def __init__(self, method: str, route: str, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.method, self.route, self.headers = method, route, headers
        self.status = self.sent = self.elapsed = 0
        self.principal: Principal | None = None
        self.parent: Parent | None = None
        self.trace_id = self.span_id = self.request_id = ""
        self.inner: list[Span] = []
        self.began, self._tick = time_ns(), perf_counter_ns()

    def end(self) -> None:
        self.elapsed = perf_counter_ns() - self._tick


Step = Callable[[ObservedRequest], None]
CURRENT: ContextVar[ObservedRequest] = ContextVar("assent_visit")


class ObservedRoute:
    """What serves `route`, watched: `begin` are called before it, `end` when the last byte was handed over. `echo`
    answers the request's id in a header, also where it was made here."""

    def __init__(
        self,
        app: ASGIApp,
        route: str,
        methods: frozenset[str],
        *,
        begin: Sequence[Step],
        end: Sequence[Step],
        echo: bool,
    ) -> None:
        self._app, self._route, self._methods = app, route, methods
        self._begin, self._end, self._echo = tuple(begin), tuple(end), echo

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope["method"]  # type: ignore[typeddict-item]  # a websocket never reaches an HTTP route
        observed = ObservedRequest(method if method in self._methods else OTHER, self._route, scope["headers"])
        for step in self._begin:
            step(observed)
        # Each request is a task of its own, so nobody else sees this and it need not be taken back.
        CURRENT.set(observed)
        echo, is_gone = self._echo, ((scope.get("extensions") or {}).get(GONE) or {}).get("call")

        async def watch(message: Message) -> None:
            if message["type"] == "http.response.body":
                observed.sent += len(message["body"]) if observed.status else 0
            elif message["type"] == "http.response.start":
                observed.status = 0 if callable(is_gone) and is_gone() else message["status"]
                if echo:
                    named = (REQUEST_ID, observed.request_id.encode())
                    message["headers"] = [*message["headers"], named]
            await send(message)

        try:
            await self._app(scope, receive, watch)
        finally:
            observed.end()
            for step in self._end:
                step(observed)


Governed = Callable[[ObservedRequest, AnyCall, Any], None]
"""Told of a call, and of what was answered or raised."""


class ObservedExchange:
    """A request that takes the quick way (`core.express`), watched by the same steps as an `ObservedRoute`, `governed`
    between them."""

    __slots__ = ("_end", "_governed", "_observed", "echo")

    def __init__(
        self,
        method: str,
        route: str,
        headers: Iterable[tuple[bytes, bytes]],
        *,
        begin: Sequence[Step],
        governed: Governed,
        end: Sequence[Step],
        echo: bool,
    ) -> None:
        observed = self._observed = ObservedRequest(method, route, headers)
        self._governed, self._end = governed, end
        for step in begin:
            step(observed)
        self.echo = observed.request_id.encode() if echo else request_id(headers)

    def ended(self, call: AnyCall, status: int, size: int, answer: Any) -> None:
        observed = self._observed
        observed.principal, observed.status, observed.sent = call.principal, status, size
        observed.end()
        self._governed(observed, call, answer)
        for step in self._end:
            step(observed)


def noting(authenticate: Authenticate) -> Authenticate:
    """`authenticate`, which also notes whose key came with the request."""

    def note(key: str) -> Principal | None:
        principal = authenticate(key)
        observed = CURRENT.get(None)
        if observed is not None:
            observed.principal = principal
        return principal

    return note
