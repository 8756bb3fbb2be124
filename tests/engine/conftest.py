"""The fixtures of this folder; without the driver nothing in it can be imported but what says so."""

from __future__ import annotations

from pathlib import Path

from tests.engine.programs import driver

if driver():
    from tests.engine.fixtures import database, empty, log, migrated, opened, own_server, possible, server

    __all__ = ("database", "empty", "log", "migrated", "opened", "own_server", "possible", "server")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    unreadable = not driver() and collection_path.suffix == ".py" and collection_path.name != "test_installed.py"
    return True if unreadable else None
