"""Somebody who looks at the injections: an address in, the page's words out, with a real service behind it."""

from __future__ import annotations

from tests.dashboard.evidence.ledger_page import LedgerPage


class InjectionPage(LedgerPage):
    NAME = "injection"

    def pick(self, name: str, value: object) -> InjectionPage:
        self.page.selectbox(key=f"injection_{name}").set_value(value).run()
        return self.sound()

    @property
    def html(self) -> str:
        return "\n".join(str(each.proto.body) for each in self.page.get("html"))

    @property
    def toasts(self) -> str:
        return "\n".join(str(each.value) for each in self.page.toast)
