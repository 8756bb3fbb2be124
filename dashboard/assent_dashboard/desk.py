"""What the process of the dashboard has one of: the service's address and the sessions.

Streamlit runs the page's script anew for every look at it, so what outlives a run is kept in a module that is imported
once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from assent import Client
from assent_dashboard.sessions import Session, Sessions

TIMEOUT_SECONDS = 10.0


@dataclass(frozen=True)
class Desk:
    """`base_url` is the service; `cookie` the name of the cookie that holds a session's token."""

    base_url: str
    cookie: str
    sessions: Sessions

    def find(self, token: str | None) -> Session | None:
        return self.sessions.find(token)


_open: list[Desk] = []


def open_desk(base_url: str, port: int) -> Desk:
    """The desk of this process. Cookies know no ports, so the cookie's name does."""

    def connect(api_key: str, sleep: Callable[[float], object] = time.sleep) -> Client:
        return Client(
            base_url=base_url,
            api_key=api_key,
            timeout=TIMEOUT_SECONDS,
            retries=1,
            say=lambda _: None,
            sleep=sleep,
        )

    desk = Desk(base_url=base_url, cookie=f"assent_session_{port}", sessions=Sessions(connect))
    _open[:] = [desk]
    return desk


def the_desk() -> Desk:
    """Raises RuntimeError before `open_desk`."""
    if not _open:
        raise RuntimeError("the dashboard is not running: start it with `assent dashboard`")
    return _open[0]
