"""Somebody who looks at the page Proof: an address in, the page's words out, with a real service behind it."""

from __future__ import annotations

from tests.dashboard.evidence.ledger_page import LedgerPage


class ProofPage(LedgerPage):
    NAME = "proof"

    def upload(self, content: bytes, name: str = "bundle.json") -> ProofPage:
        self.page.file_uploader(key="proof_file").set_value((name, content, "application/json")).run()
        return self.sound()

    def paste(self, key: str, text: str) -> ProofPage:
        self.page.text_area(key=key).set_value(text).run()
        return self.sound()

    def choose_proof(self, name: str) -> ProofPage:
        box = self.page.selectbox(key="proof_of")
        label = box.format_func(name)
        if label not in box.options:
            box.options.append(label)
        box.set_value(name).run()
        return self.sound()

    @property
    def verdict(self) -> str:
        page = self.page
        said = [str(each.value) for kind in (page.success, page.warning, page.error) for each in kind]
        return said[0] if said else ""

    @property
    def said(self) -> str:
        return "\n".join([self.words, *(str(each.value) for each in self.page.success)])
