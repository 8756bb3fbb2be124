"""A folder that has the packed Node client, once for all tests of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import node


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return node.installed(tmp_path_factory)
