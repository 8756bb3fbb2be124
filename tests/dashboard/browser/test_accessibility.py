"""Every page for somebody who cannot see it, or cannot see it well; and whether the looking itself finds anything."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from assent_dashboard.entries import ENTRIES
from tests.dashboard.browser.approval_page import ready
from tests.dashboard.browser.audit import faults
from tests.dashboard.browser.dashboard import Operator, operator_desk
from tests.dashboard.browser.workspaces import Workspaces
from tests.tiers import deep

pytestmark = deep("all pages in a browser")

MORE = ("action", "proof of an action", "a wrong address", "sign-in")
THEMES = ("light", "dark")
STAY = 10.0
"""Seconds after which a fault is one."""
FOCUSED = """() => {
  const e = document.activeElement;
  return [e.tagName === 'BUTTON' ? e.innerText : '', getComputedStyle(e).outlineStyle];
}"""


@pytest.fixture(scope="module")
def admin(browser: Browser, both_workspaces: Workspaces) -> Iterator[Operator]:
    with operator_desk(browser, both_workspaces.address) as desk:
        desk.sign_in(both_workspaces.busy["admin"])
        yield desk


def address(name: str, both: Workspaces) -> str:
    """Of a page of the navigation, or of a page that one comes to from there."""
    known = {
        "action": f"/ledger?action_id={both.settled}",
        "proof of an action": f"/proof?action={both.settled}",
        "a wrong address": "/ledger?window=0d&status=asleep&action_type=nobody-does-this",
        "sign-in": "/sign-in",
        next(iter(ENTRIES)): "/",
    }
    return known.get(name, f"/{name}")


@pytest.mark.parametrize("name", [*(name for name in (*ENTRIES, *MORE) if name != "sign-in"), "sign-in"])
def test_nothing_is_missing_for_who_cannot_see_it(name: str, admin: Operator, both_workspaces: Workspaces) -> None:
    if name == "sign-in":
        admin.page.context.clear_cookies()  # whoever is signed in is led on
    admin.open(address(name, both_workspaces))
    if name != "sign-in":
        admin.settle()
    found = {}
    for theme in THEMES:
        admin.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]  # one of its literals
        found[theme] = faults_that_stay(admin.page)
    assert found == {theme: [] for theme in THEMES}


def faults_that_stay(page: Page) -> list[str]:
    """Colours change over to another theme in a while, and what is being drawn is pale meanwhile."""
    found = ["not looked at"]
    deadline = time.monotonic() + STAY
    while found and time.monotonic() < deadline:
        page.wait_for_timeout(250)
        found = faults(page)
    return found


def test_the_keyboard_reaches_the_verdicts_and_shows_where_it_is(browser: Browser, both_workspaces: Workspaces) -> None:
    with operator_desk(browser, both_workspaces.address) as desk:
        desk.sign_in(both_workspaces.busy["operator"], "/approvals")
        ready(desk)
        # The list has the focus; what is beside it comes next.
        requests = desk.page.get_by_role("listbox", name="Requests that wait")
        expect(requests).to_be_focused()
        expect(requests).to_have_attribute("aria-activedescendant", re.compile("."))
        active = requests.get_attribute("aria-activedescendant")
        expect(desk.page.locator(f"#{active}")).to_have_attribute("role", "option")
        reached = []
        for _ in range(60):
            desk.page.keyboard.press("Tab")
            words, ring = desk.page.evaluate(FOCUSED)
            reached.append(str(words))
            if "Deny…" in reached[-1]:
                break
        assert "Deny…" in reached[-1], reached
        assert ring == "solid"
        desk.page.keyboard.press("Enter")
        desk.page.get_by_role("heading", name="Deny this request?").wait_for()
        assert faults_that_stay(desk.page) == []
        desk.page.keyboard.press("Escape")
        expect(requests).to_be_focused()


PLANTED = {
    "a button without a name": ("<button><svg width=9 height=9></svg></button>", "a button without a name"),
    "a field without a name": ("<input type=text>", "a textbox without a name"),
    "a chart without words": (
        '<div data-testid="stVegaLiteChart" role="graphics-document" aria-label="Vega visualization">x</div>',
        "does not say what it shows",
    ),
    "a chart with too few": (
        '<div data-testid="stVegaLiteChart" role="graphics-document" aria-label="A chart">x</div>',
        "does not say what it shows",
    ),
    "a table without words": ('<div data-testid="stDataFrameResizable">x</div>', "does not say what it shows"),
    "an image without words": ('<img src="data:," width=9 height=9>', "an image without words"),
    "a level left out": ("<h2>Two</h2><h4>Four</h4>", "a heading of level 4 after one of level 2"),
    "a second title": ("<h1>Another</h1>", "there is not one first heading"),
    "a coloured dot": ('<p><span class="stMarkdownBadge" style="color: red">●</span> bot</p>', "by its colour alone"),
    "a lone icon": (
        '<p><span class="stMarkdownColoredText"><span role="img" aria-label="error icon">error</span></span></p>',
        "by its colour alone",
    ),
    "pale words": ('<p style="color: #999; background: #fff">Read me</p>', "faint, 2.8"),
    "words that fade": ('<p style="opacity: 0.5">Read me</p>', "faint, "),
    "a pale hint": ('<label>L<input placeholder="type" style="background: #fff" id="pale"></label>', "faint, "),
}
STYLE = "<style>#pale::placeholder { color: #aaa; }</style>"


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def shown(page: Page, html: str) -> list[str]:
    page.set_content(f'{STYLE}<div data-testid="stApp"><h1>Title</h1>{html}</div>')
    return faults(page)


@pytest.mark.parametrize(("html", "said"), PLANTED.values(), ids=PLANTED)
def test_what_is_planted_is_found(html: str, said: str, blank: Page) -> None:
    found = shown(blank, html)
    assert any(said in each for each in found), found


def test_what_is_well_made_is_let_be(blank: Page) -> None:
    good = (
        '<h2>Two</h2><h3>Three</h3><h2>Two</h2><button aria-label="Close"><svg></svg></button>'
        "<label>Name<input></label><p style='color: #595959'>Read me</p>"
        '<div data-testid="stVegaLiteChart" role="graphics-document" aria-label="Decisions by day: 3 allowed">x</div>'
        '<p><span class="stMarkdownColoredText" style="color: #b00"><span role="img" aria-label="error icon">error'
        "</span></span> Disk space</p>"
        '<p><span class="stMarkdownBadge" style="color: #700; background: #fee">failed</span></p>'
    )
    assert shown(blank, good) == []
