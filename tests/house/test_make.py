"""What `make` would do in a fresh clone: the runtime alone to start, the developers' tools to check."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(TOP / name, tmp_path / name)
    return tmp_path


def make(clone: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        ["make", "--no-print-directory", "--directory", clone, *words],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize(("uv", "by"), [("", "-m pip "), ("/opt/bin/uv", "/opt/bin/uv pip ")])
def test_a_start_installs_what_runs_and_a_check_what_developers_use(clone: Path, uv: str, by: str) -> None:
    started, checked = make(clone, "-n", "start", f"UV={uv}"), make(clone, "-n", "check", f"UV={uv}")
    for said, installed in ((started, "'.[server]'"), (checked, "'.[all,classifier]' --group dev")):
        (line,) = [line for line in said.splitlines() if "--editable" in line]
        assert f"--constraint constraints.txt --editable {installed}" in line
        assert by in line
        assert "set -o pipefail; " in line, "what cannot be installed ends it"
    assert "--group" not in started


def test_what_is_installed_is_not_installed_again(clone: Path) -> None:
    (clone / ".venv" / "bin").mkdir(parents=True)
    for made in ("bin/python", ".runtime"):
        (clone / ".venv" / made).touch()
    assert make(clone, "-n", "start").splitlines()[-1:] == [".venv/bin/assent start"]
    assert "--editable" not in make(clone, "-n", "start")
    os.utime(clone / "constraints.txt", (2e9, 2e9))
    assert "--editable" in make(clone, "-n", "start")


def test_bytecode_is_kept_whatever_the_environment_says(clone: Path) -> None:
    said = make(clone, "--eval", 'kept:; @echo "<$$PYTHONDONTWRITEBYTECODE>"', "kept")
    assert "<>" in said.splitlines()
