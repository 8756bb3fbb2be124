"""Spelling of prose and of shipped code, by codespell's list of common mistakes."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import PACKAGES, TOP, written_files

CHECKER = importlib.util.find_spec("codespell_lib") is not None
if os.environ.get("ASSENT_REQUIRE_DOCS") and not CHECKER:
    raise RuntimeError("ASSENT_REQUIRE_DOCS is set, and codespell is not installed")
pytestmark = pytest.mark.skipif(not CHECKER, reason="the dependency group dev is not installed: codespell")

WORDS = TOP / "tests" / "docs" / "words.txt"
"""What looks like a mistake and is none: names, stems, and mistakes that are meant."""
MEANT = ("feedback/words.py",)
"""Files that list what people write, mistakes and all."""


def texts() -> list[Path]:
    prose = [file for file in written_files() if file.suffix == ".md" or file.name in {"Makefile", "pyproject.toml"}]
    code = [file for folder in PACKAGES.values() for file in sorted(folder.rglob("*.py"))]
    return [file for file in prose + code if not str(file).endswith(MEANT)]


def misspelt(files: list[Path]) -> list[str]:
    command = [sys.executable, "-m", "codespell_lib", "--ignore-words", str(WORDS), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == "", done.stderr
    return done.stdout.splitlines()


def test_words_are_spelt_right() -> None:
    assert misspelt(texts()) == []


def test_a_mistake_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("An agent asks before it acts, and the descripton says so.\n", encoding="utf-8")
    assert [line.partition(": ")[2] for line in misspelt([page])] == ["descripton ==> description"]


def test_no_word_is_allowed_that_nobody_writes() -> None:
    written = {word.lower() for file in texts() for word in re.findall(r"[A-Za-z]+", file.read_text(encoding="utf-8"))}
    assert set(WORDS.read_text(encoding="utf-8").split()) - written == set()
