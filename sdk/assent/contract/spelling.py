"""Other spellings of member names that the specification and the published clients use, accepted at the door.

Each member of a body may be written in camel case, and so may a few parameters. Words that a guard context may use for
something of its own (`to`, `from`, `type`) are not among them and belong to the noun that needs them (`spelled` of its
endpoints). A member keeps its published name in answers. Where a body carries both spellings, the published one wins.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from assent.contract.operations import ENDPOINTS
from assent.contract.people.agents import ConnectionReport

PARAMETERS = frozenset({"actor_id", "include_inactive", "include_metrics", "resource_type", "track_events"})
"""Those that published clients write in camel case."""
_BODIES: tuple[type[Struct], ...] = (
    ConnectionReport,
    *(each.request for each in ENDPOINTS if each.request is not None),
)


def camel(name: str) -> str:
    return re.sub(r"(?<=[a-z])_([a-z])", lambda found: found[1].upper(), name)


PUBLISHED: dict[str, str] = {
    camel(name): name
    for name in sorted(PARAMETERS.union(*(shape.__struct_encode_fields__ for shape in _BODIES)))
    if camel(name) != name
}
"""Spelling -> published name, for every body."""


def respell(members: dict[str, Any], also: Mapping[str, str] | None = None) -> dict[str, Any]:
    """`members` with published names; the same object when there is nothing to rename."""
    found = [name for name in members if name in PUBLISHED or (also is not None and name in also)]
    if not found:
        return members
    renamed = dict(members)
    for name in found:
        value = renamed.pop(name)
        published = PUBLISHED.get(name) or (also or {})[name]
        if renamed.get(published) is None:
            renamed[published] = value
    return renamed
