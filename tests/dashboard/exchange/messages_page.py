"""Somebody who looks at the messages: an address in, the page's words out, with a real service behind it."""

from __future__ import annotations

from tests.dashboard.evidence.ledger_page import LedgerPage


class MessagesPage(LedgerPage):
    NAME = "messages"

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
