"""What files look like, whatever is in them."""

import re
from pathlib import Path

import pytest

from tests.architecture.sources import TOP, written_files
from tests.every import every

LONGEST = 800
"""Lines. A file is as long as its idea; this many are two."""
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "shared"}
EXPLAINED = ("", "sdk", "service", "analytics", "dashboard", "notebooks", "tests")
"""Folders whose README says what is in them; the first is the repository itself."""

PYTHON = [file for file in written_files() if file.suffix == ".py"]
SHIPPED = [file for file in PYTHON if not {"tests", "notebooks"} & set(file.parts)]
TEXTS = [
    file
    for file in written_files()
    if file.suffix in {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".sql", ".sh", ".ipynb", ".cfg", ".ini"}
    or file.name in {"Makefile", "LICENSE", ".gitignore"}
    or file.parent.name == ".ci"
]


def place(file: Path) -> str:
    return str(file.relative_to(TOP))


@every("file", PYTHON, ids=place)
def test_no_file_is_too_long(file: Path) -> None:
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{place(file)} has {lines} lines: split it by idea, {LONGEST} are the most"


def test_no_file_or_folder_has_a_vague_name() -> None:
    vague = {place(file) for file in PYTHON if VAGUE & set(file.relative_to(TOP).with_suffix("").parts)}
    assert not vague, f"name these by what they hold: {', '.join(sorted(vague))}"


@every("folder", EXPLAINED)
def test_a_folder_says_what_is_in_it(folder: str) -> None:
    readme = TOP / folder / "README.md"
    assert readme.is_file(), f"{place(readme)} is missing"
    assert len(readme.read_text(encoding="utf-8").split()) > 20, f"{place(readme)} says next to nothing"


@every("file", SHIPPED, ids=place)
def test_a_module_says_what_it_is(file: Path) -> None:
    source = file.read_text(encoding="utf-8")
    assert not source.strip() or source.lstrip().startswith('"""'), f"{place(file)} has no docstring"


@every("file", SHIPPED, ids=place)
def test_no_waiting_forgets_that_it_was_cancelled(file: Path) -> None:
    # In Python 3.11 it loses a cancellation that comes together with what it waits for (cpython 86296), and a task that
    # goes on after its stop holds up the end of the service.
    assert "asyncio.wait_for(" not in file.read_text(encoding="utf-8"), "use asyncio.timeout"


# Written apart, so that this file does not find itself.
MACHINE = re.compile(r"(?<![\w./}~-])/(?:" + "|".join(["root", "work", "tmp", "home", "Users"]) + r")/[\w.]")
REGISTRY = re.compile(
    "|".join(["pypi" + r"\.org", "python" + "hosted", "registry" + r"\.npmjs", "(extra-)?index" + "-url"])
)


@every("file", TEXTS, ids=place)
def test_no_file_names_a_machine_or_a_registry(file: Path) -> None:
    found = [
        f"{place(file)}:{number}: {hit[0]}"
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        for hit in (MACHINE.search(line), REGISTRY.search(line))
        if hit
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see /" + "work/main/x", True),
        ('"/' + "root/.cache" + '"', True),
        ("(/" + "tmp/x)", True),
        ("https://example.org/" + "work/main", False),
        ("docs/" + "work/main", False),
        ("a /" + "workshop/x", False),
    ],
)
def test_a_machine_path_is_told_from_others(text: str, found: bool) -> None:
    assert (MACHINE.search(text) is not None) is found
