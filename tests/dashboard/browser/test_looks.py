"""The frame of all pages as a reader has it: the navigation on a desk and on a telephone, the two themes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from playwright.sync_api import Locator, expect

from assent_dashboard.entries import ENTRIES, SECTIONS
from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("what is seen and not said")


def links(desk: Operator) -> Locator:
    return desk.page.locator('[data-testid="stSidebarNavLink"]')


def is_here(desk: Operator, title: str) -> None:
    """This page alone is marked as the present one, for who sees and who listens."""
    titled(desk.page.locator('[data-testid="stSidebarNavLink"][aria-current="page"]'), [title])


def titled(found: Locator, titles: Sequence[str]) -> None:
    """Exactly these in this order, without the icons before them, whose names are text too."""
    last_lines = [re.compile(rf"(^|\n){re.escape(each)}$") for each in titles]
    expect(found).to_have_text(last_lines, use_inner_text=True)


def test_every_page_is_a_link_in_its_section_and_the_present_one_is_marked(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["operator"])
    desk.settle()
    expect(links(desk)).to_have_count(len(ENTRIES))
    in_sections = [each.title for section in SECTIONS for each in ENTRIES.values() if each.section == section]
    titled(links(desk), in_sections)
    is_here(desk, "Readiness")
    links(desk).get_by_text("Ledger", exact=True).click()
    desk.heading("Ledger")
    is_here(desk, "Ledger")
    expect(desk.page).to_have_title("Ledger · Assent")


def test_on_a_telephone_the_navigation_is_closed_and_one_press_away(
    new_desk: Callable[..., Operator], tenant: Tenant
) -> None:
    desk = new_desk(width=390, height=844)
    desk.sign_in(tenant.keys["operator"])
    desk.settle()
    sidebar = desk.page.get_by_test_id("stSidebar")
    expect(sidebar).not_to_be_in_viewport()
    desk.page.get_by_role("button", name="Expand sidebar").or_(
        desk.page.locator('[data-testid="stExpandSidebarButton"]')
    ).first.click()
    expect(sidebar).to_be_in_viewport()
    for said in ("Signed in as the operator (operator)", "Sign out"):
        expect(sidebar.get_by_text(said)).to_be_visible()
    links(desk).get_by_text("Ledger", exact=True).click()
    desk.heading("Ledger")
    expect(sidebar).not_to_be_in_viewport()


def test_who_looks_is_told_on_a_desk_without_scrolling(desk: Operator, tenant: Tenant) -> None:
    desk.sign_in(tenant.keys["admin"])
    desk.settle()
    expect(desk.page.locator(".st-key-signed-in")).to_be_in_viewport()
    expect(desk.page.get_by_text("Sign out")).to_be_visible()


def test_the_theme_follows_the_reader(new_desk: Callable[..., Operator], tenant: Tenant) -> None:
    colours = set()
    for dark in (False, True):
        desk = new_desk(dark=dark)
        desk.sign_in(tenant.keys["operator"])
        desk.heading("Readiness")
        colours.add(
            desk.page.evaluate("() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        )
    assert colours == {"rgb(255, 255, 255)", "rgb(16, 21, 28)"}
