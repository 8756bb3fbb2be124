"""A service in process for each test, and its prompts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.control.actions.world import World, opened
from tests.service.exchange.prompts.shelf import Shelf


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as world:
        yield world


@pytest.fixture
def shelf(world: World) -> Shelf:
    return Shelf(world)
