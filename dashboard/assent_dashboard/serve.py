"""Running the dashboard: Streamlit behind the gate, bound to loopback unless told otherwise."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib import import_module
from pathlib import Path

import streamlit as st
import uvicorn
from starlette.middleware import Middleware
from streamlit.web import bootstrap

from assent.deciding import undo_seconds
from assent_dashboard.inbox.routes import inbox_routes
from assent_dashboard.notice import notice_routes
from assent_dashboard.redirects import redirect_routes
from assent_dashboard.sessions import open_sign_ins
from assent_dashboard.sign_in import Gate, routes
from assent_dashboard.theme import THEME
from assent_dashboard.unknown import UnknownAddresses

SCRIPT = Path(__file__).with_name("pages.py")
GRACE_SECONDS = 2
KEEP_ALIVE_SECONDS = 75
"""How long a connection at rest stays open: longer than a client or a proxy keeps one, as `keep_alive_seconds` of the
service. A decision that is sent while the dashboard closes would fail; uvicorn's own 5 s are httpx's, to the second."""
OPTIONS = {
    "server.headless": True,
    "server.fileWatcherType": "none",
    "server.enableAgentApi": False,
    "browser.gatherUsageStats": False,
    "client.showErrorDetails": "none",
    "client.toolbarMode": "minimal",
    "runner.magicEnabled": False,
    # Python collects by itself; a collection after each run would cost an open page a sixth of a core, since it is
    # looked at twice a second.
    "runner.postScriptGC": False,
    "logger.level": "warning",
    # Rich writes what went wrong in a page to standard output, which is for the address alone.
    "logger.enableRich": False,
}
DRAWING = ("numpy", "pandas", "polars", "pyarrow", "altair", "assent_analytics.charts")
"""What drawing a picture imports, some of it only when it is first asked for."""


def run(
    base_url: str, host: str = "127.0.0.1", port: int = 8485, *, announce: Callable[[str], None] | None = None
) -> None:
    """Serve until SIGINT or SIGTERM. `announce` is called with the address just before it answers. For how many seconds
    a decision can be taken back stands in the environment, as `ASSENT_UNDO_SECONDS`.

    What pictures need is imported before the first page is drawn: each page has a thread of its own, and altair takes
    pandas from the modules that are there, even when another thread has imported only half of it.

    Raises OSError for an address that cannot be listened on, ValueError for seconds that are none.
    """
    hold = undo_seconds(os.environ)
    listener = listen(host, port)
    port = listener.getsockname()[1]
    for name in DRAWING:
        import_module(name)
    sign_ins = open_sign_ins(base_url, port, hold)
    bootstrap.load_config_options(OPTIONS | THEME | {"server.address": host, "server.port": port})

    @asynccontextmanager
    async def lifespan(_: st.App) -> AsyncIterator[None]:
        if announce is not None:
            announce(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        yield
        sign_ins.sessions.close_all()

    beside = [*routes(sign_ins), *inbox_routes(sign_ins), *notice_routes(sign_ins), *redirect_routes()]
    app = st.App(
        SCRIPT,
        lifespan=lifespan,
        routes=beside,
        middleware=[Middleware(Gate, sign_ins=sign_ins), Middleware(UnknownAddresses, routes=beside)],
    )
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listener])


def listen(host: str, port: int) -> socket.socket:
    """The listening socket. Raises OSError naming the address and what to do."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise OSError(
            f"The dashboard cannot listen on {host}:{port}: {error.strerror}. Choose another port."
        ) from error
    return listener
