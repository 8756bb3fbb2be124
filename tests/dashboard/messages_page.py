"""Somebody who looks at the messages: an address in, the page's words out, with a real service behind it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from assent_dashboard.session import STATE
from tests.dashboard.ledger_page import LedgerPage, Look
from tests.live import WAIT
from tests.stories.tenant import Tenant


def script() -> None:
    from assent_dashboard.session import current
    from assent_dashboard.views.messages import page as messages

    session = current()
    assert session is not None
    messages.show(session)


class MessagesPage(LedgerPage):
    @classmethod
    def of(cls, look: Look, tenant: Tenant, **address: str) -> MessagesPage:
        looker = look(tenant, "messages", address.pop("role", "operator"))
        page = AppTest.from_function(script, default_timeout=WAIT)
        page.session_state[STATE] = looker.page.session_state[STATE]
        for name, value in address.items():
            page.query_params[name] = value
        opened = cls(page, looker.requests)
        opened.run()
        return opened

    def press(self, key: str) -> MessagesPage:
        super().press(key)
        assert not self.page.exception, self.page.exception[0].value
        return self

    def pick(self, name: str, value: object) -> MessagesPage:
        """Choose in one of the filters."""
        box = self.page.selectbox(key=f"messages_{name}")
        if str(value) not in box.options and value is not None:
            box.options.append(str(value))
        box.set_value(value).run()
        return self

    def write(self, key: str, text: str) -> MessagesPage:
        self.page.text_area(key=key).set_value(text)
        return self

    @property
    def toasts(self) -> str:
        return "\n".join(str(each.value) for each in self.page.toast)
