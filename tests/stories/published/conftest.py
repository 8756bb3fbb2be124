"""Each published client, as an agent and with an admin's key, in an organization of the test's own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live import PUBLISHED
from tests.stories.published.client import PublishedClient, published_client
from tests.stories.tenant import Tenant

VERSIONS = ("2.1.0", "2.9.0", "4.8.0")


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    chosen = str(request.param)
    if not (PUBLISHED / chosen / "dashclaw" / "__init__.py").is_file():
        pytest.skip(f"{PUBLISHED.name}/{chosen} has no dashclaw; `make published` installs it")
    return chosen


@pytest.fixture
def asking(tenant: Tenant) -> Tenant:
    tenant.governed()
    return tenant


@pytest.fixture
def agent(asking: Tenant, version: str) -> Iterator[PublishedClient]:
    key = asking.keys["agent"]
    with published_client(PUBLISHED, version, asking.service.base_url, key, "bot") as client:
        yield client


@pytest.fixture
def boss(asking: Tenant, version: str) -> Iterator[PublishedClient]:
    """The same client with an admin's key."""
    key = asking.keys["admin"]
    with published_client(PUBLISHED, version, asking.service.base_url, key, "boss") as client:
        yield client


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What counts the others' calls comes after them."""
    items.sort(key=lambda item: item.path.name == "test_tally.py")
