"""A plugin of pytest: the first test that fails is written into the file that FOUND_BY names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    file = Path(os.environ["FOUND_BY"])
    if report.failed and not file.exists():
        file.write_text(report.nodeid, encoding="utf-8")
