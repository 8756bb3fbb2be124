"""Published clients, each version from its own folder."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

PLACE = "ASSENT_PUBLISHED_CLIENTS"


@pytest.fixture
def published_client() -> Iterator[Callable[[str], ModuleType]]:
    """`published_client("4.8.0")` is that version's `dashclaw`, out of the folder that the environment names.

    It is skipped where that is not there: `pip install --target DIR/4.8.0 dashclaw==4.8.0` makes it.
    """
    added: list[str] = []

    def load(version: str) -> ModuleType:
        place = os.environ.get(PLACE)
        if not place:
            pytest.skip(f"{PLACE} names no folder with published clients")
        folder = Path(place) / version
        if not (folder / "dashclaw" / "__init__.py").is_file():
            pytest.skip(f"{PLACE} has no {version}/dashclaw")
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
