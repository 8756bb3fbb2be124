"""A text in which some pieces were replaced by what they decode to, and the way back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

AROUND = 200
"""Characters around a piece that are read again with it."""


class Piece(NamedTuple):
    """From `start` to before `end` a text says `text`, decoded by the method `via`."""

    start: int
    end: int
    text: str
    via: str


class Spliced:
    """`text` with `pieces` in place of what they decode, and `AROUND` characters around each: what is further from
    any piece was read before. Of pieces that overlap the first, longest stays."""

    def __init__(self, text: str, pieces: Iterable[Piece]) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._origins: list[tuple[int, int, str]] = []
        at = length = 0
        for piece in sorted(pieces, key=lambda piece: (piece.start, -piece.end)):
            if piece.start < at:
                continue
            plain = [(at, piece.start)]
            if piece.start - at > 2 * AROUND:
                plain = [(at, at + AROUND if at else 0), (piece.start - AROUND, piece.start)]
            for part, start, end, via in (
                *((text[first:last], first, last, "") for first, last in plain),
                (piece.text, piece.start, piece.end, piece.via),
            ):
                if part:
                    parts.append(part)
                    self._starts.append(length)
                    self._origins.append((start, end, via))
                    length += len(part)
            at = piece.end
        parts.append(text[at : at + AROUND])
        self._starts.append(length)
        self._origins.append((at, min(len(text), at + AROUND), ""))
        self.text = "".join(parts)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where it stands in the text before; a decoded piece counts as a whole."""
        first, last = self._piece(start), self._piece(max(start, end - 1))
        begin, _, via = self._origins[first]
        if not via:
            begin += start - self._starts[first]
        to, finish, last_via = self._origins[last]
        if not last_via:
            finish = min(finish, to + end - self._starts[last])
        return begin, finish

    def via(self, start: int, end: int) -> tuple[str, ...]:
        """The methods that decoded what stands there."""
        found = [self._origins[at][2] for at in range(self._piece(start), self._piece(max(start, end - 1)) + 1)]
        return tuple(dict.fromkeys(via for via in found if via))

    def _piece(self, at: int) -> int:
        return max(0, bisect_right(self._starts, at) - 1)
