"""`make pictures`: the README's pictures of the dashboard, taken from a simulated workspace.

python -m tests.dashboard.pictures [--out FOLDER]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page

from tests.dashboard.browser.chromium import find_chromium, open_browser
from tests.dashboard.browser.dashboard import PATIENCE_MS, operator_desk, running_dashboard
from tests.live import ROOT, start_service

LOOKS = {
    "light": {"width": 1280, "height": 860, "dark": False},
    "dark": {"width": 1280, "height": 860, "dark": True},
    "narrow": {"width": 390, "height": 844, "dark": False},
}
IDLE = (
    "() => document.querySelector('[data-test-script-state]').getAttribute('data-test-script-state') === 'notRunning'"
)
SETTLED_SECONDS = 2.5
"""Until charts have been drawn and transitions are over."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="make pictures")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    given = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        raise SystemExit("The pictures need chromium: apt-get install chromium")
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        assent = Path(sys.executable).with_name("assent")
        subprocess.run([assent, "simulate", "--home", str(home)], check=True, stdout=subprocess.DEVNULL)
        key = (home / "admin.key").read_text(encoding="ascii").strip()
        with (
            start_service(home) as service,
            running_dashboard(service.base_url) as address,
            open_browser(executable, Path(folder) / "net.json") as browser,
        ):
            denied = service.call("GET", "/api/actions?status=cancelled&limit=1", key=key)[1]["actions"][0]
            pages = {
                "readiness": "/",
                "approvals": "/approvals",
                "ledger": "/ledger?window=30d",
                "action": f"/ledger?action_id={denied['action_id']}",
                "proof": f"/proof?action={denied['action_id']}",
            }
            for look, shape in LOOKS.items():
                with operator_desk(browser, address, **shape) as desk:  # type: ignore[arg-type]  # a shape is its members
                    desk.sign_in(key)
                    for name, path in pages.items():
                        desk.open(path)
                        take(desk.page, given.out / f"{name}-{look}.png")
                        print(f"{name}-{look}.png", flush=True)


def take(page: Page, file: Path) -> None:
    page.wait_for_selector("h1, h2", timeout=PATIENCE_MS)
    page.wait_for_function(IDLE)
    time.sleep(SETTLED_SECONDS)
    page.screenshot(path=file, animations="disabled")


if __name__ == "__main__":
    main()
