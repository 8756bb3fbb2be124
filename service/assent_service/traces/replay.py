"""The replay link that clients print: it leads to the dashboard, which knows how to sign people in."""

from __future__ import annotations

import re
from typing import Annotated

from litestar import get
from litestar.exceptions import NotFoundException
from litestar.handlers import HTTPRouteHandler
from litestar.params import Parameter
from litestar.response import Redirect

_ID = re.compile(r"[A-Za-z0-9_.:\-]{1,128}")


def replay(dashboard_url: str) -> HTTPRouteHandler:
    """`GET /replay/{action_id}`, open: it tells nothing that its own path does not say."""

    @get("/replay/{action_id:str}", include_in_schema=False)
    async def lead(action_id: Annotated[str, Parameter(description="id of the action")]) -> Redirect:
        if not _ID.fullmatch(action_id):
            raise NotFoundException
        return Redirect(f"{dashboard_url.rstrip('/')}/ledger?action_id={action_id}", status_code=302)

    return lead
