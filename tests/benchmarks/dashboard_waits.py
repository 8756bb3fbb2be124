"""How long a person waits for a page of the dashboard, as the browser sees it.

A time begins with the navigation, the click or the key, and ends in the browser's own clock, at the first frame in
which the page has what is waited for, so that what this process takes to hear of it does not count.
"""

from __future__ import annotations

import time
from pathlib import Path

from playwright.sync_api import Page

from tests.dashboard.browser.dashboard import SETTLED

STATE = "document.querySelector('[data-test-script-state]')?.getAttribute('data-test-script-state')"
# A heading, and below it a number, a picture, a table, a card or a sentence that says that there is nothing.
WATCH = (
    """(() => {
  const settled = """
    + SETTLED
    + """;
  const parts = ['Metric', 'VegaLiteChart', 'DataFrame', 'Table', 'Expander', 'Code', 'AlertContainer'];
  const selectors = [...parts.map((name) => `[data-testid="st${name}"]`), '[role="img"]', 'h2', 'h3',
    '.inbox [role="option"]'];
  const content = () => {
    const main = document.querySelector('[data-testid="stMain"]');
    const title = main && main.querySelector('h1, h2');
    return title && title.checkVisibility() && !title.closest('[data-stale="true"]')
      && [...main.querySelectorAll(selectors.join(','))].some((e) => e !== title && e.checkVisibility()
        && !e.closest('[data-stale="true"]'));
  };
  window.began = (path) => { window.times = {from: performance.now(), path}; look(); };
  const look = () => {
    const times = window.times, now = performance.now(), there = !times.path || location.pathname === times.path;
    if (there && times.content === undefined && content()) times.content = now - times.from;
    if (there && times.content !== undefined && settled()) {
      times.idle ??= now - times.from;
      if (now - times.from - times.idle > 400) { times.done = true; return; }
    } else delete times.idle;
    requestAnimationFrame(look);
  };
  window.times = {from: 0};
  requestAnimationFrame(look);
})()"""
)
RUNS = (
    """() => {
  const app = document.querySelector('[data-test-script-state]');
  window.states = [];
  new MutationObserver(() => window.states.push([performance.now(), """
    + STATE
    + """]))
    .observe(app, {attributes: true, attributeFilter: ['data-test-script-state']});
}"""
)
PRESS = "() => { window.states = []; window.pressed = performance.now(); }"
RAN = """() => {
  const asked = window.states.findIndex(each => each[1] !== 'notRunning');
  if (asked < 0) return null;
  const done = window.states.slice(asked).find(each => each[1] === 'notRunning');
  return done ? done[0] - window.pressed : null;
}"""

Waits = tuple[float, float]
"""Milliseconds until there is content, and until everything is drawn."""


def watch(page: Page) -> None:
    """Once for a page, before its first navigation."""
    page.add_init_script(WATCH)


def visit(page: Page, address: str, path: str) -> Waits:
    """The address is entered: a tab of its own for Streamlit, which has asked nothing yet."""
    page.goto(address + path, wait_until="commit")
    return _times(page)


def walk(page: Page, path: str) -> Waits:
    """A click in the navigation, in a tab that has seen the page."""
    link = page.locator(f'[data-testid="stSidebarNavLink"][href$="{path}"]').first
    link.evaluate("(link, path) => { window.began(path); link.click(); }", path)
    return _times(page)


def _times(page: Page) -> Waits:
    times = page.wait_for_function("() => window.times?.done && window.times").json_value()
    return float(times["content"]), float(times["idle"])


def reruns(page: Page, rounds: int, pause: float = 0.3) -> list[float]:
    """Milliseconds of each: from the key that draws the page anew until its script has run."""
    page.evaluate(RUNS)
    took: list[float] = []
    for _ in range(rounds):
        page.wait_for_function(f"() => {STATE} === 'notRunning'")
        time.sleep(pause)
        page.evaluate(PRESS)
        page.keyboard.press("r")
        took.append(float(page.wait_for_function(RAN).json_value()))
    return took


def resident_megabytes(pid: int) -> float:
    """What a process holds in memory now."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
