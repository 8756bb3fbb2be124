"""A folded text as words, and as the string of their letters (`lexicon`).

Words are what stands between spaces and punctuation. Chinese and Japanese have none, so there the lexicon's entries
are found inside a run of characters, longest first, and what is between them counts as one word for each `RUN`
characters.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from assent_analytics.injection.lexicon import Lexicon, Table

BLOCK = 1024
"""Characters split at a time; a word's place is looked up in one block."""
UNBROKEN = 4096
"""Characters of a script without spaces that are split at a time where there is no space either; an entry across that
place is not seen."""
MANY = 1000
"""Words from which on those that are new are learnt together."""
_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}


_SIGNS = frozenset(map(chr, _SPACES))


def _spaced(text: str) -> str:
    """The text with spaces for punctuation; what is not ASCII translates slowly, so there each sign is replaced."""
    if text.isascii():
        return text.translate(_SPACES)
    for sign in _SIGNS.intersection(text):
        text = text.replace(sign, " ")
    return text


class _Block(NamedTuple):
    """From `start` on a source says `text`, with spaces for punctuation; its first word is the `first` of all. `cut` if
    spaces alone do not tell its words."""

    start: int
    first: int
    text: str
    cut: bool


def _first(block: _Block) -> int:
    return block.first


class Words:
    """`words` and, one for each, `letters`; `source` is the text. `table` gives the letter of any word."""

    def __init__(self, source: str, lexicon: Lexicon, table: Table | None = None) -> None:
        self.source = source
        self.words: list[str] = []
        self._blocks: list[_Block] = []
        self._places: dict[int, list[int]] = {}
        cutter = lexicon.cutter
        at = 0
        while at < len(source):
            end = source.find(" ", at + BLOCK)
            end = len(source) if end < 0 else end
            if end - at > UNBROKEN and source[at + UNBROKEN] > "\u3040":
                end = at + UNBROKEN
            text = _spaced(source[at:end])
            cut = not text.isascii() and cutter.needed(text)
            self._blocks.append(_Block(at, len(self.words), text, cut))
            self.words += cutter.cut(text) if cut else text.split()
            at = end
        table = lexicon.table if table is None else table
        known = table.learn(self.words) if len(self.words) > MANY else table
        self.letters = "".join(map(known.__getitem__, self.words))

    def blocks(self) -> Iterator[tuple[int, int, str]]:
        """Of each part of the text where it stands, from and to, and its letters."""
        for at, block in enumerate(self._blocks):
            until = self._blocks[at + 1].first if at + 1 < len(self._blocks) else len(self.words)
            yield block.start, block.start + len(block.text), self.letters[block.first : until]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the words from `start` to before `end` stand in the text."""
        last = end - 1
        return self._start(start), self._start(last) + len(self.words[last])

    def _start(self, word: int) -> int:
        at = bisect_right(self._blocks, word, key=_first) - 1
        block = self._blocks[at]
        nth = word - block.first
        if not block.cut:
            return block.start + len(block.text) - len(block.text.split(None, nth)[-1])
        places = self._places.get(block.start)
        if places is None:
            places = self._places[block.start] = []
            until = self._blocks[at + 1].first if at + 1 < len(self._blocks) else len(self.words)
            place = 0
            for each in self.words[block.first : until]:
                place = block.text.index(each, place)
                places.append(place)
                place += len(each)
        return block.start + places[nth]
