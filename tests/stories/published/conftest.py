"""Each published client, as an agent and with an admin's key, in an organization of the test's own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.live import PUBLISHED
from tests.stories.published.client import Processes, PublishedClient
from tests.stories.published.versions import VERSIONS, installed
from tests.stories.tenant import Tenant

HERE = Path(__file__).parent
TALLY = "test_tally.py"
COUNTS_THE_RUN = "test_what_works_has_answered_in_this_run"


@pytest.fixture(scope="module", params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    """Every version in turn; `versions.only` says which, for what others cannot do."""
    chosen = str(request.param)
    if not installed(chosen):
        pytest.skip(f"{PUBLISHED.name}/{chosen} has no dashclaw; `make published` installs it")
    return chosen


@pytest.fixture(scope="session")
def processes() -> Iterator[Processes]:
    with ExitStack() as running:
        yield Processes(running)


@pytest.fixture
def asking(tenant: Tenant) -> Tenant:
    tenant.governed()
    return tenant


@pytest.fixture
def agent(asking: Tenant, version: str, processes: Processes) -> Iterator[PublishedClient]:
    with processes.client(version, asking.service.base_url, asking.keys["agent"], "bot") as client:
        yield client


@pytest.fixture
def boss(asking: Tenant, version: str, processes: Processes) -> Iterator[PublishedClient]:
    """The same client with an admin's key."""
    with processes.client(version, asking.service.base_url, asking.keys["admin"], "boss") as client:
        yield client


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What counts the others' calls comes after them, and only when all of them are run."""
    items.sort(key=lambda item: item.path == HERE / TALLY)
    chosen = {(item.path.name, item.name.partition("[")[0]) for item in items if item.path.parent == HERE}
    if not _tests() <= chosen:
        counting = [item for item in items if item.path.parent == HERE and item.name.startswith(COUNTS_THE_RUN)]
        config.hook.pytest_deselected(items=counting)
        items[:] = [item for item in items if item not in counting]


def _tests() -> set[tuple[str, str]]:
    """File and name of every test of this folder."""
    return {
        (file.name, name)
        for file in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
