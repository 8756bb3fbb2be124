"""Debian's Chromium, driven by Playwright, with everything recorded that it asks the network for."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-domain-reliability",
    # Chromium asks its maker a few things of its own accord; here nobody but this machine has a name.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
FRAME = 200
"""Pixels of a window above its page, and some."""
REQUIRED = bool(os.environ.get("ASSENT_REQUIRE_BROWSER"))
"""Continuous integration skips nothing."""


def find_chromium() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextmanager
def open_browser(executable: str, net_log: Path) -> Iterator[Browser]:
    """A headless browser that writes down every connection it makes, its own background ones included."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=[*FLAGS, f"--log-net-log={net_log}"])
        try:
            yield browser
        finally:
            browser.close()


def show_whole(page: Page) -> None:
    """Make the window so much higher than the page that its frame has room. Playwright makes both of one size: what the
    lowest 90 pixels show is then painted with the next change above them, and Event Timing counts until there."""
    session = page.context.new_cdp_session(page)
    found = session.send("Browser.getWindowForTarget")
    size = {"height": found["bounds"]["height"] + FRAME}
    session.send("Browser.setWindowBounds", {"windowId": found["windowId"], "bounds": size})
    session.detach()


def addresses(net_log: Path) -> set[str]:
    """Every host that a page asked for, that was looked up, or that was connected to, from Chromium's own log."""
    text = net_log.read_text(encoding="utf-8")
    try:
        log = json.loads(text)
    except json.JSONDecodeError:
        # A browser that is closed in a hurry leaves the last line open.
        log = json.loads(text.rstrip().rstrip(",") + "]}")
    types = {number: name for name, number in log["constants"]["logEventTypes"].items()}
    found: set[str] = set()
    for event in log["events"]:
        name, parameters = types[event["type"]], event.get("params", {})
        if name == "TCP_CONNECT_ATTEMPT" and "address" in parameters:
            found.add(str(parameters["address"]).rpartition(":")[0].strip("[]"))
        elif name.startswith("HOST_RESOLVER") and name.endswith("_TASK") and "hostname" in parameters:
            found.add(str(parameters["hostname"]))
        elif name == "URL_REQUEST_START_JOB" and str(parameters.get("initiator", "")).startswith("http"):
            found.add(str(urlsplit(str(parameters["url"])).hostname))
    return found
