"""A browser for each module and an organization for each flow, before the service and the dashboard of all pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from tests.dashboard.browser.chromium import REQUIRED, addresses, find_chromium, open_browser
from tests.dashboard.browser.dashboard import Operator, operator_desk
from tests.dashboard.browser.workspaces import Workspaces, workspaces
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant


# Playwright keeps an event loop running in this thread for as long as it is there, and other modules want their own.
@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        assert not REQUIRED, "chromium is required here and not installed"
        pytest.skip("no chromium on this machine: install it to run the browser flows")
    net_log: Path = tmp_path_factory.mktemp("browser") / "net.json"
    with open_browser(executable, net_log) as opened:
        yield opened
    outside = addresses(net_log) - {"127.0.0.1"}
    assert not outside, f"the browser reached for {sorted(outside)}"


@pytest.fixture(scope="session")
def both_workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspaces]:
    with workspaces(tmp_path_factory.mktemp("workspaces")) as both:
        yield both


@pytest.fixture
def tenant(page_service: LiveService) -> Iterator[Tenant]:
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        yield Tenant(page_service, http)


@pytest.fixture
def new_desk(browser: Browser, page_dashboard: str) -> Iterator[Callable[..., Operator]]:
    """Opens browsers of their own, for two operators at once; nothing that they ask for may leave the machine."""
    with ExitStack() as stack:
        desks: list[Operator] = []

        def make(**look: int | bool) -> Operator:
            desk = stack.enter_context(operator_desk(browser, page_dashboard, **look))  # type: ignore[arg-type]  # passed on
            desks.append(desk)
            return desk

        yield make
        for desk in desks:
            assert desk.hosts <= {"127.0.0.1"}, desk.hosts


@pytest.fixture
def desk(new_desk: Callable[..., Operator]) -> Operator:
    return new_desk()
