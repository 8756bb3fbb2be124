"""`import assent` costs next to nothing, and is the one public door."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import assent

ROOT = Path(__file__).parents[2]


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True).stdout


def test_importing_assent_brings_nothing_heavy_along() -> None:
    script = "import sys; before = set(sys.modules); import assent; new = set(sys.modules) - before; print(*new)"
    loaded = set(run(script).split())
    assert loaded == {"assent"}


def test_the_first_use_of_a_name_brings_it() -> None:
    script = "import sys, assent; assent.Code; print('msgspec' in sys.modules, 'httpx' in sys.modules)"
    assert run(script) == "True False\n"
    assert run("import sys, assent; assent.Client; print('httpx' in sys.modules)") == "True\n"


def test_every_public_name_is_there_and_nothing_else_is() -> None:
    assert len(set(assent.__all__)) == len(assent.__all__)
    for name in assent.__all__:
        assert getattr(assent, name) is not None
    script = "before = set(globals()); from assent import *; print(*sorted(set(globals()) - before - {'before'}))"
    assert run(script).split() == sorted(assent.__all__)


def test_type_checkers_see_the_names_that_are_there() -> None:
    tree = ast.parse((ROOT / "sdk/assent/__init__.py").read_text())
    seen = {
        (alias.name, node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("assent.")
        for alias in node.names
    }
    assert {name for name, _ in seen} | {"__version__"} == set(assent.__all__)
    for name, module in seen:
        __import__(module)
        assert getattr(assent, name) is getattr(sys.modules[module], name)


def test_every_error_is_public() -> None:
    from assent import errors

    shapes = {n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, Exception)}
    assert shapes <= set(assent.__all__)


def test_an_unknown_name_is_named_with_what_there_is() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'Cleint'; it has .*Client"):
        _ = assent.Cleint  # type: ignore[attr-defined]


def test_dir_shows_the_lazy_names() -> None:
    assert set(assent.__all__) <= set(dir(assent))


def test_the_version_is_the_distributions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert assent.__version__ == project["version"]
