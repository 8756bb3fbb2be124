"""The door: every request comes in here and every answer leaves here.

In order: is there such a method on this path; is everything known here that others recorded before; who is calling, and
may they; is the body small enough and what it should be; then the handler. One that was overtaken
(`assent_service.store.conditions`) runs again, with the same call, once it is clear that its key is still valid. One
that waits for a database too long is answered without it, and goes on (`assent_service.store.patience`).
Whatever is raised on the way becomes a problem document, also where a handler wants a head or a key of a database that
is away. An error that nobody foresaw is logged with its trace and
answered without it.

    door = Door([get_loop, resolve_loop], authenticate, uploads, failed_keys)       # two methods of one path
    await door(scope, receive, send)
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Protocol, TypeVar, cast

import msgspec
from litestar.types import Receive, Scope, Send

from assent.contract.endpoint import DEFAULT_BODY_LIMIT, AnyEndpoint
from assent.contract.problems import PROBLEM_JSON, Code
from assent_service.base.problem import Refusal, refuse, render
from assent_service.core import body as bodies
from assent_service.core.call import Answer, AnyCall, Call, Sent
from assent_service.core.caller import ADMIT
from assent_service.core.failed_keys import FailedKeys
from assent_service.core.principal import SHORTEST, Authenticate, Principal
from assent_service.core.redaction import without_secrets
from assent_service.core.route import Route
from assent_service.core.speaker import Seen, speaker_of
from assent_service.core.stream import ByteStream, EventStream, download, stop_when_gone
from assent_service.core.upload import Disconnected, Uploads
from assent_service.store.conditions import ATTEMPT, Attempt, Overtaken
from assent_service.store.failures import LogAway, database_away

T = TypeVar("T")

log = logging.getLogger("assent.door")

NOBODY = cast("Principal", None)  # the handler of an open endpoint never looks at its principal
Headers = list[tuple[bytes, bytes]]
_NO_STORE = (b"cache-control", b"no-store")
JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", PROBLEM_JSON.encode())
_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]

ONCE = (b"x-api-key", b"idempotency-key", b"x-assent-agent", b"x-assent-approval")
"""Headers that a request has once at most."""
_UNREAD = frozenset({Code.PAYLOAD_TOO_LARGE, Code.BUSY, Code.TOO_MANY_FAILED_KEYS})
_encode = msgspec.json.Encoder().encode


class Recording(Protocol):
    """What the door needs of the ledger, to run a request again that was overtaken."""

    @property
    def head(self) -> int: ...

    def current(self) -> Awaitable[None] | None: ...

    async def in_time(self, work: Callable[[], Awaitable[T]]) -> T: ...

    async def run_again(self, overtaken: Overtaken, work: Callable[[], Awaitable[T]]) -> T: ...


class Door:
    """The ASGI application of one path, for all of its methods."""

    def __init__(
        self,
        routes: Sequence[Route],
        authenticate: Authenticate,
        uploads: Uploads,
        failed: FailedKeys,
        seen: Seen | None = None,
        body_limit: int = DEFAULT_BODY_LIMIT,
        ledger: Recording | None = None,
    ) -> None:
        self._ledger = ledger
        self._routes = {each.endpoint.method: each for each in routes}
        self._speakers = {each.endpoint.method: speaker_of(each.endpoint) for each in routes}
        self._limits = {each.endpoint.method: _limit(each.endpoint, body_limit) for each in routes}
        self._declared = {each.endpoint.method: frozenset(each.endpoint.every_problem()) for each in routes}
        self._authenticate, self._uploads, self._failed, self._seen = authenticate, uploads, failed, seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fields = list(scope["headers"])
        headers = dict(fields)
        try:
            if len(headers) != len(fields):
                _check_repeated(fields)
            work = partial(self._answer, scope, headers, receive)
            answer, usual = await (work() if self._ledger is None else self._ledger.in_time(work))
        except Refusal as refusal:
            self._check_declared(scope, refusal)
            refusal = self._narrowed(scope, refusal)
            await _send(send, refusal.status, render(refusal, scope["path"]), self._headers(refusal))
            return
        except LogAway as away:
            log.debug("%s %s: %s", scope.get("method"), scope["path"], away)
            await _refuse(send, database_away(), scope)
            return
        except Disconnected:
            return
        except asyncio.CancelledError:
            # The server cancels what is not answered when it ends, and nothing else.
            await _refuse(send, stopped(), scope)
            return
        except Exception:
            log.exception("%s %s failed", scope.get("method"), scope["path"])
            await _refuse(send, unforeseen(), scope)
            return
        if isinstance(answer, EventStream):
            await _stream(send, receive, answer)
        elif isinstance(answer, ByteStream):
            await download(scope, receive, send, answer)
        else:
            await _send(send, *whole_answer(answer, usual))

    async def _answer(self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive) -> tuple[Any, int]:
        """What the handler answers, and the endpoint's usual status."""
        method = scope["method"]  # type: ignore[typeddict-item]  # a websocket never reaches an HTTP route
        route = self._routes.get(method)
        if route is None:
            raise refuse(Code.METHOD_NOT_ALLOWED, f"{method} is not served here; {self._allowed()} is.")
        endpoint = route.endpoint
        ledger = self._ledger
        attempt = await self._begin(endpoint)
        principal = NOBODY if endpoint.roles is None else self._admit(route, scope, headers)
        if attempt is not None and endpoint.roles is not None:
            attempt.org_id = principal.org_id
        path = scope.get("path_params") or {}
        if path:
            bodies.check_path(path)
        call: AnyCall = Call(principal, headers, None, None, Sent(), scope["raw_path"])
        if endpoint.query is not None:
            call.query = bodies.convert_query(
                endpoint.query, scope["query_string"], closed=endpoint.closed_query, spelled=endpoint.spelled
            )
        if endpoint.request is not None:
            content = await self._uploads.read(headers, receive, self._limits[method])
            published = bodies.published(endpoint, bodies.decode_object(content, tells_twice=endpoint.tells_twice))
            call.sent = Sent(await without_secrets(endpoint, published, content), content)
            call.body, call.sent.members = bodies.convert_redacted(
                endpoint,
                endpoint.request,
                published,
                call.sent.members,
                strict=b"handling=strict" in headers.get(b"prefer", b""),
            )
        speaker = self._speakers[method]
        if speaker is not None and self._seen is not None:
            agent_id = speaker(principal, call.body)
            if agent_id:
                self._seen(principal, agent_id)
        try:
            return await route.handler(call, **path), endpoint.statuses[0]
        except Overtaken as overtaken:
            if ledger is None or attempt is None:
                raise

            async def again() -> Any:
                # Whoever asked may have lost the key by what overtook it.
                attempt.begin_again(ledger.head)
                if endpoint.roles is not None:
                    call.principal = self._admit(route, scope, headers)
                return await route.handler(call, **path)

            return await ledger.run_again(overtaken, again), endpoint.statuses[0]

    async def _begin(self, endpoint: AnyEndpoint[Any]) -> Attempt | None:
        """What others have recorded before this request came is known to it, its key first of all."""
        ledger = self._ledger
        waiting = None if ledger is None or endpoint.roles is None else ledger.current()
        if waiting is not None:
            await waiting
        attempt = None if ledger is None else Attempt(ledger.head)
        ATTEMPT.set(attempt)
        return attempt

    def _admit(self, route: Route, scope: Scope, headers: Mapping[bytes, bytes]) -> Principal:
        endpoint = route.endpoint
        key = _bearer_key(scope, headers) if route.bearer else headers.get(b"x-api-key")
        if key and len(key) < SHORTEST:
            self._failed.check(scope)
        principal = self._authenticate(key.decode("latin-1")) if key else None
        if principal is None:
            if key:
                self._failed.count(scope)
            raise refuse(
                Code.UNAUTHORIZED,
                f"The header x-api-key{' or Authorization: Bearer' if route.bearer else ''} is missing."
                if not key
                else "The API key is unknown or was revoked; ask an admin for a new one.",
            )
        admit = ((scope.get("extensions") or {}).get(ADMIT) or {}).get("call")
        if callable(admit):
            admit()
        assert endpoint.roles is not None
        principal.check_role(endpoint.operation, endpoint.roles)
        return principal

    def _check_declared(self, scope: Scope, refusal: Refusal) -> None:
        """A code that the endpoint's declaration forgot is answered all the same, and told: the API's document and the
        client's errors come from the declaration. Tests end where it is told."""
        method = scope["method"]  # type: ignore[typeddict-item]
        declared = self._declared.get(method)
        if declared is not None and refusal.code not in declared:
            operation = self._routes[method].endpoint.operation
            log.error("%s answers %s, which its endpoint does not declare", operation, refusal.code)

    def _narrowed(self, scope: Scope, refusal: Refusal) -> Refusal:
        """A cut analysis names the members of its own operation that have it read fewer rows. A body that is too large
        names the one that says that it is not all, where there is one: whoever leaves it out would be believed."""
        route = self._routes.get(scope["method"])  # type: ignore[typeddict-item]
        if refusal.code is Code.PAYLOAD_TOO_LARGE and route is not None and route.endpoint.takes_parts():
            said = f"{refusal.detail} Send its beginning with `cut: true`, which says that there is more."
            return Refusal(refusal.code, said, refusal.errors, refusal.extras)
        if refusal.code is not Code.ANALYSIS_TOO_LARGE or route is None:
            return refusal
        found = route.endpoint.narrowing()
        if not found:
            return refusal
        said = f"{refusal.detail} Fewer rows are read by: {', '.join(f'`{name}`' for name in found)}."
        return Refusal(refusal.code, said, refusal.errors, refusal.extras)

    def _allowed(self) -> str:
        return ", ".join(sorted(self._routes))

    def _headers(self, refusal: Refusal) -> Headers:
        if refusal.code is Code.METHOD_NOT_ALLOWED:
            return [_PROBLEM, (b"allow", self._allowed().encode())]
        return refusal_headers(refusal)


def refusal_headers(refusal: Refusal) -> Headers:
    """What a refusal is answered with beside what every answer has."""
    found = [_PROBLEM]
    if refusal.status == 503:
        found.append((b"retry-after", b"1"))
    if "retry_after" in refusal.extras:
        found.append((b"retry-after", str(refusal.extras["retry_after"]).encode()))
    if refusal.code in _UNREAD:
        # What is still to come of the body is not read, and of who guesses keys nothing more.
        found.append((b"connection", b"close"))
    return found


def unforeseen() -> Refusal:
    """What an error is answered with that nobody foresaw, and that the log tells."""
    return refuse(Code.INTERNAL_ERROR, "The service failed on this request; its log says why. Try again.")


def stopped() -> Refusal:
    """What is answered when the service ends before it knows what became of a request: what waits for a disk that does
    not write may yet be recorded."""
    return refuse(
        Code.SHUTTING_DOWN,
        "The service stopped before it knew whether this was recorded. Ask again in a moment with the same "
        "Idempotency-Key, which answers what was recorded; without one, look first.",
    )


def whole_answer(answer: Any, usual: int) -> tuple[int, bytes, Headers]:
    """Status, body and headers of what a handler answered that is no stream."""
    if not isinstance(answer, Answer):
        return usual, _encode(answer), [JSON]
    body = answer.content if isinstance(answer.content, bytes) else _encode(answer.content)
    kind = JSON if answer.media_type is None else (b"content-type", answer.media_type.encode())
    return answer.status or usual, body, [kind, *answer.headers]


def closing_headers(body: bytes) -> Headers:
    """The last headers of every answer that is there as a whole."""
    return [(b"content-length", str(len(body)).encode()), _NO_STORE]


def _limit(endpoint: AnyEndpoint[Any], usual: int) -> int:
    return usual if endpoint.limit == DEFAULT_BODY_LIMIT else endpoint.limit


def _check_repeated(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Of two keys, a proxy before the service may have checked the other one, or have seen a repeat in it."""
    names = [name for name, _ in headers]
    for once in ONCE:
        if names.count(once) > 1:
            raise refuse(Code.INVALID_HTTP, f"The header {once.decode()} is there more than once; send it once.")


def _bearer_key(scope: Scope, headers: Mapping[bytes, bytes]) -> bytes | None:
    """The key of a request that may have it as a bearer token. Raises `invalid_http` where it has two: a proxy before
    the service may have checked the other one."""
    key = headers.get(b"x-api-key")
    said = [value for name, value in scope["headers"] if name == b"authorization"]
    tokens = {
        token.strip() for scheme, _, token in (each.partition(b" ") for each in said) if scheme.lower() == b"bearer"
    }
    if len(said) > 1 or (key and tokens - {key}):
        raise refuse(Code.INVALID_HTTP, "There are two keys, in Authorization and in x-api-key; send one.")
    return key or next(iter(tokens), None)


async def _send(send: Send, status: int, body: bytes, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *closing_headers(body)]})
    await send({"type": "http.response.body", "body": body, "more_body": False})


async def _refuse(send: Send, refusal: Refusal, scope: Scope) -> None:
    await _send(send, refusal.status, render(refusal, scope["path"]), refusal_headers(refusal))


async def _stream(send: Send, receive: Receive, stream: EventStream) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _STREAM})
    watch = asyncio.create_task(stop_when_gone(receive, stream.stop))
    try:
        async with aclosing(stream.chunks) as chunks:
            async for chunk in chunks:
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        watch.cancel()
