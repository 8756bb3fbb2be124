"""The texts in what an agent says, each with the place where it stands. Pure.

Names of members are texts too: whoever reads a document reads them as well. A place says them only where they are plain
words; any other is told by its number, so that a place can be shown to anybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

LONGEST_PLAIN, LONGEST_PLACE = 64, 200


class Said(NamedTuple):
    """A text, and where it stands, such as `metadata.notes[0]`."""

    place: str
    text: str


def texts_in(place: str, value: object) -> Iterator[Said]:
    """Every text in a JSON value that is not blank, in the order in which they stand."""
    waiting: list[tuple[str, object]] = [(place, value)]
    while waiting:
        at, found = waiting.pop()
        if isinstance(found, str):
            if found and not found.isspace():
                yield Said(at[:LONGEST_PLACE], found)
        elif isinstance(found, dict):
            inside: list[tuple[str, object]] = []
            for number, (name, each) in enumerate(found.items()):
                if _is_plain(name):
                    inside.append((f"{at}.{name}", each))
                else:
                    inside += [(f"name {number} of {at}", name), (f"{at}[{number}]", each)]
            waiting += reversed(inside)
        elif isinstance(found, list):
            waiting += [(f"{at}[{number}]", each) for number, each in reversed(list(enumerate(found)))]


def _is_plain(name: str) -> bool:
    return len(name) <= LONGEST_PLAIN and name.isascii() and name.replace("-", "_").isidentifier()
