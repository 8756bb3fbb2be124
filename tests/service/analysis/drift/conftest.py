"""A service in process for each test; its follower reads when a test says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.analysis.drift.watching import watching
from tests.service.control.actions.world import World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with watching(tmp_path) as world:
        yield world
