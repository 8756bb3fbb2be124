"""Each published client, as an agent and with an admin's key, in an organization of the test's own."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.live import PUBLISHED
from tests.stories.published.client import ANSWERED, Processes, PublishedClient
from tests.stories.published.versions import VERSIONS, installed
from tests.stories.tenant import Tenant

HERE = Path(__file__).parent
TALLY = "test_tally.py"
COUNTS_THE_RUN = "test_what_works_has_answered_in_this_run"
CALLING = pytest.StashKey[set[str]]()
"""The tests of this run that call."""
ENDED = 300.0
"""Seconds until those that another process runs have ended."""


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
    ours = [item for item in items if item.path.parent == HERE]
    if not _tests() <= {(item.path.name, item.name.partition("[")[0]) for item in ours}:
        counting = [item for item in ours if item.name.startswith(COUNTS_THE_RUN)]
        config.hook.pytest_deselected(items=counting)
        items[:] = [item for item in items if item not in counting]
    config.stash[CALLING] = {item.nodeid for item in ours if item.path.name != TALLY}


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """What has answered is told to whoever counts, perhaps in another process of this run."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    with (_told(item.config) / f"{worker}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps([item.nodeid, sorted(ANSWERED)]) + "\n")


@pytest.fixture
def answered(request: pytest.FixtureRequest) -> set[tuple[str, str]]:
    """Version and method of what answered in this run, once all tests that call have ended."""
    deadline = time.monotonic() + ENDED
    while True:
        lines = [
            json.loads(line)
            for file in _told(request.config).glob("*.jsonl")
            for line in file.read_text(encoding="utf-8").splitlines(keepends=True)
            if line.endswith("\n")
        ]
        waiting = request.config.stash[CALLING] - {test for test, _ in lines}
        if not waiting:
            return {(version, method) for _, calls in lines for version, method in calls}
        assert time.monotonic() < deadline, f"these have not ended: {sorted(waiting)[:5]}"
        time.sleep(0.2)


def _told(config: pytest.Config) -> Path:
    """The folder that all processes of this run share."""
    base: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # there is no hook with fixtures
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "published"
    folder.mkdir(exist_ok=True)
    return folder


def _tests() -> set[tuple[str, str]]:
    """File and name of every test of this folder."""
    return {
        (file.name, name)
        for file in HERE.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
