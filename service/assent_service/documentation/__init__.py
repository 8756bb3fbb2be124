"""The API's own documentation over HTTP: the OpenAPI document, and Swagger UI to read it and try it out; no key is
needed."""

from __future__ import annotations

import asyncio
import logging
from typing import cast

from litestar import asgi
from litestar.handlers import ASGIRouteHandler
from litestar.types import HTTPScope, Receive, Scope, Send

from assent.contract.problems import PROBLEM_JSON, Code
from assent_service.base.problem import refuse, render
from assent_service.core.router import Around, as_it_is
from assent_service.documentation.resources import PATHS, SECURITY_POLICY, resources, swagger_ui_folder

__all__ = ["handlers"]


# The documentation over HTTP. It needs no key: what an API looks like is no secret, what is in it is.
#
# These routes stand beside the contract, which describes the API and not its documentation. GET and HEAD are served;
# a browser that has the present version is told so (304) and gets no body.


METHODS = ("GET", "HEAD")

log = logging.getLogger("assent.documentation")

_GUARDED = [
    (b"content-security-policy", SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    # Asked for anew each time, so that an upgraded service is seen at once.
    (b"cache-control", b"no-cache"),
]


def handlers(version: str, around: Around = as_it_is) -> list[ASGIRouteHandler]:
    """The handlers to give to Litestar beside the contract's, with something `around` each. Raises SwaggerUiMissing.

    What they serve is made when somebody first asks, in a thread: a start need not wait for it, nor guard.
    """
    swagger_ui_folder()
    return [_handler(path, version, around) for path in PATHS]


def _handler(path: str, version: str, around: Around) -> ASGIRouteHandler:
    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            resource = (await asyncio.to_thread(resources, version))[path]
        except Exception:
            log.exception("the documentation at %s failed", path)
            refusal = refuse(Code.INTERNAL_ERROR, "The service failed on this request; its log says why.")
            await _send(send, refusal.status, render(refusal, scope["path"]), [_type(PROBLEM_JSON)])
            return
        method = cast("HTTPScope", scope)["method"]
        if method not in METHODS:
            refusal = refuse(Code.METHOD_NOT_ALLOWED, f"{method} is not served here; {', '.join(METHODS)} are.")
            allow = (b"allow", ", ".join(METHODS).encode())
            await _send(send, refusal.status, render(refusal, scope["path"]), [_type(PROBLEM_JSON), allow])
            return
        known = dict(scope["headers"]).get(b"if-none-match", b"").decode("latin-1")
        headers = [*_GUARDED, (b"etag", resource.tag.encode())]
        if is_current(known, resource.tag):
            await _send(send, 304, b"", headers)
            return
        body = resource.content if method == "GET" else b""
        length = (b"content-length", str(len(resource.content)).encode())
        await _send(send, 200, body, [*headers, _type(resource.media_type), length])

    served = around(serve, path, frozenset(METHODS))

    async def serve_watched(scope: Scope, receive: Receive, send: Send) -> None:
        await served(scope, receive, send)

    return asgi(path, copy_scope=False)(serve_watched)


def is_current(if_none_match: str, tag: str) -> bool:
    """Whether the header If-None-Match names `tag`, by weak comparison (RFC 9110, section 13.1.2)."""
    names = [name.strip().removeprefix("W/") for name in if_none_match.split(",")]
    return "*" in names or tag in names


def _type(media_type: str) -> tuple[bytes, bytes]:
    return (b"content-type", media_type.encode())


async def _send(send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
