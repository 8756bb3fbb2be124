"""One simulated workspace, and a service on a copy of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assent_service import simulate
from tests.live import LiveService, start_service


@dataclass(frozen=True)
class Simulated:
    """A home as the simulator left it; nobody may change it."""

    home: Path
    report: simulate.Report
    made: datetime
    """When it was done; the tests that look at it may come much later."""

    @property
    def key(self) -> str:
        return (self.home / "admin.key").read_text(encoding="ascii").strip()


@dataclass(frozen=True)
class Running:
    """A service on a copy of the simulated home."""

    service: LiveService
    key: str
    report: simulate.Report
    made: datetime

    def get(self, path: str) -> dict[str, Any]:
        status, answer = self.service.call("GET", path, key=self.key)
        assert status == 200, answer
        return answer

    def pages(self, path: str, name: str) -> list[dict[str, Any]]:
        """All rows of a list, page by page."""
        first = f"{path}{'&' if '?' in path else '?'}limit=200"
        page = self.get(first)
        rows: list[dict[str, Any]] = page[name]
        while page["next_cursor"] is not None:
            page = self.get(f"{first}&cursor={page['next_cursor']}")
            rows += page[name]
        return rows


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Simulated:
    home = tmp_path_factory.mktemp("simulated") / "home"
    report = simulate.run(home, seed=7, actions=1500)
    return Simulated(home, report, datetime.now(UTC))


@pytest.fixture(scope="session")
def running(simulated: Simulated, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service that tests share: they read, and may decide on approvals of their own choice."""
    home = tmp_path_factory.mktemp("running") / "home"
    shutil.copytree(simulated.home, home)
    with start_service(home) as service:
        yield Running(service, simulated.key, simulated.report, simulated.made)
