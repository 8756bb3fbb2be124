"""Fixtures for every test."""

from __future__ import annotations

import os
import sys
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


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failure at once, on standard error: a run that is ended from outside never comes to its summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = str(getattr(crash, "message", report.longrepr)).partition("\n")[0]
        said = f"\nFAILED {report.nodeid} ({report.when}, {report.duration:.0f} s): {reason}"
        print(said, file=sys.stderr, flush=True)
