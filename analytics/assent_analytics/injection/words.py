"""The words of a text for the injection scan: where each stands, signs that stand for letters, and the parts worth
another look.

A folded text as words, and as the string of their letters (`lexicon`).

Words are what stands between spaces and punctuation. Chinese and Japanese have none, so there the lexicon's entries
are found inside a run of characters, longest first, and what is between them counts as one word for each `RUN`
characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import re2

from assent_analytics.injection.lexicon import LEET, LetterTable, Lexicon, mixed

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


def letters_of(text: str, lexicon: Lexicon) -> str:
    """The letters of a short ASCII text, as `Words` has them."""
    return "".join(map(lexicon.table.__getitem__, _spaced(text).split()))


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

    def __init__(self, source: str, lexicon: Lexicon, table: LetterTable | None = None) -> None:
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


# Digits and signs for letters (`1gn0r3 @ll`).


MARKED = (("@", "4"), ("$", "5"), ("|", "1"), ("+", "7"), ("!", "1"))
"""Signs as the digits that stand for the same letters: signs end words."""
SIGNS = rb"[a-z0-9][@$!|+][a-z0-9]|\b[@$][a-z]{2}|[ \n][@$][a-z0-9]{2}"
_SIGNS = re2.compile(SIGNS)
SHORT = 4
"""Where there is leet, numbers of fewer digits may be words too: 70 is `to`."""


class Leet:
    """Reads what is written so."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self.table = LetterTable(lexicon.words, lexicon.stems, lexicon.begin, self._meaning, self._sift)

    def read(self, text: str) -> tuple[Words, frozenset[str]]:
        """Its words, and those that have digits or signs for letters."""
        for sign, digit in MARKED:
            text = text.replace(sign, digit)
        words = Words(text, self._lexicon, self.table)
        odd = self._sift([word for word in set(words.words) if not word.isalpha()])
        told = {word for word in odd if self._plain(word) is not None}
        changed = frozenset(word for word in told if mixed(word))
        return words, frozenset(told) if changed else changed

    def _plain(self, word: str) -> str | None:
        """What the word says, if it is written with digits."""
        if word.isalpha():
            return None
        if word.isdigit():
            return self._lexicon.leet.get(word.translate(LEET)) if len(word) < SHORT else None
        # A ! at the end of a word was one.
        plain = self._lexicon.unleet(word) or self._lexicon.unleet(word.rstrip("1"))
        return plain if plain != word else None

    def _sift(self, words: list[str]) -> list[str]:
        """Those that may have a meaning; a ! at the end of a word became a 1."""
        return [*{*self._lexicon.sift(words), *(word for word in words if word.endswith("1"))}]

    def _meaning(self, word: str) -> str:
        plain = self._plain(word)
        return self._lexicon.table[word if plain is None else plain]


def signed(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a text in lower case that have signs for letters."""
    if any(sign in text for sign, _ in MARKED):
        raw = text.encode("ascii", "replace")
        for start in range(0, len(raw), BLOCK):
            if _SIGNS.search(raw, start, start + BLOCK + 4) is not None:
                yield start, min(start + BLOCK, len(raw))


# Parts of a text that are worth another look, because a word in them gives something away.


WHOLE = 8192
"""Characters up to which a text is one part."""
AROUND = 500
"""Characters before and after such a part that belong to it."""


def parts_with(words: Words, sign: re.Pattern[str]) -> list[tuple[int, int]]:
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
