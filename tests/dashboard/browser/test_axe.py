"""Every page looked at by axe-core, where somebody has it: ASSENT_AXE is the path of its `axe.min.js`.

    npm install axe-core && ASSENT_AXE=node_modules/axe-core/axe.min.js python -m pytest --tier=all <this file>

Nothing is fetched. `test_accessibility.py` needs no other program and looks at more of what is our own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from assent_dashboard.entries import ENTRIES
from tests.dashboard.browser.dashboard import Operator, operator_desk
from tests.dashboard.browser.test_accessibility import MORE, THEMES, address
from tests.dashboard.browser.workspaces import Workspaces
from tests.tiers import deep

AXE = os.environ.get("ASSENT_AXE", "")
pytestmark = [
    deep("all pages in a browser"),
    pytest.mark.skipif(not AXE, reason="ASSENT_AXE does not say where axe.min.js is"),
]
GRAVE = ("serious", "critical")
FOREIGN = ('[data-testid="stSidebarNavItems"]', '[data-testid="stVegaLiteChart"] svg')
"""Streamlit's navigation has links for items of a list, and Vega names its empty marks; a picture of ours is told by
its alternative."""
RUN = """async (foreign) => (await axe.run({ exclude: foreign.map((each) => [each]) }, { resultTypes: ['violations'] }))
  .violations.map((each) => [each.id, each.impact, each.nodes.map((node) => node.html.slice(0, 200))])"""
SETTLED_MS = 1500
"""Until the colours of another theme have changed over."""


@pytest.fixture(scope="module")
def admin(browser: Browser, both_workspaces: Workspaces) -> Iterator[Operator]:
    with operator_desk(browser, both_workspaces.address) as desk:
        desk.sign_in(both_workspaces.busy["admin"])
        yield desk


@pytest.mark.parametrize("name", [*ENTRIES, *(name for name in MORE if name != "sign-in")])
def test_axe_finds_nothing_serious(name: str, admin: Operator, both_workspaces: Workspaces) -> None:
    admin.open(address(name, both_workspaces))
    admin.settle()
    admin.page.evaluate(Path(AXE).read_text(encoding="utf-8"))
    found: list[str] = []
    for theme in THEMES:
        admin.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]  # one of its literals
        admin.page.wait_for_timeout(SETTLED_MS)
        for rule, impact, nodes in admin.page.evaluate(RUN, FOREIGN):
            found += [f"{theme}, {rule}: {node}" for node in nodes if impact in GRAVE]
    assert not found, "\n".join(found)
