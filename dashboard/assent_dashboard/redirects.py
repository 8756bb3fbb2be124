"""Addresses that lead to a page: `/replay/{action_id}`, which clients print, and the opening page's own name."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assent_dashboard.views.addresses import LedgerAddress

# An id is whatever follows, strokes and all: the ledger says what is no action.
REPLAY = "/replay/{action_id:path}"
OPENING = "/readiness"


def redirect_routes() -> list[Route]:
    async def replay(request: Request) -> Response:
        query = LedgerAddress.query_of(action_id=request.path_params["action_id"])
        return RedirectResponse(f"/{LedgerAddress.page}?{urlencode(query)}", 303)

    async def opening(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/{query}", 303)

    return [Route(REPLAY, replay, methods=["GET"]), Route(OPENING, opening, methods=["GET"])]
