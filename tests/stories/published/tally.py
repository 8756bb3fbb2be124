"""How many methods of each published client work here, counted from the packages themselves.

Every public method has exactly one fate: `works` (a test beside this file calls it and looks at what comes back),
`swapped` (it passes method and path the wrong way round, so that its request goes nowhere), `elsewhere` (it gets a 404
that says what to use in its place).

An operation of the specification is carried by the method of its name, or by the one that had another name once; its
fate is the method's, and `absent` where the version has neither.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache

from tests.architecture.test_specification import OPERATIONS, snake
from tests.live import PUBLISHED
from tests.stories.published.not_served import CALLS
from tests.stories.published.versions import OLDEST

WORKS, SWAPPED, ELSEWHERE, ABSENT = "works", "swapped", "elsewhere", "absent"
VERBS = {"GET", "POST", "PATCH", "PUT", "DELETE"}
ACCEPTS_BOTH = OLDEST
"""The one whose helper takes method and path in either order."""
FORMER_NAMES = {"record_assumption": "register_assumption"}
"""What carried an operation of the specification before a method of its name came."""


@cache
def methods(version: str) -> dict[str, ast.FunctionDef]:
    """The public methods, by name."""
    tree = ast.parse((PUBLISHED / version / "dashclaw" / "client.py").read_text(encoding="utf-8"))
    (client,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "DashClaw"]
    return {
        node.name: node for node in client.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }


@cache
def swaps(version: str, name: str) -> bool:
    """Whether this method's request goes nowhere: it gives a verb where its helper takes the path."""
    return version != ACCEPTS_BOTH and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "_request"
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value in VERBS
        for node in ast.walk(methods(version)[name])
    )


def fate(version: str, name: str) -> str:
    if swaps(version, name):
        return SWAPPED
    return ELSEWHERE if name in CALLS else WORKS


def names(version: str, wanted: str) -> list[str]:
    """The methods of that fate."""
    return sorted(name for name in methods(version) if fate(version, name) == wanted)


def counted(version: str) -> Counter[str]:
    """How many methods have which fate."""
    return Counter(fate(version, name) for name in methods(version))


def specified(version: str) -> Counter[str]:
    """How many operations of the specification have which fate."""
    return Counter(_fate_of_operation(version, snake(operation)) for operation in OPERATIONS)


def _fate_of_operation(version: str, name: str) -> str:
    carrier = next((each for each in (name, FORMER_NAMES.get(name)) if each in methods(version)), None)
    return ABSENT if carrier is None else fate(version, carrier)
