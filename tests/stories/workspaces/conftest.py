"""Notebooks whose connections are closed in the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.stories.tenant import Tenant
from tests.stories.workspaces.notebook import Notebook, Notebooks


@pytest.fixture
def notebooks() -> Iterator[Notebooks]:
    """Makes notebooks, and closes their connections in the end."""
    with ExitStack() as stack:

        def make(tenant: Tenant, cache: Path, role: str = "admin") -> Notebook:
            made = Notebook(tenant, cache, role)
            stack.enter_context(made.http)
            return made

        yield make


@pytest.fixture
def notebook(tenant: Tenant, tmp_path: Path, notebooks: Notebooks) -> Notebook:
    return notebooks(tenant, tmp_path / "cache")
