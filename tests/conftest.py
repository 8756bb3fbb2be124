"""Fixtures for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live import LiveService, start_service


@pytest.fixture
def live_service(tmp_path: Path) -> Iterator[LiveService]:
    """The service in a process of its own, on a new home."""
    with start_service(tmp_path / "home") as service:
        yield service
