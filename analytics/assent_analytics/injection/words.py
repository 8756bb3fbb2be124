"""A folded text as words, and as the string of their letters (`lexicon`).

Words are what stands between spaces and punctuation. Chinese and Japanese have none, so there the lexicon's entries
are found inside a run of characters, longest first, and what is between them counts as one word for each `RUN`
characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from assent_analytics.injection.lexicon import OTHER, STEM, Lexicon

RUN = 4
BLOCK = 4096
"""Characters split at a time; a word's place is looked up in one block."""
_SPACES = {code: " " for code in range(128) if not chr(code).isalnum()}
_SPACELESS = "\u3040-\u9fff\uac00-\ud7a3"
_HAS_SPACELESS = re.compile(f"[{_SPACELESS}]")
_RUNS = re.compile(f"([{_SPACELESS}]+)|[^ {_SPACELESS}]+")


class _Block(NamedTuple):
    """From `start` on a source says `text`, with spaces for punctuation; its first word is the `first` of all. `places`
    are where its words begin, if spaces do not tell."""

    start: int
    first: int
    text: str
    places: list[int] | None


def _first(block: _Block) -> int:
    return block.first


class Words:
    """`words` and, one for each, `letters`; `source` is the text. `meaning` gives the letter of a word that is not in
    the lexicon as it stands; `more` gives letters to words of a table that has none for them."""

    def __init__(
        self,
        source: str,
        lexicon: Lexicon,
        meaning: Callable[[str], str] | None = None,
        more: Callable[[dict[str, str]], dict[str, str]] | None = None,
    ) -> None:
        self.source = source
        self.words: list[str] = []
        self._blocks: list[_Block] = []
        at = 0
        while at < len(source):
            end = source.find(" ", at + BLOCK)
            end = len(source) if end < 0 else end
            text = source[at:end].translate(_SPACES)
            places: list[int] | None = None
            if not text.isascii() and _HAS_SPACELESS.search(text):
                places = []
                self._blocks.append(_Block(at, len(self.words), text, places))
                self._cut(text, places, lexicon)
            else:
                self._blocks.append(_Block(at, len(self.words), text, None))
                self.words += text.split()
            at = end
        known, stems, of = lexicon.words, lexicon.stems, meaning or lexicon.letter
        table = {
            word: known.get(word) or (of(word) if word[:STEM] in stems or not word.isascii() else OTHER)
            for word in set(self.words)
        }
        if more is not None:
            table |= more(table)
        self.letters = "".join(map(table.__getitem__, self.words))

    def _cut(self, text: str, places: list[int], lexicon: Lexicon) -> None:
        words, entries = self.words, lexicon.spaceless
        for match in _RUNS.finditer(text):
            base = match.start()
            if not match[1]:
                words.append(match[0])
                places.append(base)
                continue
            run, at, begun = match[0], 0, 0
            while at < len(run):
                found = ""
                for entry in entries.get(run[at], ()):
                    if run.startswith(entry, at):
                        found = entry
                        break
                if not found and at - begun < RUN:
                    at += 1
                    continue
                if at > begun:
                    words.append(run[begun:at])
                    places.append(base + begun)
                if found:
                    words.append(found)
                    places.append(base + at)
                    at += len(found)
                begun = at
            if at > begun:
                words.append(run[begun:])
                places.append(base + begun)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the words from `start` to before `end` stand in the text."""
        last = end - 1
        return self._start(start), self._start(last) + len(self.words[last])

    def _start(self, word: int) -> int:
        block = self._blocks[bisect_right(self._blocks, word, key=_first) - 1]
        nth = word - block.first
        if block.places is not None:
            return block.start + block.places[nth]
        return block.start + len(block.text) - len(block.text.split(None, nth)[-1])
