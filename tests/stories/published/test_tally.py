"""How many methods of each published client work here, counted from the packages themselves.

Every public method is exactly one of: `works` (a test beside this one calls it and looks at what came back), `swapped`
(it passes method and path the wrong way round, so that its request goes nowhere), `later` (what it asks for comes with
a change of its own), `elsewhere` (it is told what to use in its place). The last two are told so by a 404 that
`test_not_served.py` looks at.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.live import PUBLISHED
from tests.stories.published.client import ANSWERED
from tests.stories.published.conftest import VERSIONS
from tests.stories.published.test_not_served import CALLS

HERE = Path(__file__).parent
VERBS = {"GET", "POST", "PATCH", "PUT", "DELETE"}
ACCEPTS_BOTH = "2.1.0"
"""The one whose helper takes method and path in either order."""
# How the harness calls what gives no JSON of its own.
HARNESS = {"action_context": "in_context", "get_attachment": "downloaded", "wrap_client": "wrapped"}
LATER_WORDS = (
    "learning|recommend|drift|maturity|scoring|score_with_profile|profile_score|risk_template|auto_calibrate|"
    "compliance_export|compliance_schedule|compliance_trends|scan_|security_finding"
)
EXPECTED = {
    "2.1.0": {"works": 132, "later": 51},
    "2.9.0": {"works": 133, "swapped": 48, "later": 9},
    "4.8.0": {"works": 160, "later": 51, "elsewhere": 14},
}


@cache
def methods(version: str) -> dict[str, ast.FunctionDef]:
    """The public methods, by name."""
    tree = ast.parse((PUBLISHED / version / "dashclaw" / "client.py").read_text(encoding="utf-8"))
    (client,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "DashClaw"]
    return {
        node.name: node for node in client.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


@cache
def called() -> frozenset[str]:
    """Every method that a test of this folder calls, `.name(...)`, on a client."""
    found: set[str] = set()
    for file in HERE.glob("test_*.py"):
        found |= set(re.findall(r"\.(\w+)\(", file.read_text(encoding="utf-8")))
        found |= set(re.findall(r"\.send\(\s*\"(\w+)\"", file.read_text(encoding="utf-8")))
    return frozenset(found)


def swapped(method: ast.FunctionDef) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "_request"
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value in VERBS
        for node in ast.walk(method)
    )


def fate(version: str, name: str) -> str:
    if version == "2.9.0" and swapped(methods(version)[name]):
        return "swapped"
    if name in CALLS:
        return "later" if re.search(LATER_WORDS, name) else "elsewhere"
    return "works" if HARNESS.get(name, name) in called() else "untested"


@pytest.fixture(params=VERSIONS)
def present(request: pytest.FixtureRequest) -> str:
    chosen = str(request.param)
    if not (PUBLISHED / chosen / "dashclaw" / "__init__.py").is_file():
        pytest.skip(f"{PUBLISHED.name}/{chosen} has no dashclaw; `make published` installs it")
    return chosen


def test_every_method_has_its_place(present: str) -> None:
    assert [name for name in methods(present) if fate(present, name) == "untested"] == []


def test_the_count(present: str) -> None:
    assert Counter(fate(present, name) for name in methods(present)) == EXPECTED[present]


def test_every_one_that_works_has_answered_in_this_run(present: str, request: pytest.FixtureRequest) -> None:
    chosen = {Path(item.path) for item in request.session.items}
    if not set(HERE.glob("test_*.py")) <= chosen or request.config.getoption("keyword"):
        pytest.skip("only part of the tests of published clients was chosen")
    working = {HARNESS.get(name, name) for name in methods(present) if fate(present, name) == "works"}
    assert sorted(working - {name for version, name in ANSWERED if version == present}) == []


def test_only_one_version_swaps_method_and_path(present: str) -> None:
    mistaken = [name for name, method in methods(present).items() if swapped(method)]
    assert len(mistaken) == (48 if present in ("2.1.0", "2.9.0") else 0)
    if present == ACCEPTS_BOTH:
        assert all(fate(present, name) in ("works", "later") for name in mistaken)
