"""Signing in and out, and the gate before everything else.

The page is plain HTML without a script. A key is posted once, checked with the service, and answered with a cookie
that scripts cannot read and other sites cannot use. The gate lets nothing of the dashboard out to a browser without a
session: a page leads to the sign-in and back to where it was going, a websocket is refused.

To a browser, whatever else this machine serves is the same site, on every port of it: an agent's own preview, say. It
sends our cookie with what such a page asks for. So the gate refuses what comes from another origin, session or not,
and says of everything it lets out that no other page may frame it, and that it loads from nowhere but here.
"""

from __future__ import annotations

from html import escape
from string import Template
from urllib.parse import parse_qs, quote

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assent.errors import AssentError, ConnectionFailed, Unauthorized
from assent_dashboard.desk import Desk
from assent_dashboard.sessions import NotAdmitted
from assent_dashboard.sign_in_page import PAGE

SIGN_IN, SIGN_OUT, HEALTH = "/sign-in", "/sign-out", "/_stcore/health"
LONGEST_FORM = 4096
# Streamlit styles its elements in place, and Vega compiles its expressions.
POLICY = (
    "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; object-src 'none'; form-action 'self'; "
    "base-uri 'self'; frame-ancestors 'self'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


def routes(desk: Desk) -> list[Route]:
    """The two pages outside Streamlit."""

    async def show(request: Request) -> Response:
        onward = safe_path(request.query_params.get("next"))
        if desk.find(request.cookies.get(desk.cookie)) is not None:
            return RedirectResponse(onward, 303)
        return page(desk, onward)

    async def enter(request: Request) -> Response:
        if not same_origin(request):
            return page(desk, "/", "This form was not sent from this page; sign in here.", 403)
        form = await read_form(request)
        onward = safe_path(form.get("next"))
        api_key = form.get("key", "").strip()
        if not api_key:
            return page(desk, onward, "Enter a key.", 400)
        try:
            token = await run_in_threadpool(desk.sessions.open, api_key)
        except NotAdmitted as error:
            return page(desk, onward, str(error), 403)
        except (Unauthorized, ValueError):
            return page(desk, onward, "The service does not know this key, or it was revoked.", 401)
        except ConnectionFailed:
            return page(desk, onward, f"The service at {desk.base_url} does not answer. Is it running?", 503)
        except AssentError as error:
            return page(desk, onward, f"The service refused: {error}", 502)
        desk.sessions.close(request.cookies.get(desk.cookie))
        answer = RedirectResponse(onward, 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(desk.cookie, token, httponly=True, samesite="lax", path="/", secure=secure)
        return answer

    async def leave(request: Request) -> Response:
        desk.sessions.close(request.cookies.get(desk.cookie))
        answer = RedirectResponse(SIGN_IN, 303)
        answer.delete_cookie(desk.cookie, path="/")
        return answer

    return [
        Route(SIGN_IN, show, methods=["GET"]),
        Route(SIGN_IN, enter, methods=["POST"]),
        Route(SIGN_OUT, leave, methods=["GET"]),
    ]


class Gate:
    """The middleware that asks for a session."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app, self._desk = app, desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if scope["path"] in (SIGN_IN, SIGN_OUT, HEALTH) and scope["type"] == "http":
            await self._app(scope, receive, send)
        elif not same_origin(connection):
            await _refuse(scope, receive, send, 403, "This was asked for by a page of another address.")
        elif self._desk.find(connection.cookies.get(self._desk.cookie)) is not None:
            await self._app(scope, receive, _guarded(send))
        elif "text/html" in connection.headers.get("accept", "") and scope["type"] == "http":
            query = scope["query_string"].decode("latin-1")
            onward = quote(scope["path"] + (f"?{query}" if query else ""), safe="")
            await RedirectResponse(f"{SIGN_IN}?next={onward}", 303)(scope, receive, send)
        else:
            await _refuse(scope, receive, send, 401, "Sign in first.")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, why: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4000 + status, "reason": why})
    else:
        await PlainTextResponse(why, status)(scope, receive, send)


def _guarded(send: Send) -> Send:
    """Adds the policy to what is answered."""

    async def send_guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = POLICY
            headers["referrer-policy"] = "same-origin"
            headers["x-content-type-options"] = "nosniff"
        await send(message)

    return send_guarded


def page(desk: Desk, onward: str, problem: str = "", status: int = 200) -> HTMLResponse:
    alert = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    content = Template(PAGE).substitute(problem=alert, next=escape(onward), service=escape(desk.base_url))
    return HTMLResponse(content, status, HEADERS)


async def read_form(request: Request) -> dict[str, str]:
    """The posted form, the first value of each name; a form that is too long counts as empty."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            return {}
    return {name: values[0] for name, values in parse_qs(body.decode("latin-1")).items()}


def safe_path(given: str | None) -> str:
    """Where to go after signing in: a path of this dashboard, never another site, and not out again."""
    path = given or "/"
    plain = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if plain and path.partition("?")[0] != SIGN_OUT else "/"


def same_origin(connection: HTTPConnection) -> bool:
    """Browsers say where a form or a websocket comes from; who is no browser says nothing and holds the key anyway."""
    origin = connection.headers.get("origin")
    return origin is None or origin.partition("://")[2] == connection.headers.get("host")
