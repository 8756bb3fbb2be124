"""`/replay/{action_id}`, the link that clients print, at the dashboard's own address."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from assent_dashboard.views.addresses import LedgerAddress

# An id is whatever follows, strokes and all: the ledger says what is no action.
PATH = "/replay/{action_id:path}"


def replay_routes() -> list[Route]:
    async def lead(request: Request) -> Response:
        query = LedgerAddress.query_of(action_id=request.path_params["action_id"])
        return RedirectResponse(f"/{LedgerAddress.page}?{urlencode(query)}", 303)

    return [Route(PATH, lead, methods=["GET"])]
