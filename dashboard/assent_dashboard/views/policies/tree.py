"""A condition tree as plain data, edited by paths. Nothing here changes what it is given.

A path is the way from the root: the place of a branch among those of `all` or `any`, and 0 for the one of `not`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Tree: TypeAlias = dict[str, Any]
Path: TypeAlias = tuple[int, ...]

GROUPS = ("all", "any", "not")
MOST = 40
"""Rows and groups that a form shows; larger trees are for YAML."""


def row() -> Tree:
    """What a new row begins with."""
    return {"field": "risk_score", "op": "gte", "value": 80}


def kind(tree: object) -> str:
    """`all`, `any`, `not`, `row`, or `unknown` for what is no tree."""
    if not isinstance(tree, Mapping):
        return "unknown"
    for name in GROUPS:
        if set(tree) == {name} and (name == "not" or isinstance(tree[name], list)):
            return name
    return "row" if set(tree) == {"field", "op", "value"} else "unknown"


def branches(tree: Tree) -> list[Tree]:
    """Those of a group; none of a row."""
    group = kind(tree)
    if group == "not":
        return [tree["not"]]
    return list(tree[group]) if group in GROUPS else []


def size(tree: object) -> int:
    """Rows and groups."""
    if not isinstance(tree, dict):
        return 1
    return 1 + sum(size(branch) for branch in branches(tree))


def drawable(tree: object) -> bool:
    """Whether a form can show all of it."""

    def known(each: object) -> bool:
        return kind(each) != "unknown" and isinstance(each, dict) and all(known(branch) for branch in branches(each))

    return known(tree) and size(tree) <= MOST


def at(tree: Tree, path: Path) -> Tree:
    for step in path:
        tree = branches(tree)[step]
    return tree


def put(tree: Tree, path: Path, new: Tree) -> Tree:
    """The tree with `new` in the place of what is at the path."""
    if not path:
        return new
    first, rest = path[0], path[1:]
    return _with(tree, [put(each, rest, new) if place == first else each for place, each in enumerate(branches(tree))])


def remove(tree: Tree, path: Path) -> Tree:
    """The tree without what is at the path; a group that is left empty goes too, and the last row of all stays."""
    if not path:
        return tree
    above = at(tree, path[:-1])
    left = [each for place, each in enumerate(branches(above)) if place != path[-1]]
    return put(tree, path[:-1], _with(above, left)) if left else remove(tree, path[:-1])


def add(tree: Tree, path: Path, new: Tree) -> Tree:
    """The tree with `new` after the last branch of the group at the path; a row becomes a group of both."""
    group = at(tree, path)
    if kind(group) in ("all", "any"):
        return put(tree, path, _with(group, [*branches(group), new]))
    return put(tree, path, {"all": [group, new]})


def regroup(tree: Tree, path: Path, name: str) -> Tree:
    """The group at the path as another one. `not` takes all of its branches together."""
    group = at(tree, path)
    inside = branches(group)
    if name == "not":
        return put(tree, path, {"not": inside[0] if len(inside) == 1 else group})
    if kind(group) == "not" and kind(inside[0]) in ("all", "any"):
        inside = branches(inside[0])
    return put(tree, path, {name: inside})


def fields(tree: object) -> list[str]:
    """Every field that rows look at, each once, in their order."""
    if not isinstance(tree, dict):
        return []
    if kind(tree) == "row":
        return [str(tree["field"])]
    return list(dict.fromkeys(name for branch in branches(tree) for name in fields(branch)))


def _with(group: Tree, inside: list[Tree]) -> Tree:
    name = kind(group)
    return {name: inside[0] if name == "not" else inside}
