"""One service and one dashboard for these tests, an organization of its own for each of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache

import httpx
import pytest
from streamlit.components.v2 import manifest_scanner

from tests.dashboard.looker import Looker
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """A page that runs as a script leaves itself behind as `__main__`, which processes that are started later read."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session", autouse=True)
def components_read_once() -> Iterator[None]:
    """Streamlit's AppTest reads about every package that is installed, for every page; they stay what they are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session")
def page_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with start_service(tmp_path_factory.mktemp("pages") / "home") as running:
        yield running
        assert running.alive, running.output[-3000:]


@pytest.fixture(scope="session")
def page_dashboard(page_service: LiveService) -> Iterator[str]:
    """The address of a dashboard in a process of its own."""
    # Playwright comes with it, which the pages without a browser do not need.
    from tests.dashboard.browser.dashboard import running_dashboard

    with running_dashboard(page_service.base_url) as address:
        yield address


@pytest.fixture
def house(page_service: LiveService) -> Iterator[Tenant]:
    """An organization where `pay` asks for approval and `wipe` is blocked."""
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(page_service, http)
        tenant.governed()
        yield tenant


@pytest.fixture
def look() -> Iterator[Callable[[Tenant, str], Looker]]:
    """Opens a page as the key of a role of an organization."""
    lookers: list[Looker] = []

    def open_page(tenant: Tenant, page: str, role: str = "operator") -> Looker:
        lookers.append(Looker.of(tenant, page, role))
        return lookers[-1]

    yield open_page
    for looker in lookers:
        looker.close()
