"""Signing in to the dashboard and out: the sign-in page and its routes, and the gate that lets no browser in without a
session.

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
from assent_dashboard.sessions import NotAdmitted, SignIns

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


def routes(sign_ins: SignIns) -> list[Route]:
    """The two pages outside Streamlit."""

    async def show(request: Request) -> Response:
        onward = safe_path(request.query_params.get("next"))
        if sign_ins.find(request.cookies.get(sign_ins.cookie)) is not None:
            return RedirectResponse(onward, 303)
        return page(sign_ins, onward)

    async def enter(request: Request) -> Response:
        if not same_origin(request):
            return page(sign_ins, "/", "This form was not sent from this page; sign in here.", 403)
        form = await read_form(request)
        onward = safe_path(form.get("next"))
        api_key = form.get("key", "").strip()
        if not api_key:
            return page(sign_ins, onward, "Enter a key.", 400)
        try:
            token = await run_in_threadpool(sign_ins.sessions.open, api_key)
        except NotAdmitted as error:
            return page(sign_ins, onward, str(error), 403)
        except (Unauthorized, ValueError):
            return page(sign_ins, onward, "The service does not know this key, or it was revoked.", 401)
        except ConnectionFailed:
            return page(sign_ins, onward, f"The service at {sign_ins.base_url} does not answer. Is it running?", 503)
        except AssentError as error:
            return page(sign_ins, onward, f"The service refused: {error}", 502)
        sign_ins.sessions.close(request.cookies.get(sign_ins.cookie))
        answer = RedirectResponse(onward, 303)
        secure = request.url.scheme == "https"
        answer.set_cookie(sign_ins.cookie, token, httponly=True, samesite="lax", path="/", secure=secure)
        return answer

    async def leave(request: Request) -> Response:
        if not same_origin(request):
            return page(sign_ins, "/", "This was not asked for by this page; nothing was done.", 403)
        sign_ins.sessions.close(request.cookies.get(sign_ins.cookie))
        answer = RedirectResponse(SIGN_IN, 303)
        answer.delete_cookie(sign_ins.cookie, path="/")
        return answer

    return [
        Route(SIGN_IN, show, methods=["GET"]),
        Route(SIGN_IN, enter, methods=["POST"]),
        # A link or a picture on another page must not sign anybody out, so an address alone does nothing.
        Route(SIGN_OUT, lambda _: RedirectResponse("/", 303), methods=["GET"]),
        Route(SIGN_OUT, leave, methods=["POST"]),
    ]


class Gate:
    """The middleware that asks for a session."""

    def __init__(self, app: ASGIApp, sign_ins: SignIns) -> None:
        self._app, self._sign_ins = app, sign_ins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        if scope["path"] in (SIGN_IN, SIGN_OUT, HEALTH) and scope["type"] == "http":
            await self._app(scope, receive, send)
        elif not same_origin(connection):
            await _refuse(scope, receive, send, 403, "This was asked for by a page of another address.")
        elif self._sign_ins.find(connection.cookies.get(self._sign_ins.cookie)) is not None:
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


def page(sign_ins: SignIns, onward: str, problem: str = "", status: int = 200) -> HTMLResponse:
    alert = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    content = Template(PAGE).substitute(problem=alert, next=escape(onward), service=escape(sign_ins.base_url))
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


# The HTML of the sign-in page, and of the button that signs out.


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in - Assent</title>
<style>
  :root { color-scheme: light dark; --ink: #1b2430; --soft: #5b6675; --line: #d5dbe3; --paper: #f6f8fb; --card: #fff;
          --accent: #2457c5; --bad: #b3261e; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8ecf2; --soft: #9aa6b5; --line: #323c4a; --paper: #10151c; --card: #18202a; --accent: #7aa2ff;
            --bad: #ff8a80; }
  }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--paper);
         color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  main { width: min(26rem, 100%); background: var(--card); border: 1px solid var(--line); border-radius: 12px;
         padding: 2rem; }
  h1 { margin: 0 0 .25rem; font-size: 1.5rem; }
  p { margin: 0 0 1.25rem; color: var(--soft); }
  label { display: block; font-weight: 600; margin-bottom: .35rem; }
  input { width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: 8px;
          background: transparent; color: inherit; }
  input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  button { width: 100%; margin-top: 1rem; padding: .65rem; font: inherit; font-weight: 600; border: 0;
           border-radius: 8px; background: var(--accent); color: var(--card); cursor: pointer; }
  .problem { color: var(--bad); margin-bottom: 1rem; }
  small { display: block; margin-top: 1.25rem; color: var(--soft); overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
  <h1>Assent</h1>
  <p>Sign in with an operator or admin key. What you decide carries the key's name.</p>
  $problem
  <form method="post" action="/sign-in">
    <input type="hidden" name="next" value="$next">
    <input hidden type="text" autocomplete="username" value="Assent">
    <label for="key">Key</label>
    <input id="key" name="key" type="password" autocomplete="current-password" autofocus required>
    <button type="submit">Sign in</button>
  </form>
  <small>Service: $service. The key stays on the server; this browser gets a session that ends when you sign
  out.</small>
</main>
</body>
</html>
"""

SIGN_OUT_FORM = """<form method="post" action="/sign-out" target="_self" style="margin: 0">
<button type="submit" style="background: none; border: 0; padding: 0; font: inherit; color: inherit; cursor: pointer;
text-decoration: underline">$label</button></form>"""
