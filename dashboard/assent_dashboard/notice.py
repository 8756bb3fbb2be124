"""Following the link of a notice: `/notices/{link}` leads whoever has signed in to the request, once.

Only an operator's own press follows it. A program that looks at links in a chat has no session and is led to the
sign-in; a browser that fetches ahead, and one that asks for headers alone, use nothing up.
"""

from __future__ import annotations

from html import escape
from string import Template
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from assent.errors import ApiError, AssentError, ConnectionFailed
from assent_dashboard.sessions import SignIns
from assent_dashboard.sign_in import HEADERS
from assent_dashboard.views.addresses import ApprovalsAddress

PATH = "/notices/{link}"


def notice_routes(sign_ins: SignIns) -> list[Route]:
    async def follow(request: Request) -> Response:
        session = sign_ins.find(request.cookies.get(sign_ins.cookie))
        ahead = request.method == "HEAD" or "prefetch" in request.headers.get("sec-purpose", "")
        if session is None or ahead:
            return Response(status_code=503, headers={"cache-control": "no-store"})
        try:
            opened = await run_in_threadpool(session.client.open_notice, request.path_params["link"])
        except ApiError as error:
            return page(error.detail, error.status)
        except ConnectionFailed:
            return page(f"The service at {sign_ins.base_url} does not answer. Is it running?", 503)
        except AssentError as error:
            return page(str(error), 502)
        query = ApprovalsAddress(action_id=opened.action_id).query()
        return RedirectResponse(f"/{ApprovalsAddress.page}?{urlencode(query)}", 303)

    return [Route(PATH, follow, methods=["GET"])]


def page(problem: str, status: int) -> HTMLResponse:
    content = Template(PAGE).substitute(problem=escape(problem), inbox=f"/{ApprovalsAddress.page}")
    return HTMLResponse(content, status, HEADERS)


PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Notice - Assent</title>
<style>
  :root { color-scheme: light dark; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem;
         font: 16px/1.5 system-ui, sans-serif; }
  main { width: min(32rem, 100%); }
  h1 { font-size: 1.5rem; }
</style>
</head>
<body>
<main>
  <h1>This link leads no further</h1>
  <p role="alert">$problem</p>
  <p><a href="$inbox">Open the inbox</a></p>
</main>
</body>
</html>
"""
