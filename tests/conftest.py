"""Fixtures for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.live import LiveService, start_service

# How long an example takes says more about what else the machine does; timings are measured in tests/benchmarks.
settings.register_profile("assent", deadline=None)
settings.load_profile("assent")


@pytest.fixture
def live_service(tmp_path: Path) -> Iterator[LiveService]:
    """The service in a process of its own, on a new home."""
    with start_service(tmp_path / "home") as service:
        yield service
