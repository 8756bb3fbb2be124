"""Somebody who looks at the page Proof: an address in, the page's words out, with a real service behind it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from assent_dashboard.session import STATE
from tests.dashboard.ledger_page import LedgerPage, Look
from tests.live import WAIT
from tests.stories.tenant import Tenant


def script() -> None:
    from assent_dashboard.session import current
    from assent_dashboard.views.proof import page as proof

    session = current()
    assert session is not None
    proof.show(session)


class ProofPage(LedgerPage):
    @classmethod
    def of(cls, look: Look, tenant: Tenant, **address: str) -> ProofPage:
        role = address.pop("role", "operator")
        looker = look(tenant, "proof", role)
        page = AppTest.from_function(script, default_timeout=WAIT)
        page.session_state[STATE] = looker.page.session_state[STATE]
        for name, value in address.items():
            page.query_params[name] = value
        opened = cls(page, looker.requests)
        opened.run()
        return opened

    def upload(self, content: bytes, name: str = "bundle.json") -> ProofPage:
        self.page.file_uploader(key="proof_file").set_value((name, content, "application/json")).run()
        return self._sound()

    def paste(self, key: str, text: str) -> ProofPage:
        self.page.text_area(key=key).set_value(text).run()
        return self._sound()

    def choose_proof(self, name: str) -> ProofPage:
        box = self.page.selectbox(key="proof_of")
        label = box.format_func(name)
        if label not in box.options:
            box.options.append(label)
        box.set_value(name).run()
        return self._sound()

    @property
    def verdict(self) -> str:
        page = self.page
        said = [str(each.value) for kind in (page.success, page.warning, page.error) for each in kind]
        return said[0] if said else ""

    @property
    def said(self) -> str:
        return "\n".join([self.words, *(str(each.value) for each in self.page.success)])

    def _sound(self) -> ProofPage:
        assert not self.page.exception, self.page.exception[0].value
        return self
