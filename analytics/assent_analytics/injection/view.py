"""One reading of a text, and every rule that holds in it.

A reading is the folded text, or one in which pieces were decoded. Beside its words as they stand it is read with
letters for digits (leet), reversed, and after rot13, each only where a word gives it away.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import partial
from itertools import islice
from typing import NamedTuple

import re2

from assent_analytics.injection.fold import skeleton
from assent_analytics.injection.lexicon import LEET, OTHER, ROT13, Lexicon
from assent_analytics.injection.markup import Markup
from assent_analytics.injection.rules import Rule, Rules
from assent_analytics.injection.words import Words

QUOTES = "\"'`"
FAR = 30
CLOSE = 24
MIXED = 10_000
"""Words with digits among letters that are tried as leet."""
NEAR = 8
"""Words before and after a hit in which talk about attacks, or a `not`, is looked for."""
MARKED = (("@", "4"), ("$", "5"), ("|", "1"), ("+", "7"), ("!", "1"))
"""Signs as the digits that stand for the same letters: signs end words."""
_SIGNS = re2.compile(r"[a-z0-9][@$!|+][a-z0-9]|\b[@$][a-z]{2}|[ \n][@$][a-z0-9]{2}")


class Evidence(NamedTuple):
    """A rule held at these characters of the reading. `via` is how the words had to be read; `mentions` how many
    words near it speak of attacks; `negated` if a `not` stands before; `protects` how many
    words around it are of somebody who protects instructions."""

    rule: Rule
    start: int
    end: int
    via: tuple[str, ...]
    mentions: int
    negated: bool
    protects: int


class Reader:
    """The rules of words and of markup, ready to read."""

    def __init__(self) -> None:
        self.rules = Rules()
        self.markup = Markup()
        self.lexicon = self.rules.lexicon
        self._mention = frozenset(self.lexicon.letters("mention"))
        self._not = frozenset(self.lexicon.letters("negation"))
        self._protect = frozenset(self.lexicon.letters("protect"))
        self._turned = {way: frozenset(self.lexicon.letters(way)) for way in ("rot13", "reversed")}

    def read(self, text: str) -> tuple[Words, list[Evidence]]:
        """The plain words of a reading in lower case, and all evidence."""
        disguised: set[str] = set()
        words = Words(text, self.lexicon, partial(_meaning, self.lexicon, disguised))
        found = [Evidence(hit.rule, hit.start, hit.end, (), 0, False, 0) for hit in self.markup.hits(text)]
        found += self._hits(words, words.letters, lambda start, end: (start, end), (), disguised)
        seen = set(words.letters)
        if not seen.isdisjoint(self._turned["reversed"]):
            found += self._reversed(words)
        if not seen.isdisjoint(self._turned["rot13"]):
            turned = text.translate(ROT13)
            found += [
                Evidence(hit.rule, hit.start, hit.end, ("rot13",), 0, False, 0) for hit in self.markup.hits(turned)
            ]
            letters = Words(turned, self.lexicon).letters
            found += self._hits(words, letters, lambda start, end: (start, end), ("rot13",))
        if self._has_leet(words, text):
            found += self._leet(text)
        return words, found

    def _has_leet(self, words: Words, text: str) -> bool:
        leet = self.lexicon.leet
        mixed = (word for word in set(words.words) if not word.isalpha() and not word.isdigit())
        return any(word.translate(LEET) in leet for word in islice(mixed, MIXED)) or _SIGNS.search(text) is not None

    def _reversed(self, words: Words) -> list[Evidence]:
        """The text from its end, and each word from its end where it stands."""
        size = len(words.source)
        turned = words.source[::-1]
        backward = Words(turned, self.lexicon)
        found = [
            Evidence(hit.rule, hit.start, hit.end, ("reversed",), 0, False, 0) for hit in self.markup.hits(turned)
        ] + self._hits(backward, backward.letters, lambda start, end: (start, end), ("reversed",))
        found = [one._replace(start=size - one.end, end=size - one.start) for one in found]
        table = {word: self.lexicon.letter(word[::-1]) for word in set(words.words)}
        letters = "".join(map(table.__getitem__, words.words))
        return found + self._hits(words, letters, lambda start, end: (start, end), ("reversed",))

    def _leet(self, text: str) -> list[Evidence]:
        """Words with digits and signs for letters."""
        changed: dict[str, str] = {}

        def more(table: dict[str, str]) -> dict[str, str]:
            leet = self.lexicon.leet
            mixed = (word for word in table if not word.isalpha() and not word.isdigit())
            for word in islice(mixed, MIXED):
                # A ! at the end of a word was one.
                plain = leet.get(word.translate(LEET)) or leet.get(word.rstrip("1").translate(LEET))
                if plain is not None and plain != word:
                    changed[word] = self.lexicon.words[plain]
            if changed:
                # Where there is leet, short numbers may be words too: 70 is `to`.
                for word in islice((word for word in table if word.isdigit() and len(word) < 4), MIXED):
                    if word.translate(LEET) in leet:
                        changed[word] = self.lexicon.words[leet[word.translate(LEET)]]
            return changed

        for sign, digit in MARKED:
            text = text.replace(sign, digit)
        words = Words(text, self.lexicon, more=more)
        found = self._hits(words, words.letters, lambda start, end: (start, end), ("leet",), changed.keys())
        return found if changed else []

    def _hits(
        self,
        words: Words,
        letters: str,
        place: Callable[[int, int], tuple[int, int]],
        via: tuple[str, ...],
        disguised: Set[str] | None = None,
    ) -> list[Evidence]:
        found = []
        for hit in self.rules.hits(letters):
            first, last = place(hit.start, hit.end)
            around = letters[max(0, hit.start - NEAR) : hit.start] + letters[hit.end : hit.end + NEAR]
            if disguised is not None and disguised.isdisjoint(words.words[first:last]):
                if via:
                    continue
                how = via
            else:
                how = via or ("lookalikes",) if disguised is not None else via
            start, end = words.span(first, last)
            mentions = (
                0 if via else sum(letter in self._mention for letter in around) + 2 * _quoted(words.source, start, end)
            )
            negated = any(letter in self._not for letter in letters[max(0, hit.start - 5) : hit.start])
            wide = letters[max(0, hit.start - FAR) : hit.start] + letters[hit.end : hit.end + FAR]
            protects = sum(letter in self._protect for letter in wide)
            found.append(Evidence(hit.rule, start, end, how, mentions, negated, protects))
        return found


def _quoted(text: str, start: int, end: int) -> bool:
    """Whether these words are what somebody is quoted with, inside a sentence that says more."""
    opened = max(text.rfind(mark, max(0, start - CLOSE), start) for mark in QUOTES)
    return opened >= CLOSE // 2 and any(mark in text[end : end + CLOSE] for mark in QUOTES)


def _meaning(lexicon: Lexicon, disguised: set[str], word: str) -> str:
    """A word's letter; one that nobody knows and that is not ASCII is asked for as what it looks like."""
    letter = lexicon.letter(word)
    if letter == OTHER and not word.isascii():
        letter = lexicon.letter(skeleton(word))
        if letter != OTHER:
            disguised.add(word)
    return letter
