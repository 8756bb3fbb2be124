"""The service goes away while pages are open, and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.dashboard.browser.dashboard import PATIENCE_MS, operator_desk, running_dashboard
from tests.live import LiveService, start_service

PAGES = {"/": "Readiness", "/approvals": "Approvals", "/ledger": "Ledger"}


@pytest.fixture
def passing(tmp_path: Path) -> Iterator[LiveService]:
    with start_service(tmp_path / "home") as service:
        yield service


@pytest.mark.parametrize("path", PAGES, ids=PAGES.values())
def test_a_page_says_so_and_comes_back_by_itself(
    path: str, passing: LiveService, browser: Browser, tmp_path: Path
) -> None:
    with running_dashboard(passing.base_url) as address, operator_desk(browser, address) as desk:
        desk.sign_in(passing.admin_key, path)
        desk.heading(PAGES[path])
        passing.kill()
        desk.page.reload()
        desk.sees("does not answer")
        expect(desk.page.locator(".stException")).to_have_count(0)
        with start_service(tmp_path / "home", port=passing.port):
            expect(desk.page.get_by_text("does not answer")).to_have_count(0, timeout=PATIENCE_MS)
            desk.heading(PAGES[path])


def test_signing_in_while_the_service_is_gone_is_told_in_words(
    passing: LiveService, browser: Browser, tmp_path: Path
) -> None:
    with running_dashboard(passing.base_url) as address, operator_desk(browser, address) as desk:
        passing.kill()
        desk.sign_in(passing.admin_key)
        desk.sees("does not answer")
        with start_service(tmp_path / "home", port=passing.port):
            desk.sign_in(passing.admin_key)
            desk.heading("Readiness")
