"""One service for all stories, and an organization of its own for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service that stories share; what one does to it, no other may notice."""
    with start_service(tmp_path_factory.mktemp("stories") / "home") as running:
        yield running
        assert running.alive, running.output[-3000:]


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=WAIT, trust_env=False) as client:
        yield client


@pytest.fixture
def new_tenant(service: LiveService, http: httpx.Client) -> Callable[[], Tenant]:
    return lambda: Tenant(service, http)


@pytest.fixture
def tenant(new_tenant: Callable[[], Tenant]) -> Tenant:
    return new_tenant()


@pytest.fixture(scope="module")
def shared_tenant(service: LiveService, http: httpx.Client) -> Tenant:
    """One organization for a module whose tests change nothing in it."""
    return Tenant(service, http)
