"""A service in process for each test, on a machine with room on its disk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.service.analysis.readiness.asking import Asking
from tests.service.control.actions.world import World, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


@pytest.fixture
async def asking(world: World, monkeypatch: pytest.MonkeyPatch) -> Asking:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=50 * 10**9, total=100 * 10**9))
    asking = Asking(world)
    await asking.make_keys()
    return asking
