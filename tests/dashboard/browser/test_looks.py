"""What the pages look like where it can be told by a program: nothing is cut off, nothing scrolls sideways."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.dashboard.browser.dashboard import Desk
from tests.stories.tenant import Tenant

SIDEWAYS = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return [document.documentElement.scrollWidth - window.innerWidth, main.scrollWidth - main.clientWidth];
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nothing_scrolls_sideways_on_a_telephone(new_desk: Callable[..., Desk], tenant: Tenant, dark: bool) -> None:
    tenant.governed()
    waiting = tenant.create("pay", declared_goal="Pay an invoice that has a remarkably long description " * 3)
    desk = new_desk(width=390, height=844, dark=dark)
    desk.sign_in(tenant.keys["operator"])
    for path, heading in (
        ("/", "Readiness"),
        ("/approvals", "Approvals"),
        ("/ledger", "Ledger"),
        (f"/ledger?action_id={waiting}", "Pay an invoice"),
        (f"/proof?action={waiting}", "Place in the log"),
    ):
        desk.open(path)
        desk.heading(heading)
        beyond = [max(0, each) for each in desk.page.evaluate(SIDEWAYS)]
        assert beyond == [0, 0], f"{path} is wider than the screen by {beyond}"


def test_the_theme_follows_the_reader(new_desk: Callable[..., Desk], tenant: Tenant) -> None:
    colours = set()
    for dark in (False, True):
        desk = new_desk(dark=dark)
        desk.sign_in(tenant.keys["operator"])
        desk.heading("Readiness")
        colours.add(
            desk.page.evaluate("() => getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        )
    assert colours == {"rgb(255, 255, 255)", "rgb(16, 21, 28)"}
