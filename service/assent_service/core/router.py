"""From a path to its door.

The framework of the service cannot route raw ASGI handlers on paths with parameters (Litestar 2.25), and its ordinary
handlers cost as much as everything that guard does. So the contract's paths are looked up here, under one mount:
fixed paths in a dictionary, the others by their segments, fixed segments first. What is below the path of a route that
says so (`Route.below`) is that route's, however it is written.

    app = Router([approve, *loops.routes], keys.authenticate)      # an ASGI application; each path has a `Door`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from litestar.types import ASGIApp, Receive, Scope, Send

from assent.contract.endpoint import DEFAULT_BODY_LIMIT
from assent.contract.problems import PROBLEM_JSON, Code
from assent.secrets import without_own
from assent_service.base.problem import Refusal, refuse, render
from assent_service.core.door import Door, Recording
from assent_service.core.elsewhere import Elsewhere
from assent_service.core.express import Express
from assent_service.core.failed_keys import FailedKeys
from assent_service.core.principal import Authenticate
from assent_service.core.route import Route
from assent_service.core.speaker import Seen
from assent_service.core.upload import Uploads

Template = tuple[str | None, ...]
"""The segments of a path; None where a parameter stands."""
Bucket = tuple[int | str | None, ...]
"""How many segments a path has, and its first two."""
Around = Callable[[ASGIApp, str | None, frozenset[str]], ASGIApp]
"""Puts something around what serves a path with these methods; None for what serves the paths that are not there."""


def as_it_is(app: ASGIApp, path: str | None, methods: frozenset[str]) -> ASGIApp:
    """Nothing is put around it."""
    return app


class Router:
    """The ASGI application of all routes. `body_limit` is in bytes, for endpoints without a limit of their own.
    `express` makes the quick way of a route that has one; the attribute of that name has them by their paths."""

    def __init__(
        self,
        routes: Iterable[Route],
        authenticate: Authenticate,
        seen: Seen | None = None,
        around: Around = as_it_is,
        failed: FailedKeys | None = None,
        body_limit: int = DEFAULT_BODY_LIMIT,
        express: Callable[[Route], Express] | None = None,
        ledger: Recording | None = None,
    ) -> None:
        routes = list(routes)
        self.express: dict[bytes, Express] = {}
        if express is not None:
            quick = (express(route) for route in routes if route.at_once is not None)
            self.express = {each.path.encode(): each for each in quick}
        self._fixed: dict[str, ASGIApp] = {}
        self._templates: dict[Bucket, list[tuple[Template, ASGIApp, list[str]]]] = {}
        self._below: dict[bytes, ASGIApp] = {}
        self._elsewhere = Elsewhere()
        uploads, failed = Uploads(), failed or FailedKeys()
        for path, group in _by_path(routes).items():
            methods = frozenset(each.endpoint.method for each in group)
            door = around(Door(group, authenticate, uploads, failed, seen, body_limit, ledger), path, methods)
            if "{" in path:
                template, names = _template(path)
                self._templates.setdefault((len(template), *template[:2]), []).append((template, door, names))
            else:
                self._fixed[path] = door
                if any(each.below for each in group):
                    self._below[path.encode() + b"/"] = door
        self._nowhere = around(self._say_nothing_there, None, frozenset())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A mount hands over the path without its slash in front and with one behind.
        path = scope["path"] = "/" + scope["path"].strip("/")
        raw = scope["raw_path"]
        for above, door in self._below.items():
            if raw.startswith(above):
                scope["path_params"] = {}
                await door(scope, receive, send)
                return
        if b"%" in raw and b"%2f" in raw.lower():
            # A slash that was encoded belongs to an id, and no id has one; it must not lead to another path.
            await self._nowhere(scope, receive, send)
            return
        fixed = self._fixed.get(path)
        if fixed is not None:
            scope["path_params"] = {}
            await fixed(scope, receive, send)
            return
        method = scope["method"]  # type: ignore[typeddict-item]  # a websocket never reaches an HTTP route
        found = None if self._elsewhere.fixed(method, path) is not None else self._match(path)
        if found is None:
            await self._nowhere(scope, receive, send)
            return
        door, scope["path_params"] = found
        await door(scope, receive, send)

    async def _say_nothing_there(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]  # type: ignore[typeddict-item]  # as above
        refusal = None
        if b"%2f" not in scope["raw_path"].lower():
            refusal = self._elsewhere.fixed(method, path) or self._elsewhere.find(method, path)
        await _nothing_there(send, path, refusal)

    def _match(self, path: str) -> tuple[ASGIApp, dict[str, str]] | None:
        segments = path.split("/")[1:]
        size = len(segments)
        buckets: tuple[Bucket, Bucket] = ((size, *segments[:2]), (size, segments[0], None))
        for bucket in buckets:
            for template, door, names in self._templates.get(bucket, ()):
                if all(fixed is None or fixed == segment for fixed, segment in zip(template, segments, strict=True)):
                    values = [segment for fixed, segment in zip(template, segments, strict=True) if fixed is None]
                    return door, dict(zip(names, values, strict=True))
        return None


def _by_path(routes: Iterable[Route]) -> dict[str, list[Route]]:
    """Routes by every path they are served on; a method that is there twice is a mistake of ours."""
    found: dict[str, list[Route]] = {}
    for route in routes:
        for path in (route.endpoint.path, *route.endpoint.also):
            group = found.setdefault(path, [])
            if any(other.endpoint.method == route.endpoint.method for other in group):
                raise ValueError(f"{route.endpoint.method} {path} is there twice")
            group.append(route)
    # Of two templates that fit, the one with more fixed segments is meant.
    return dict(sorted(found.items(), key=lambda item: item[0].count("{")))


def _template(path: str) -> tuple[Template, list[str]]:
    segments = path.split("/")[1:]
    names = [segment[1:-1] for segment in segments if segment.startswith("{")]
    return tuple(None if segment.startswith("{") else segment for segment in segments), names


async def _nothing_there(send: Send, path: str, refusal: Refusal | None = None) -> None:
    # A secret that is cut would not be known any more.
    path = without_own(path)
    if refusal is None:
        refusal = refuse(Code.ROUTE_NOT_FOUND, f"There is nothing at {path[:200]!r}; /schema lists what there is.")
    body = render(refusal, path[:200])
    headers = [
        (b"content-type", PROBLEM_JSON.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 404, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
