"""Parts of a text that are worth another look, because a word in them gives something away."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assent_analytics.injection.words import Words

WHOLE = 8192
"""Characters up to which a text is one part."""
AROUND = 500
"""Characters before and after such a part that belong to it."""


def given_away(words: Words, sign: re.Pattern[str]) -> list[tuple[int, int]]:
    """The parts with a word whose letter is such a `sign`."""
    if sign.search(words.letters) is None:
        return []
    return merged([(start, end) for start, end, of in words.blocks() if sign.search(of) is not None], words.source)


def merged(parts: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """The parts, wider, with those that touch as one. A short text is one part."""
    found: list[tuple[int, int]] = []
    free = 0
    for start, end in sorted(parts):
        if len(text) <= WHOLE:
            return [(0, len(text))]
        if found and end + AROUND <= free:
            continue
        # What stands before `free` is in a part already.
        first = text.rfind(" ", free, max(free, start - AROUND)) + 1 if start > AROUND else 0
        free = text.find(" ", end + AROUND)
        free = len(text) if free < 0 else free
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(free, found[-1][1])
        else:
            found.append((first, free))
    return found
