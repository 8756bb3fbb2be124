"""A receiver and webhooks for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.exchange.webhooks.receiver import Post, Receiver, posting, receiving


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as made:
        yield made


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[Post]:
    """It may deliver to loopback."""
    async with posting(tmp_path / "home") as made:
        yield made
