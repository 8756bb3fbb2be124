"""A start while the database is away is tried again by whoever starts it; one that a person has to mend is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.cluster import WALLET_KEY
from tests.engine.server import Server, free_port
from tests.tiers import deep

UNREACHABLE, FOLDER = 3, 8
"""Codes as docs/reference/command-line.md has them."""


def assent(home: Path, log: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_LOG": log, "ASSENT_WALLET_KEY": WALLET_KEY, "ASSENT_HOME": str(home), "ASSENT_PORT": "0"}
    return subprocess.run(
        [sys.executable, "-m", "assent", *command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", [("serve", "--hold"), ("migrate",)], ids=" ".join)
def test_a_database_that_is_away_is_said_so(tmp_path: Path, command: tuple[str, ...]) -> None:
    away = f"postgresql://postgres@127.0.0.1:{free_port()}/assent"
    done = assent(tmp_path / "home", away, *command, *(("--log", away) if command == ("migrate",) else ()))
    assert done.returncode == UNREACHABLE, done.stderr
    assert "cannot connect to 127.0.0.1/assent" in done.stderr


@deep("two starts of a process")
def test_a_database_that_is_not_there_or_not_migrated_is_for_a_person(
    tmp_path: Path, server: Server, empty: str
) -> None:
    for name, said in (("missing", 'database "missing" does not exist'), (empty, "has no schema `assent`")):
        done = assent(tmp_path / "home", server.dsn(name), "serve")
        assert done.returncode == FOLDER, done.stderr
        assert said in done.stderr
