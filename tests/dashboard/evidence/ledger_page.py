"""Somebody who looks at the ledger, or at another page: an address in, the page's words out, with a real service behind
it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from streamlit.testing.v1 import AppTest

from assent_dashboard.sessions import STATE
from tests.dashboard.looker import Looker, Requests
from tests.live import WAIT
from tests.stories.tenant import Tenant

LINK = re.compile(r"\[(?P<label>.+)\]\(/\w+(?:\?(?P<query>.*))?\)", re.DOTALL)
"""A link, as a page that stands alone draws it."""
ESCAPED = re.compile(r"\\(.)")
Look = Callable[..., Looker]


def script(name: str) -> None:
    from importlib import import_module

    from assent_dashboard.sessions import current

    session = current()
    assert session is not None
    import_module(f"assent_dashboard.views.{name}.page").show(session)


@dataclass
class LedgerPage:
    page: AppTest
    requests: Requests

    NAME: ClassVar[str] = "ledger"
    """The folder of its view."""

    @classmethod
    def of(cls, look: Look, tenant: Tenant, **address: str) -> Self:
        looker = look(tenant, cls.NAME, address.pop("role", "operator"))
        page = AppTest.from_function(script, default_timeout=WAIT, args=(cls.NAME,))
        page.session_state[STATE] = looker.page.session_state[STATE]
        for name, value in address.items():
            page.query_params[name] = value
        return cls(page, looker.requests).run()

    def run(self) -> Self:
        self.page.run()
        return self.sound()

    def sound(self) -> Self:
        """Nothing was raised."""
        assert not self.page.exception, self.page.exception[0].value
        return self

    def choose(self, name: str, value: object) -> Self:
        """Choose in one of the filters."""
        self.page.selectbox(key=f"ledger_{name}").set_value(value).run()
        return self

    def type(self, name: str, text: str) -> Self:
        """Write into one of the filters what is not among its options."""
        self.page.selectbox(key=f"ledger_{name}").options.append(text)
        return self.choose(name, text)

    def press(self, key: str) -> Self:
        self.page.button(key=key).click().run()
        return self.sound()

    @property
    def address(self) -> dict[str, Any]:
        return dict(self.page.query_params)

    @property
    def rows(self) -> Any:
        """The wide table, as pandas has it; None when there is none."""
        return next((each.value for each in self.page.dataframe if str(each.key).endswith("_wide")), None)

    @property
    def links(self) -> dict[str, str]:
        """Labels and the query that each leads to."""
        found = (LINK.fullmatch(str(each.value)) for each in self.page.markdown)
        return {each["label"]: each["query"] or "" for each in found if each}

    @property
    def words(self) -> str:
        page = self.page
        kinds: tuple[Any, ...] = (
            *(page.title, page.header, page.subheader, page.markdown, page.caption, page.text),
            *(page.info, page.warning, page.error, page.code),
        )
        said = [ESCAPED.sub(r"\1", str(each.value)) for kind in kinds for each in kind]
        tables = [ESCAPED.sub(r"\1", str(cell)) for each in page.table for cell in each.value.to_numpy().ravel()]
        return "\n".join([*said, *tables])
