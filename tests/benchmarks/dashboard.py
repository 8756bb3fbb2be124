"""The dashboard as a person waits for it, in Chromium: reruns, and approvals that are made elsewhere.

    python -m tests.benchmarks.dashboard [--actions 1000000] [--home FOLDER] [--rounds 15]

A rerun is what Streamlit does after every click: from the key press to the moment when the page says that its script
has run. An approval elsewhere is an API call: from its answer until the card is on an open page, or has left it.
The home is simulated once and kept in the folder for temporary files.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page

from assent import Client
from tests.benchmarks.processes import service
from tests.dashboard.browser.chromium import find_chromium, open_browser
from tests.dashboard.browser.dashboard import operator_desk, running_dashboard

PAGES = (
    ("readiness", "/"),
    ("approvals", "/approvals"),
    ("ledger", "/ledger"),
    ("ledger, filtered", "/ledger?window=7d&status=failed"),
)
WATCH = """() => {
  const app = document.querySelector('[data-test-script-state]');
  window.states = [];
  new MutationObserver(() => window.states.push([performance.now(), app.getAttribute('data-test-script-state')]))
    .observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
}"""
IDLE = (
    "() => document.querySelector('[data-test-script-state]').getAttribute('data-test-script-state') === 'notRunning'"
)
PRESS = "() => { window.states = []; window.pressed = performance.now(); }"
DONE = """() => {
  const asked = window.states.findIndex(each => each[1] !== 'notRunning');
  if (asked < 0) return null;
  const done = window.states.slice(asked).find(each => each[1] === 'notRunning');
  return done ? done[0] - window.pressed : null;
}"""


def home(actions: int) -> Path:
    """A simulated data folder of so many actions, made when it is not there."""
    folder = Path(tempfile.gettempdir()) / f"assent-bench-simulated-{actions}"
    if not (folder / "admin.key").exists():
        command = [sys.executable, "-c", "from assent.cli import main; main()", "simulate"]
        subprocess.run([*command, "--home", str(folder), "--actions", str(actions), "--agents", "50"], check=True)
    return folder


def reruns(page: Page, address: str, path: str, rounds: int) -> list[float]:
    """Milliseconds of each."""
    page.goto(address + path)
    page.wait_for_selector("h1")
    time.sleep(3)
    page.evaluate(WATCH)
    took: list[float] = []
    for _ in range(rounds):
        page.wait_for_function(IDLE)
        time.sleep(0.3)
        page.evaluate(PRESS)
        page.keyboard.press("r")
        took.append(float(page.wait_for_function(DONE).json_value()))
    return took


def elsewhere(page: Page, address: str, client: Client, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds until a new approval shows, and until one that was decided has gone."""
    page.goto(f"{address}/approvals")
    page.wait_for_selector("h1")
    time.sleep(3)
    shown, left = [], []
    for number in range(rounds):
        time.sleep(0.137 * (number % 8))  # at every phase of the page's own clock
        created = client.create_action("benchmark_release", f"Release {number}", agent_id="benchmark")
        began = time.perf_counter()
        card = page.locator(f".st-key-approval-{created.action_id}")
        card.wait_for(state="visible")
        shown.append((time.perf_counter() - began) * 1000)
        client.approve_action(created.action_id, "allow", "measured")
        began = time.perf_counter()
        card.wait_for(state="detached")
        left.append((time.perf_counter() - began) * 1000)
    return shown, left


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="dashboard")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args(arguments)
    executable = find_chromium()
    if executable is None:
        raise SystemExit("This benchmark needs chromium: apt-get install chromium")
    folder = given.home or home(given.actions)
    with (
        service(folder) as served,
        running_dashboard(served.base_url) as address,
        tempfile.TemporaryDirectory() as scratch,
        open_browser(executable, Path(scratch) / "net.json") as browser,
        operator_desk(browser, address) as desk,
        Client(base_url=served.base_url, api_key=served.key) as client,
    ):
        desk.sign_in(served.key)
        print(f"{'':24}  {'p50':>8}  {'p95':>8}  {'most':>8}   milliseconds, {given.rounds} rounds each")
        for name, path in PAGES:
            show(f"rerun of {name}", reruns(desk.page, address, path, given.rounds))
        present = {policy.name for policy in client.get_policies().policies}
        if "Benchmark" not in present:
            client.create_policy("Benchmark", "require_approval", {"action_types": ["benchmark_release"]})
        shown, left = elsewhere(desk.page, address, client, given.rounds)
        show("asked elsewhere, shown", shown)
        show("decided elsewhere, gone", left)


def show(name: str, took: list[float]) -> None:
    ordered = sorted(took)
    late = ordered[int(0.95 * (len(ordered) - 1))]
    print(f"{name:24}  {statistics.median(took):8.0f}  {late:8.0f}  {ordered[-1]:8.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
