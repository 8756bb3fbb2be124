"""The texts in what an agent says, each with the place where it stands, and many of them scanned together. Pure.

Names of members are texts too: whoever reads a document reads them as well. A place says them only where they are plain
words; any other is told by its number, so that a place can be shown to anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from assent_analytics.injection import Scan


LONGEST_PLAIN, LONGEST_PLACE = 64, 200


class Passage(NamedTuple):
    """A text, and where it stands, such as `metadata.notes[0]`."""

    place: str
    text: str


def texts_in(place: str, value: object) -> Iterator[Passage]:
    """Every text in a JSON value that is not blank, in the order in which they stand."""
    waiting: list[tuple[str, object]] = [(place, value)]
    while waiting:
        at, found = waiting.pop()
        if isinstance(found, str):
            if found and not found.isspace():
                yield Passage(at[:LONGEST_PLACE], found)
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


# Many texts scanned: together first, apart only where that finds anything. Pure.
#
# 1. Most texts hold nothing, so they are read in groups of GROUP characters, an empty line between two. Each text of a
#    group in which that finds anything is scanned by itself.
# 2. After ONE_BY_ONE texts by themselves, a group that finds something counts as one text: a document made of a hundred
#    thousand suspicious scraps must not take seconds.


GROUP = 4_000
ONE_BY_ONE = 1_000
BETWEEN = "\n\n"


def scan_together(
    texts: Iterable[Passage], source: str, scan: Callable[[str, str], Scan]
) -> Iterator[tuple[Passage, Scan]]:
    """Every text, in its order, and what came of it; or a group as one text, `first place to last place`."""
    left = ONE_BY_ONE
    for group in _groups(texts):
        whole = _joined(group)
        found = scan(whole, source)
        if not found.findings or len(group) == 1:
            yield from ((each, found) for each in group)
        elif len(group) > left:
            yield Passage(f"{group[0].place} to {group[-1].place}", whole), found
        else:
            left -= len(group)
            yield from ((each, scan(each.text, source)) for each in group)


def _groups(texts: Iterable[Passage]) -> Iterator[list[Passage]]:
    """Neighbours whose lengths together are at most GROUP; a longer text is alone."""
    group: list[Passage] = []
    room = GROUP
    for each in texts:
        size = len(each.text) + len(BETWEEN)
        if group and size > room:
            yield group
            group, room = [], GROUP
        group.append(each)
        room -= size
    if group:
        yield group


def _joined(group: Sequence[Passage]) -> str:
    return group[0].text if len(group) == 1 else BETWEEN.join(each.text for each in group)
