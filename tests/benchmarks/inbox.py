"""The inbox of approvals: from a key to the painted page, a storm of presses with an account of every one, the presses
that 36 requests take, and what an open page costs the dashboard's process.

    python -m tests.benchmarks.inbox [--presses 4000] [--waiting 200] [--seed 1]

Nothing is asserted; `misdirected`, `lost` and `unanswered` are to be 0 (`tests/dashboard/browser/storm.py` says what
they are). Times are those of one headless Chromium on this machine, so a page without anything but a listener stands
beside them as the floor.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

import httpx
from playwright.sync_api import Browser

from tests.benchmarks.processor import processor
from tests.dashboard.browser.approval_page import ready
from tests.dashboard.browser.chromium import find_chromium, open_browser
from tests.dashboard.browser.dashboard import dashboard_process, operator_desk
from tests.dashboard.browser.storm import World, storm
from tests.live import WAIT, start_service
from tests.stories.tenant import Tenant

BELOW = 8.0
"""What a key counts that the browser's Event Timing leaves out, since it took less than 16 ms."""
FLOOR = """() => {
  document.body.innerHTML = '<p tabindex=0>0</p>';
  window.frames_ = []; window.events_ = [];
  document.addEventListener('keydown', () => {
    const at = performance.now();
    document.querySelector('p').textContent = at;
    requestAnimationFrame(() => requestAnimationFrame((now) => window.frames_.push(now - at)));
  });
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (each.name === 'keydown') window.events_.push(each.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
}"""
STEPS = 300
DECIDED = 36


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--presses", type=int, default=4000)
    parser.add_argument("--waiting", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    executable = find_chromium()
    if executable is None:
        raise SystemExit("This needs chromium: apt-get install chromium")
    with (
        tempfile.TemporaryDirectory() as folder,
        start_service(Path(folder) / "home") as service,
        dashboard_process(service.base_url) as (address, pid),
        httpx.Client(timeout=WAIT, trust_env=False) as http,
        open_browser(executable, Path(folder) / "net.json") as browser,
    ):
        page = browser.new_page()
        page.evaluate(FLOOR)
        for _ in range(STEPS):
            page.keyboard.press("j")
            page.wait_for_timeout(20)
        _told("a page with a listener alone", page.evaluate("frames_"), page.evaluate("events_"), STEPS)
        page.close()

        _presses(Tenant(service, http), address, browser)
        for waiting in (given.waiting, 1000):
            tenant = Tenant(service, http)
            tenant.governed()
            world = World(tenant, every=0.5)
            world.ask(waiting, Random(given.seed))
            with operator_desk(browser, address, width=1440, height=900) as desk:
                desk.sign_in(tenant.keys["operator"], "/approvals")
                ready(desk)
                page = desk.page
                page.wait_for_timeout(8000)
                before = processor(pid).whole
                page.wait_for_timeout(20_000)
                print(f"{waiting} wait, nothing happens: {(processor(pid).whole - before) / 20:.2%} of a core")
                account = storm(page, world, given.presses if waiting == given.waiting else 500, given.seed)
                _told(f"storm with {waiting} waiting", account.frames, account.events, account.keys)
                print(
                    f"  {account.keys} keys, unanswered {account.unanswered}, refused {account.refused}; decided "
                    f"{account.decided}, misdirected {account.misdirected}, lost {account.lost}; taken back "
                    f"{account.undone}, somebody was faster {account.conflicts}; {account.outcomes}"
                )
                heap = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
                print(f"  {heap:.1f} MB of scripts' memory in the page")


def _presses(tenant: Tenant, address: str, browser: Browser) -> None:
    """Allow 36 requests, each looked at, with the fewest presses."""
    tenant.governed()
    ids = [tenant.create("pay", declared_goal=f"Pay {n}", agent_id="payer", risk_score=20) for n in range(DECIDED)]
    with operator_desk(browser, address, width=1440, height=900) as desk:
        desk.sign_in(tenant.keys["operator"], "/approvals")
        ready(desk)
        presses = scrolls = 0
        for _ in ids:
            desk.page.wait_for_timeout(200)
            desk.page.keyboard.press("a")
            presses += 1
        scrolls += int(desk.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") > 0)
        while _waiting(tenant) > 0:
            desk.page.wait_for_timeout(200)
        print(f"{DECIDED} requests allowed one by one: {presses} presses, the page was scrolled {scrolls} times")


def _waiting(tenant: Tenant) -> int:
    return int(tenant.call("GET", "/api/approvals?state=awaiting&limit=1")["total"])


def _told(what: str, frames: Sequence[float], events: Sequence[float], keys: int) -> None:
    below = [BELOW] * max(0, keys - len(events))
    for kind, values in (("to the second frame", frames), ("Event Timing", [*events, *below])):
        print(f"{what}, {keys} keys, {kind}: p50 {_quantile(values, 0.5):.0f}, p99 {_quantile(values, 0.99):.0f} ms")


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


if __name__ == "__main__":
    main()
