"""What the tests with PostgreSQL need: its programs, from PATH or where Debian puts them, and psycopg."""

from __future__ import annotations

import os
import shutil
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest

REQUIRED: Final = "ASSENT_REQUIRE_POSTGRESQL"


@cache
def program(name: str) -> str | None:
    """Where a program of PostgreSQL is, None where there is none; the newest version counts."""
    found = shutil.which(name)
    if found is not None:
        return found
    there = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return str(there[-1]) if there else None


def driver() -> bool:
    """Whether the extra `postgresql` is installed; what imports it cannot be read otherwise."""
    return find_spec("psycopg") is not None


def require() -> None:
    """Skip, saying what is missing; fail where it is required."""
    missing = [] if driver() else ["psycopg"]
    missing += [name for name in ("initdb", "postgres") if program(name) is None]
    if not missing:
        return
    reason = f"PostgreSQL cannot be tried without {' and '.join(missing)}"
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason}, and {REQUIRED} is set")
    pytest.skip(reason)
