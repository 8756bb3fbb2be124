"""Somebody who looks at one page of the dashboard: the page's script, run by Streamlit's own test runner.

The client is real and so is the service behind it; every request that the page makes is written down. The feed is a
still one, whose count and state the test sets, since fragments do not run by themselves here.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from typing import Any, cast

import httpx
from streamlit.testing.v1 import AppTest

from assent import Client, EventName
from assent_dashboard.feed import Feed
from assent_dashboard.sessions import STATE, Session
from tests.live import WAIT
from tests.stories.tenant import Tenant

ESCAPED = re.compile(r"\\(.)")


@dataclass
class StillFeed:
    count: int = 0
    live: bool = True

    def version(self, names: frozenset[EventName]) -> int:
        assert names
        return self.count


@dataclass
class Requests:
    """What was asked, as `GET /api/actions`; pages ask from several threads at once."""

    asked: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, request: httpx.Request) -> None:
        with self._lock:
            self.asked.append(f"{request.method} {request.url.path}")

    def take(self) -> list[str]:
        """What was asked since the last time."""
        with self._lock:
            taken, self.asked = self.asked, []
        return taken


def script() -> None:
    import streamlit as st

    from assent_dashboard.sessions import current
    from assent_dashboard.views import asking as asking
    from assent_dashboard.views import drivers as drivers
    from assent_dashboard.views import pcaa as pcaa
    from assent_dashboard.views.agents import page as agents
    from assent_dashboard.views.approvals import page as approvals
    from assent_dashboard.views.drift import page as drift
    from assent_dashboard.views.flows import page as flows
    from assent_dashboard.views.learning import page as learning
    from assent_dashboard.views.policies import page as policies
    from assent_dashboard.views.readiness import page as readiness
    from assent_dashboard.views.scores import page as scores
    from assent_dashboard.views.settings import page as settings

    session = current()
    assert session is not None
    pages = {
        "agents": agents,
        "approvals": approvals,
        "drift": drift,
        "drivers": drivers,
        "flows": flows,
        "learning": learning,
        "asking": asking,
        "pcaa": pcaa,
        "policies": policies,
        "readiness": readiness,
        "scores": scores,
        "settings": settings,
    }
    pages[st.session_state["page"]].show(session)


@dataclass
class Looker:
    page: AppTest
    client: Client
    feed: StillFeed
    requests: Requests
    http: httpx.Client

    @classmethod
    def of(cls, tenant: Tenant, page: str, role: str) -> Looker:
        requests = Requests()
        http = httpx.Client(event_hooks={"request": [requests.note]}, trust_env=False, timeout=WAIT)
        client = Client(tenant.service.base_url, tenant.keys[role], http=http, retries=0, say=lambda _: None)
        feed = StillFeed()
        session = Session(key=client.get_own_key(), client=client, feed=cast(Feed, feed), used=0.0)
        requests.take()
        test = AppTest.from_function(script, default_timeout=WAIT)
        test.session_state[STATE] = session
        test.session_state["page"] = page
        return cls(test, client, feed, requests, http)

    def draw(self) -> Looker:
        """Run the page, as for any look at it; nothing may go wrong."""
        self.page.run()
        return self._sound()

    def press(self, key: str) -> Looker:
        self.page.button(key=key).click().run()
        return self._sound()

    def write(self, key: str, text: str) -> Looker:
        self.page.text_area(key=key).set_value(text)
        return self

    def has(self, key: str) -> bool:
        """Whether there is a button with this key."""
        return any(button.key == key for button in self.page.button)

    @property
    def title(self) -> str:
        return str(self.page.title[0].value)

    @property
    def texts(self) -> list[str]:
        """What stands there as it is, without markup."""
        return [str(text.value) for text in self.page.text]

    @property
    def words(self) -> str:
        """Every word on the page, with its markup, without the backslashes that make strangers' signs plain."""
        kinds: tuple[Any, ...] = (
            self.page.header,
            self.page.subheader,
            self.page.markdown,
            self.page.caption,
            self.page.info,
            self.page.warning,
            self.page.error,
            self.page.toast,
        )
        marked = (ESCAPED.sub(r"\1", str(each.value)) for kind in kinds for each in kind)
        return "\n".join([self.title, *self.texts, *marked])

    @property
    def session(self) -> Session:
        """Whose page it is."""
        found = self.page.session_state[STATE]
        assert isinstance(found, Session)
        return found

    def close(self) -> None:
        self.http.close()

    def _sound(self) -> Looker:
        assert not self.page.exception, self.page.exception[0].value
        return self
