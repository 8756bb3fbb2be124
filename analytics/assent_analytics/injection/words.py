"""A folded text as words, and as the string of their letters (`lexicon`).

Words are what stands between spaces and punctuation. Chinese and Japanese have none, so there the lexicon's entries
are found inside a run of characters, longest first, and what is between them counts as one word for each `RUN`
characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from assent_analytics.injection.lexicon import Lexicon
from assent_analytics.injection.table import Table

BLOCK = 1024
"""Characters split at a time; a word's place is looked up in one block."""
UNBROKEN = 4096
"""Characters of a script without spaces that are split at a time where there is no space either; an entry across that
place is not seen."""
MANY = 1000
"""Words from which on those that are new are learnt together."""
_SPACES = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_BEYOND = re.compile("[\u3040-\U0010ffff]")
"""What may end a block where there is no space."""


def _spaced(text: str) -> str:
    """The text with spaces for punctuation; as bytes, which translate quickly."""
    return text.encode("utf-8", "surrogatepass").translate(_SPACES).decode("utf-8", "surrogatepass")


class _Block(NamedTuple):
    """From `start` to before `end` the words are from the `first` to before the `last`. `cut` if spaces alone do not
    tell its words."""

    start: int
    end: int
    first: int
    last: int
    cut: bool


def _last(block: _Block) -> int:
    return block.last


class Words:
    """`words` and, one for each, `letters`; `source` is the text. `table` gives the letter of any word."""

    def __init__(self, source: str, lexicon: Lexicon, table: Table | None = None) -> None:
        self.source = source
        self._text = _spaced(source)
        self._blocks: list[_Block] = []
        self._places: dict[int, list[int]] = {}
        if source.isascii() or _BEYOND.search(source) is None:
            self.words = self._text.split()
        else:
            self.words = []
            self._cut_all(lexicon)
        table = lexicon.table if table is None else table
        many = len(self.words) > MANY
        self.letters = table.letters(self.words) if many else "".join(map(table.__getitem__, self.words))

    def _end(self, at: int) -> int:
        """Where the block that begins there ends."""
        source = self.source
        end = source.find(" ", at + BLOCK) if at + BLOCK < len(source) else -1
        end = len(source) if end < 0 else end
        return at + UNBROKEN if end - at > UNBROKEN and source[at + UNBROKEN] > "\u3040" else end

    def _cut_all(self, lexicon: Lexicon) -> None:
        """The words of a text that has a script without spaces somewhere, block by block."""
        cutter, words = lexicon.cutter, self.words
        at = 0
        while at < len(self.source):
            end, first = self._end(at), len(words)
            text = self._text[at:end]
            cut = not text.isascii() and cutter.needed(text)
            words += cutter.cut(text) if cut else text.split()
            self._blocks.append(_Block(at, end, first, len(words), cut))
            at = end

    def _next(self) -> bool:
        """One block more, if the text goes on: blocks are told when somebody asks for places."""
        at, first = (self._blocks[-1].end, self._blocks[-1].last) if self._blocks else (0, 0)
        if at >= len(self.source):
            return False
        end = self._end(at)
        self._blocks.append(_Block(at, end, first, first + len(self._text[at:end].split()), False))
        return True

    def blocks(self) -> Iterator[tuple[int, int, str]]:
        """Of each part of the text where it stands, from and to, and its letters."""
        while self._next():
            pass
        for block in self._blocks:
            yield block.start, block.end, self.letters[block.first : block.last]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the words from `start` to before `end` stand in the text."""
        last = end - 1
        block = self._block(start)
        if block.cut or last >= block.last:
            return self._start(start), self._start(last) + len(self.words[last])
        rest = self._text[block.start : block.end].split(None, start - block.first)[-1]
        after = rest.split(None, last - start)[-1]
        return block.end - len(rest), block.end - len(after) + len(self.words[last])

    def _block(self, word: int) -> _Block:
        while (not self._blocks or self._blocks[-1].last <= word) and self._next():
            pass
        return self._blocks[bisect_right(self._blocks, word, key=_last)]

    def _start(self, word: int) -> int:
        block = self._block(word)
        nth, text = word - block.first, self._text[block.start : block.end]
        if not block.cut:
            return block.end - len(text.split(None, nth)[-1])
        places = self._places.get(block.start)
        if places is None:
            places = self._places[block.start] = []
            place = 0
            for each in self.words[block.first : block.last]:
                place = text.index(each, place)
                places.append(place)
                place += len(each)
        return block.start + places[nth]
