"""An organization whose policies block `wipe` and ask before `pay`, and agents to run against it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forked import Forks
from tests.live import LiveService
from tests.sdk.adapters.environments import MODULES, Agent, forks
from tests.stories.tenant import Tenant

Runs = Callable[..., Agent]


@pytest.fixture
def tenant(service: LiveService, http: httpx.Client) -> Tenant:
    made = Tenant(service, http)
    made.governed()
    made.add_key("bot", "agent", "bot")
    return made


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Forks]]:
    """Gives the process that has a framework imported; there is one until the tests of the module are through."""
    made: dict[str, Forks] = {}

    def give(framework: str) -> Forks:
        if framework not in made:
            made[framework] = forks(framework, tmp_path_factory.mktemp("ready"), MODULES[framework])
        return made[framework]

    yield give
    for each in made.values():
        each.end()


@pytest.fixture
def runs(ready: Callable[[str], Forks], tenant: Tenant, tmp_path: Path) -> Iterator[Runs]:
    """Starts a script in a framework's environment: `runs("crewai", "script.py", "word", ...)`."""
    started: list[Agent] = []

    def start(framework: str, script: str | Path, *words: str, **env: Any) -> Agent:
        service = {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys["bot"]}
        started.append(Agent(ready(framework), script, *words, home=tmp_path / "home", **(service | env)))
        return started[-1]

    yield start
    for agent in started:
        agent.stop()
