"""The dashboard as a process of its own, and one operator's browser in front of it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, expect
from playwright.sync_api import TimeoutError as WaitedTooLong

from tests.live import ROOT, WAIT

PATIENCE_MS = WAIT * 1000
NARROW = 600
"""Pixels; below it a browser says that it is a telephone's, for Streamlit closes its sidebar by that."""
TELEPHONE = "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36"
SETTLED = """() => {
  const app = document.querySelector('[data-test-script-state]');
  const charts = [...document.querySelectorAll('[data-testid="stVegaLiteChart"]')].filter((e) => e.checkVisibility());
  return app && app.getAttribute('data-test-script-state') === 'notRunning' && document.querySelector('h1, h2')
    && !document.querySelector('[data-testid="stSkeleton"], [data-testid="stSpinner"], [data-stale="true"]')
    && charts.every((e) => e.querySelector('svg, canvas'))
    && [...document.querySelectorAll('.inbox')].every((e) => e.dataset.ready && !e.querySelector('.inbox-asking'));
}"""
"""Everything is drawn and nothing is on its way."""
OPENED = 4
"""Times that a list is opened."""
LOOK_AGAIN_MS = 50
"""Looking anew for every frame that is drawn would have the browser draw for nothing else."""


@contextmanager
def dashboard_process(base_url: str, port: int = 0) -> Iterator[tuple[str, int]]:
    """Start it, wait until it has said where it is, and end it; gives its address and the process's id. A port of 0 is
    a free one."""
    command = [sys.executable, "-m", "assent_dashboard", base_url, "127.0.0.1", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, f"the dashboard ended with {process.wait(WAIT)}"
            yield address, process.pid
        finally:
            process.terminate()
            process.wait(WAIT)


@contextmanager
def running_dashboard(base_url: str) -> Iterator[str]:
    """Its address alone."""
    with dashboard_process(base_url) as (address, _):
        yield address


def choose(list_of: Locator, option: str) -> None:
    """Open a list and take one of it. It is opened anew where the page was drawn again meanwhile, which closes it."""
    found = list_of.page.get_by_role("option", name=option, exact=True)
    for _ in range(OPENED):
        list_of.click()
        with suppress(WaitedTooLong):
            found.click(timeout=PATIENCE_MS / OPENED)
            return
    raise AssertionError(f"The list has no {option!r}.")


@dataclass
class Operator:
    """A browser of its own, with nobody else's cookies. `asked` is every address that its pages asked for."""

    page: Page
    address: str
    asked: list[str]

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)

    def settle(self) -> None:
        """Wait until the page has been drawn to its end."""
        self.page.wait_for_function(SETTLED, polling=LOOK_AGAIN_MS)

    def leave(self) -> None:
        """An open page looks for news twice a second; nobody sits in front of this one until it is opened again."""
        self.page.goto("about:blank")

    def sign_in(self, key: str, path: str = "/") -> None:
        self.open(path)
        self.page.fill("#key", key)
        self.page.click("button[type=submit]")

    def is_at(self, part: str) -> None:
        """The address comes to hold this; Streamlit tells the browser of it after it has drawn the page."""
        expect(self.page).to_have_url(re.compile(re.escape(part)))

    def sees(self, text: str) -> None:
        expect(self.page.get_by_text(text).first).to_be_visible()

    def heading(self, text: str) -> None:
        expect(self.page.get_by_role("heading", name=text, exact=False).first).to_be_visible()

    @property
    def hosts(self) -> set[str | None]:
        return {urlsplit(url).hostname for url in self.asked if not url.startswith(("data:", "blob:"))}


@contextmanager
def operator_desk(
    browser: Browser, address: str, *, width: int = 1280, height: int = 900, dark: bool = False
) -> Iterator[Operator]:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        service_workers="block",
        user_agent=TELEPHONE if width < NARROW else None,
    )
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)  # a page on a busy machine is slow, not wrong
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    try:
        yield Operator(page, address, asked)
    finally:
        context.close()
