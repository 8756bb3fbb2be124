"""One service and one dashboard for all flows, a browser for each module, an organization for each flow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from tests.dashboard.browser.chromium import REQUIRED, addresses, find_chromium, open_browser
from tests.dashboard.browser.dashboard import Desk, operator_desk, running_dashboard
from tests.live import WAIT, LiveService, start_service
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
def desk_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with start_service(tmp_path_factory.mktemp("desk") / "home") as running:
        yield running
        assert running.alive, running.output[-3000:]


@pytest.fixture(scope="session")
def dashboard(desk_service: LiveService) -> Iterator[str]:
    with running_dashboard(desk_service.base_url) as address:
        yield address


@pytest.fixture
def tenant(desk_service: LiveService) -> Iterator[Tenant]:
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        yield Tenant(desk_service, http)


@pytest.fixture
def new_desk(browser: Browser, dashboard: str) -> Iterator[Callable[..., Desk]]:
    """Opens browsers of their own, for two operators at once; nothing that they ask for may leave the machine."""
    with ExitStack() as stack:
        desks: list[Desk] = []

        def make(**look: int | bool) -> Desk:
            desk = stack.enter_context(operator_desk(browser, dashboard, **look))  # type: ignore[arg-type]  # passed on
            desks.append(desk)
            return desk

        yield make
        for desk in desks:
            assert desk.hosts <= {"127.0.0.1"}, desk.hosts


@pytest.fixture
def desk(new_desk: Callable[..., Desk]) -> Desk:
    return new_desk()
