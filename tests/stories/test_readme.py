"""The README's commands and its loop run as they stand."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.page import code, reading
from tests.live import ROOT, WAIT

README = ROOT / "README.md"


def test_the_loop_runs(tmp_path: Path) -> None:
    (loop,) = code(README, "python")
    assert len([line for line in loop.splitlines() if line.strip()]) <= 10
    with reading(README, tmp_path / "reader") as reader:
        reader.python(loop)
        assert reader.printed is not None
        verdict, *waiting, kind = reader.printed.splitlines()
    assert any("/replay/act_" in line for line in waiting), waiting
    assert verdict.startswith("allow ")
    assert kind == "outcome"


def test_the_commands_lead_to_a_checkout_that_has_both(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone: there is no .git")
    clone, start, test = [line.partition("#")[0].strip() for line in code(README, "sh")[0].splitlines()]
    environment = {"PATH": os.environ["PATH"], "REPOSITORY": str(ROOT), "GIT_CONFIG_GLOBAL": os.devnull}

    def typed(command: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=WAIT
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert (start, test) == ("make start", "make test")
    # What they run is only said: installing takes a minute, and what is installed is what runs these tests.
    assert "assent start" in typed(f"{clone}\n{start} --dry-run")
    assert "pytest" in typed(f"cd assent\n{test} --dry-run")
    install = code(README, "sh")[1]
    assert install.split()[:3] == ["pip", "install", "./assent"]
    assert (tmp_path / "assent" / "pyproject.toml").is_file()
