"""Following the link of a notice: `/notices/{link}` leads whoever has signed in to the request, once.

Only an operator's own press follows it. A program that looks at links in a chat has no session and is led to the
sign-in; a browser that fetches ahead, and one that asks for headers alone, use nothing up.
"""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from assent.errors import ApiError, AssentError, ConnectionFailed
from assent_dashboard.plain import plain_page
from assent_dashboard.sessions import SignIns
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
    content = f'<p role="alert">{escape(problem)}</p><p><a href="/{ApprovalsAddress.page}">Open the inbox</a></p>'
    return plain_page("Notice", "This link leads no further", content, status)
