"""Many texts scanned: together first, apart only where that finds anything. Pure.

1. Most texts hold nothing, so they are read in groups of GROUP characters, an empty line between two. Each text of a
   group in which that finds anything is scanned by itself.
2. After ONE_BY_ONE texts by themselves, a group that finds something counts as one text: a document made of a hundred
   thousand suspicious scraps must not take seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assent_service.injection.texts import Said

if TYPE_CHECKING:
    from assent_analytics.injection import Scan

GROUP = 4_000
ONE_BY_ONE = 1_000
BETWEEN = "\n\n"


def scan_together(texts: Iterable[Said], source: str, scan: Callable[[str, str], Scan]) -> Iterator[tuple[Said, Scan]]:
    """Every text, in its order, and what came of it; or a group as one text, `first place to last place`."""
    left = ONE_BY_ONE
    for group in _groups(texts):
        whole = _joined(group)
        found = scan(whole, source)
        if not found.findings or len(group) == 1:
            yield from ((each, found) for each in group)
        elif len(group) > left:
            yield Said(f"{group[0].place} to {group[-1].place}", whole), found
        else:
            left -= len(group)
            yield from ((each, scan(each.text, source)) for each in group)


def _groups(texts: Iterable[Said]) -> Iterator[list[Said]]:
    """Neighbours whose lengths together are at most GROUP; a longer text is alone."""
    group: list[Said] = []
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


def _joined(group: Sequence[Said]) -> str:
    return group[0].text if len(group) == 1 else BETWEEN.join(each.text for each in group)
