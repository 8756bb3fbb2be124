"""Digits and signs for letters (`1gn0r3 @ll`)."""

from __future__ import annotations

from collections.abc import Iterator

import re2

from assent_analytics.injection.lexicon import LEET, Lexicon, mixed
from assent_analytics.injection.table import Table
from assent_analytics.injection.words import BLOCK, Words

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
        self.table = Table(lexicon.words, lexicon.stems, lexicon.begin, self._meaning, self._sift)

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
