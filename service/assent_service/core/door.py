"""The door: every request comes in here and every answer leaves here.

In order: is there such a method on this path; who is calling, and may they; is the body small enough and what it
should be; then the handler. Whatever is raised on the way becomes a problem document. An error that nobody foresaw is
logged with its trace and answered without it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any, cast

import msgspec
from litestar.types import Receive, Scope, Send

from assent.contract.endpoint import Endpoint
from assent.contract.problems import PROBLEM_JSON, Code
from assent.contract.record import Request
from assent_service.core import body as bodies
from assent_service.core.call import Answer, Call
from assent_service.core.download import download, stop_when_gone
from assent_service.core.principal import Authenticate, Principal
from assent_service.core.problem import Refusal, refuse, render
from assent_service.core.redaction import cut, spoken, without_secrets
from assent_service.core.route import Route
from assent_service.core.speaker import Seen, speaker_of
from assent_service.core.stream import ByteStream, EventStream
from assent_service.core.upload import Disconnected, Uploads

log = logging.getLogger("assent.door")

NOBODY = cast("Principal", None)  # the handler of an open endpoint never looks at its principal
_NO_STORE = (b"cache-control", b"no-store")
_JSON = (b"content-type", b"application/json")
_PROBLEM = (b"content-type", PROBLEM_JSON.encode())
_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]

_UNREAD = frozenset({Code.PAYLOAD_TOO_LARGE, Code.BODY_TIMEOUT, Code.BUSY})
_encode = msgspec.json.Encoder().encode


class Door:
    """The ASGI application of one path, for all of its methods."""

    def __init__(
        self, routes: Sequence[Route], authenticate: Authenticate, uploads: Uploads, seen: Seen | None = None
    ) -> None:
        self._routes = {each.endpoint.method: each for each in routes}
        self._speakers = {each.endpoint.method: speaker_of(each.endpoint) for each in routes}
        self._authenticate, self._uploads, self._seen = authenticate, uploads, seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        try:
            answer = await self._answer(scope, headers, receive)
        except Refusal as refusal:
            answer = None
            await _send(send, refusal.status, render(refusal, scope["path"]), [_PROBLEM, *self._extra(refusal)])
        except Disconnected:
            return
        except Exception:
            log.exception("%s %s failed", scope.get("method"), scope["path"])
            failure = refuse(Code.INTERNAL_ERROR, "The service failed on this request; its log says why. Try again.")
            await _send(send, 500, render(failure, scope["path"]), [_PROBLEM])
            return
        if isinstance(answer, EventStream):
            await _stream(send, receive, answer)
        elif isinstance(answer, ByteStream):
            await download(scope, receive, send, answer)
        elif answer is not None:
            content = answer.content
            body = content if isinstance(content, bytes) else _encode(content)
            kind = _JSON if answer.media_type is None else (b"content-type", answer.media_type.encode())
            await _send(send, answer.status, body, [kind, *answer.headers])

    async def _answer(
        self, scope: Scope, headers: Mapping[bytes, bytes], receive: Receive
    ) -> Answer | EventStream | ByteStream:
        method = scope["method"]  # type: ignore[typeddict-item]  # a websocket never reaches an HTTP route
        route = self._routes.get(method)
        if route is None:
            raise refuse(Code.METHOD_NOT_ALLOWED, f"{method} is not served here; {self._allowed()} is.")
        endpoint = route.endpoint
        principal = NOBODY if endpoint.roles is None else self._admit(endpoint, headers)
        path = scope.get("path_params") or {}
        if path:
            bodies.check_path(path)
        call = Call(principal, path, headers)
        if endpoint.query is not None:
            call.query = bodies.convert_query(
                endpoint.query, scope["query_string"], closed=endpoint.closed_query, spelled=endpoint.spelled
            )
        if endpoint.request is not None:
            content = await self._uploads.read(headers, receive, endpoint.limit)
            call.raw = content
            sent = bodies.published(endpoint, bodies.decode_object(content))
            call.members = await without_secrets(endpoint, sent, content)
            strict = b"handling=strict" in headers.get(b"prefer", b"")
            call.body = _converted(endpoint, endpoint.request, call, sent, strict=strict)
        speaker = self._speakers[method]
        if speaker is not None and self._seen is not None:
            agent_id = speaker(principal, call.body)
            if agent_id:
                self._seen(principal, agent_id)
        return await route.handler(call)

    def _admit(self, endpoint: Endpoint[Any], headers: Mapping[bytes, bytes]) -> Principal:
        key = headers.get(b"x-api-key")
        principal = self._authenticate(key.decode("latin-1")) if key else None
        if principal is None:
            raise refuse(
                Code.UNAUTHORIZED,
                "The header x-api-key is missing."
                if not key
                else "The API key is unknown or was revoked; ask an admin for a new one.",
            )
        assert endpoint.roles is not None
        if principal.role not in endpoint.roles:
            raise refuse(
                Code.FORBIDDEN,
                f"A key of role {principal.role} may not {endpoint.operation}; "
                f"it takes one of: {', '.join(sorted(endpoint.roles))}.",
            )
        return principal

    def _allowed(self) -> str:
        return ", ".join(sorted(self._routes))

    def _extra(self, refusal: Refusal) -> list[tuple[bytes, bytes]]:
        if refusal.code is Code.METHOD_NOT_ALLOWED:
            return [(b"allow", self._allowed().encode())]
        found = [(b"retry-after", b"1")] if refusal.status == 503 else []
        if refusal.code in _UNREAD:
            # What is still to come of the body is not read.
            found.append((b"connection", b"close"))
        return found


def _converted(
    endpoint: Endpoint[Any], request: type[Request], call: Call, sent: dict[str, Any], *, strict: bool
) -> Request:
    """The body as the endpoint's request. What stands in a secret's place may be longer than it: a body that is right
    but for that is cut where it grew."""
    try:
        return bodies.convert(endpoint, request, spoken(call.members), strict=strict)
    except Refusal:
        if call.members is sent:
            raise
        call.members = cut(sent, call.members)
        return bodies.convert(endpoint, request, spoken(call.members), strict=strict)


async def _send(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length, _NO_STORE]})
    await send({"type": "http.response.body", "body": body, "more_body": False})


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
