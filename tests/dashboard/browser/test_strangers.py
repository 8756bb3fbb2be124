"""Whatever strangers write stays words: no page draws a picture, a link, an icon or a colour from it, and no browser
asks anybody for anything."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Browser, expect

from assent_dashboard.entries import ENTRIES
from tests.dashboard.browser.dashboard import Operator, operator_desk
from tests.dashboard.browser.strangers import HOST, Strangers, let_in
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("all pages in a browser")

DRAWN = """() => {
  const found = [];
  const say = (what, element) => found.push(`${what}: ${element.outerHTML.slice(0, 300)}`);
  for (const each of document.querySelectorAll('img, a, script, iframe, source, link, image')) {
    const to = each.getAttribute('src') || each.getAttribute('href') || '';
    if (to === 'x' || /^(\\w+:)?\\/\\/[^/]*(evil|e\\.x)|^mailto:/.test(to)) say('an address', each);
  }
  for (const each of document.querySelectorAll('.katex, [onerror]')) say('a formula or a script', each);
  for (const each of document.querySelectorAll('[data-testid="stIconMaterial"]')) {
    if (each.textContent.trim() === 'skull') say('an icon', each);
  }
  for (const each of document.querySelectorAll('body *')) {
    const own = [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    // A chart's label breaks into lines between its words.
    if (/^evil[a-z]+$/.test(own) && each.localName !== 'tspan') say('a word of its own', each);
    if (own.includes('\\u{1F480}')) say('a picture', each);
  }
  return found;
}"""
"""Words that stand alone in an element were taken out of the text around them, which only markup does."""
OPEN = """() => {
  const main = document.querySelector('[data-testid="stMain"]');
  for (const each of main.querySelectorAll('details:not([open]) > summary')) each.click();
}"""
HEARD = "window.evil = []; window.alert = (said) => window.evil.push(said)"


@pytest.fixture(scope="module")
def invaded(page_service: LiveService) -> Iterator[tuple[Tenant, Strangers]]:
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(page_service, http)
        yield tenant, let_in(tenant)


@pytest.fixture(scope="module")
def sat(browser: Browser, page_dashboard: str, invaded: tuple[Tenant, Strangers]) -> Iterator[Operator]:
    with operator_desk(browser, page_dashboard) as desk:
        desk.page.add_init_script(HEARD)
        desk.sign_in(invaded[0].keys["admin"])
        desk.settle()
        yield desk


def harmless(desk: Operator, said: str = "") -> None:
    """Nothing of it acts, once the page shows what was said."""
    desk.settle()
    desk.page.evaluate(OPEN)
    expect(desk.page.locator("body"), "the test looks at nothing").to_contain_text(said, use_inner_text=True)
    desk.page.wait_for_timeout(200)
    assert desk.page.evaluate(DRAWN) == []
    assert desk.page.evaluate("window.evil") == []
    assert desk.hosts == {"127.0.0.1"}
    assert desk.page.locator('[data-testid="stException"]').count() == 0


def test_what_is_drawn_would_be_found(browser: Browser) -> None:
    drawn = (
        f'<img src="//{HOST}/x.png">',
        '<img src="x">',
        f'<p>a <a href="https://{HOST}">b</a></p>',
        '<a href="mailto:a@b.c">d</a>',
        '<p>:<span class="stMarkdownColoredText">evilred</span> and</p>',
        '<span class="katex">e</span>',
        '<span data-testid="stIconMaterial">skull</span>',
        "<p>so \U0001f480 there</p>",
    )
    page = browser.new_page()
    for each in drawn:
        page.set_content(f"<body>{each}</body>")
        assert page.evaluate(DRAWN), each
    page.set_content("<p>:red[evilred] [evillink](//e.x) :skull: :material/skull:</p>")
    assert page.evaluate(DRAWN) == []
    page.close()


@pytest.mark.parametrize("path", ENTRIES)
def test_a_page(path: str, sat: Operator) -> None:
    sat.open("/" if path == next(iter(ENTRIES)) else f"/{path}")
    harmless(sat, "" if path in ("proof", "readiness") else "evilred")


def test_every_view_that_an_address_leads_to(sat: Operator, invaded: tuple[Tenant, Strangers]) -> None:
    wrong = {}
    for path, address in invaded[1].addresses:
        sat.open(f"/{'' if path == next(iter(ENTRIES)) else path}?{urlencode(address)}")
        try:
            harmless(sat)
        except AssertionError as error:
            wrong[f"{path}?{urlencode(address)}"] = str(error)
    assert wrong == {}
