"""Published clients, each version from its own folder."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from tests.live import PUBLISHED


@pytest.fixture
def published_client() -> Iterator[Callable[[str], ModuleType]]:
    """`published_client("4.8.0")` is that version's `dashclaw`; the test is skipped where it is not installed."""
    added: list[str] = []

    def load(version: str) -> ModuleType:
        folder = PUBLISHED / version
        if not (folder / "dashclaw" / "__init__.py").is_file():
            pytest.skip(f"{PUBLISHED.name}/{version} has no dashclaw; `make published` installs it")
        _forget()
        sys.path.insert(0, str(folder))
        added.append(str(folder))
        return importlib.import_module("dashclaw")

    yield load
    for entry in added:
        sys.path.remove(entry)
    _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name == "dashclaw" or name.startswith("dashclaw.")]:
        del sys.modules[name]
