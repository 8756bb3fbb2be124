"""A scanned text as people may look at it: what was found is marked, and nothing in it acts on whoever shows it.

Characters that nobody sees (control and format characters, variation selectors, fillers, heaps of combining marks) are
told by their code points, a run of them in one: `<U+202E>`, `<U+E0049 and 61 more>`. Line ends stay.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
MARKS = frozenset({"Mn", "Me"})
MOST_MARKS = 2
"""Combining marks on one letter; more of them are drawn over the lines around."""
FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that are drawn as nothing."""


class Segment(NamedTuple):
    """A piece of a text. `marked`: it belongs to a finding. `hidden`: it tells what nobody sees."""

    text: str
    marked: bool
    hidden: bool


def segments(text: str, spans: Iterable[tuple[int, int]], begin: int = 0, end: int | None = None) -> list[Segment]:
    """`text` from `begin` to before `end` in pieces, in order; `spans` are places in the whole text and may overlap."""
    end = len(text) if end is None else min(end, len(text))
    begin = min(begin, end)
    covered = merged((max(begin, start), min(end, stop)) for start, stop in spans)
    borders = [begin, *(place for span in covered for place in span), end]
    return [
        Segment(piece, at % 2 == 1, hidden)
        for at, (start, stop) in enumerate(pairwise(borders))
        for piece, hidden in _runs(text[start:stop])
    ]


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap or touch as one; empty ones are left out."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def visible(text: str) -> str:
    """The text, with what nobody sees told."""
    return "".join(piece for piece, _ in _runs(text))


def as_html(pieces: Iterable[Segment]) -> str:
    """Escaped, for a place where white space counts (`white-space: pre-wrap`): `<mark>` is a finding, `<i>` what
    nobody sees."""
    return "".join(map(_element, pieces))


def _element(piece: Segment) -> str:
    text = html.escape(piece.text)
    text = f"<i>{text}</i>" if piece.hidden else text
    return f"<mark>{text}</mark>" if piece.marked else text


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    """Runs of what is seen, and what stands for runs of what is not."""
    if text.isascii() and text.replace("\n", "").isprintable():
        if text:
            yield text, False
        return
    run: list[str] = []
    hidden, marks = False, 0
    for char in text:
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in MARKS else 0
        unseen = char != "\n" and (kind in UNSEEN or char in FILLERS or marks > MOST_MARKS or _selects(char))
        if unseen != hidden and run:
            yield (_named(run) if hidden else "".join(run)), hidden
            run = []
        hidden = unseen
        run.append(char)
    yield (_named(run) if hidden else "".join(run)), hidden


def _selects(char: str) -> bool:
    """Whether it is a variation selector."""
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _named(run: list[str]) -> str:
    more = f" and {len(run) - 1} more" if len(run) > 1 else ""
    return f"<U+{ord(run[0]):04X}{more}>"
