"""Addresses that are no page's: a browser that opens one is told so, and which pages there are.

Streamlit would show its first page instead, below a notice."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from assent_dashboard.entries import ENTRIES, SECTIONS
from assent_dashboard.plain import plain_page

STREAMLIT = frozenset({"_stcore", "static", "media", "component", "app"})
"""What its own addresses begin with."""
LONGEST_SHOWN = 100


class UnknownAddresses:
    """The middleware that answers them. `routes` are those that stand beside the pages."""

    def __init__(self, app: ASGIApp, routes: Iterable[Route]) -> None:
        self._app = app
        self._first = STREAMLIT.union(route.path.split("/")[1] for route in routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and self._is_opened(scope):
            await unknown_page(scope["path"])(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_opened(self, scope: Scope) -> bool:
        """Whether a browser opens an address that nobody has."""
        path = scope["path"].strip("/")
        known = path in ENTRIES or path == "" or path.split("/")[0] in self._first
        return not known and "text/html" in Headers(scope=scope).get("accept", "")


def unknown_page(path: str) -> HTMLResponse:
    shown = path if len(path) <= LONGEST_SHOWN else f"{path[:LONGEST_SHOWN]}…"
    sections = "".join(f"<h2>{escape(section)}</h2><ul>{_links(section)}</ul>" for section in SECTIONS)
    content = f'<p role="alert">Nothing is at <code>{escape(shown)}</code>. These are the pages:</p>{sections}'
    return plain_page("No such page", "There is no such page", content, 404)


def _links(section: str) -> str:
    entries = [entry for entry in ENTRIES.values() if entry.section == section]
    return "".join(f'<li><a href="/{quote(entry.path)}">{escape(entry.title)}</a></li>' for entry in entries)
