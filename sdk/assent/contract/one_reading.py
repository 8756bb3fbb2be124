"""JSON with one reading: a member that stands twice in one object is read as its first by some and as its last by
others, so whoever decides by it takes neither."""

from __future__ import annotations

from typing import Any


class Twice(Exception):
    """The member of this name stands twice in one object."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` of `json.loads`. Raises Twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        raise Twice(next(name for name in names if names.count(name) > 1))
    return members
