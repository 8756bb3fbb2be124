"""What holds of every page of the navigation, whoever looks: it opens, it fits, it says when it asked and what to do.

A page that is added to the navigation is looked at here by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from assent_dashboard.entries import ENTRIES
from tests.dashboard.browser.dashboard import LOOK_AGAIN_MS, Operator, operator_desk
from tests.dashboard.browser.workspaces import Workspaces
from tests.stories.tenant import Tenant
from tests.tiers import deep

DESK, TELEPHONE = ViewportSize(width=1280, height=900), ViewportSize(width=390, height=844)
SIDEWAYS = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return [document.documentElement.scrollWidth - window.innerWidth, main.scrollWidth - main.clientWidth];
}"""
PRESENT = '[data-testid="stSidebarNavLink"][aria-current="page"]'
WRONG = '.stException, [data-testid="stAlertContentError"]'
NOT_ANSWERED = ("does not answer", "cannot answer this", "may not see this", "has not been built")
FULL_FROM_THE_START = ("policies", "settings")
"""A new workspace has the default policies and the keys that it was made with."""
WITHOUT_EXPORT = ("readiness",)
"""Nothing to count: it has sentences."""

WINDOWED = (
    *("approvals", "ledger", "asking", "pcaa", "learning", "drift", "drivers"),
    *("policies", "agents", "injection"),
)
"""With an agent in the address; the others tell what is there now."""

WITHOUT_FLOW = ("asking", "pcaa", "scores", "agents")
"""The others are used in the quick tier as somebody does who has something to do there."""

Desks = dict[tuple[str, str], Operator]


@pytest.fixture(scope="module")
def desks(browser: Browser, both_workspaces: Workspaces) -> Iterator[Desks]:
    """One who has signed in, by workspace and role; none of their browsers may ask another machine."""
    with ExitStack() as stack:
        made: Desks = {}
        for name, keys in (("busy", both_workspaces.busy), ("empty", both_workspaces.empty)):
            for role, key in keys.items():
                desk = made[name, role] = stack.enter_context(operator_desk(browser, both_workspaces.address))
                desk.sign_in(key)
                desk.leave()
        yield made
        for desk in made.values():
            assert desk.hosts == {"127.0.0.1"}


def path_of(name: str) -> str:
    """The first page lives at `/` alone."""
    return "/" if name == next(iter(ENTRIES)) else f"/{name}"


@contextmanager
def looking(desk: Operator, path: str) -> Iterator[Page]:
    """The page at the path, drawn to its end, and left afterwards."""
    desk.page.set_viewport_size(DESK)
    desk.open(path)
    desk.settle()
    yield desk.page
    desk.leave()


def sound(page: Page) -> None:
    assert page.locator(WRONG).all_inner_texts() == []
    said = page.locator('[data-testid="stMain"]').inner_text()
    assert not [words for words in NOT_ANSWERED if words in said]


def fits(page: Page) -> None:
    """In a telephone's width, in both themes, nothing is wider than the screen."""
    page.set_viewport_size(TELEPHONE)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        try:
            # Charts are drawn anew for the new width, which takes as long as it takes.
            page.wait_for_function(f"() => ({SIDEWAYS})().every(each => each <= 0)", polling=LOOK_AGAIN_MS)
        except PlaywrightTimeout:
            pytest.fail(f"wider than the screen in the {scheme}, by {page.evaluate(SIDEWAYS)} pixels")


@pytest.mark.parametrize("name", WITHOUT_FLOW)
def test_a_page_without_a_flow_of_its_own_opens(name: str, desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"], path_of(name))
    desk.settle()
    sound(desk.page)
    expect(desk.page.locator(PRESENT)).to_have_count(1)


@deep("all pages in a browser")
@pytest.mark.parametrize("name", ENTRIES)
def test_it_opens_and_fits_with_a_month_behind_it(name: str, desks: Desks) -> None:
    for role in ("admin", "operator"):
        with looking(desks["busy", role], path_of(name)) as page:
            sound(page)
            assert page.title() != "Assent", "the tab says which page it is"
            expect(page.locator(PRESENT)).to_have_count(1)
            expect(page.locator('[data-testid="stMain"]')).to_contain_text("Last checked", use_inner_text=True)
            if name not in WITHOUT_EXPORT:
                expect(page.locator('[class*="_export"] button').first).to_be_visible()
            if role == "operator":
                fits(page)


@deep("all pages in a browser")
@pytest.mark.parametrize("name", ENTRIES)
def test_it_says_what_to_do_next_where_nothing_has_happened(name: str, desks: Desks) -> None:
    for role in ("operator", "admin"):
        with looking(desks["empty", role], path_of(name)) as page:
            sound(page)
            if name not in FULL_FROM_THE_START:
                main = page.locator('[data-testid="stMain"]')
                advice = main.get_by_role("img", name="inbox icon").or_(main.get_by_text("Next:"))
                expect(advice.first, "neither an empty state nor a next step").to_be_visible()
            if role == "admin":
                fits(page)


@deep("all pages in a browser")
@pytest.mark.parametrize("name", ENTRIES)
def test_a_copied_link_shows_the_same_view(name: str, desks: Desks, both_workspaces: Workspaces) -> None:
    scope = {"window": "14d", "agent_id": both_workspaces.agent, "action_type": both_workspaces.action_type}
    with looking(desks["busy", "operator"], f"{path_of(name)}?{urlencode(scope)}") as page:
        sound(page)
        widgets = page.locator('[data-testid="stMain"]')
        shown = {
            member: widgets.locator(f'.st-key-{name}_{member} input[role="combobox"]')
            for member in ("window", "agent_id", "action_type")
        }
        if name in WINDOWED:
            expect(shown["window"].first).to_be_attached()
        else:
            expect(shown["window"]).to_have_count(0)
        for member, value in scope.items():
            if shown[member].count():
                expect(shown[member].first).to_have_value("Custom…" if member == "window" else value)
                assert f"{member}={value}" in page.url
        if name in WINDOWED:
            expect(widgets.get_by_label("Days back").first).to_have_value("14")
