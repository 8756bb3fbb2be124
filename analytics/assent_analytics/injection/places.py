"""Parts of a text that are worth another look, because a word in them gives something away."""

from __future__ import annotations

from collections.abc import Iterable

from assent_analytics.injection.words import Words

WHOLE = 8192
"""Characters up to which a text is one part."""
AROUND = 500
"""Characters before and after such a part that belong to it."""


def given_away(words: Words, letters: str) -> list[tuple[int, int]]:
    """The parts with a word of one of these letters."""
    if not any(letter in words.letters for letter in letters):
        return []
    wanted = frozenset(letters)
    return merged([(start, end) for start, end, of in words.blocks() if not wanted.isdisjoint(of)], words.source)


def merged(parts: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """The parts, wider, with those that touch as one. A short text is one part."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if len(text) <= WHOLE:
            return [(0, len(text))]
        first = text.rfind(" ", 0, max(0, start - AROUND)) + 1 if start > AROUND else 0
        last = text.find(" ", end + AROUND)
        last = len(text) if last < 0 else last
        if found and first <= found[-1][1]:
            found[-1] = found[-1][0], max(last, found[-1][1])
        else:
            found.append((first, last))
    return found
