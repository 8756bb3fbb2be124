"""The letter of any word: looked up, or found out and remembered.

Texts say most of their words again and again, so a word is looked at once. Of long texts only those words are looked at
that may have a meaning, told from the others by one search over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from string import ascii_letters

import re2

OTHER = " "
"""The letter of words without a meaning."""
REMEMBERED = 20_000
"""Words of texts whose letter is remembered; beyond that all are forgotten, and learnt anew."""
LONGEST = 40
"""Characters of a word that is remembered."""
_PLAIN = f"{ascii_letters} ".encode()


class Table(dict[str, str]):
    """The letter of any word: of `known` ones at once, of others by `meaning`, which is remembered. Words of ASCII
    letters that begin as none of the `stems`, and from their end as none of the `endings`, have none; of all others
    those may have one that `sift` leaves."""

    def __init__(
        self,
        known: dict[str, str],
        stems: Iterable[str],
        endings: Iterable[str],
        meaning: Callable[[str], str],
        sift: Callable[[list[str]], list[str]],
    ) -> None:
        super().__init__(known)
        begin = "|".join(sorted(stem for stem in stems if stem.isascii())) or "$^"
        end = "|".join(sorted(ending[::-1] for ending in endings)) or "$^"
        self._may_mean = re2.compile(rf"\b(?:{begin})[a-zA-Z]*|[a-zA-Z]*(?:{end})\b".encode())
        self._known = known
        self._meaning = meaning
        self._sift = sift

    def __missing__(self, word: str) -> str:
        letter = self._meaning(word)
        if len(word) <= LONGEST:
            self._remember({word: letter})
        return letter

    def letters(self, words: list[str]) -> str:
        """The letter of each word of a long text. Most words are told to mean nothing without looking at each."""
        unknown = set(words)
        if len(unknown) > REMEMBERED or sum(map(len, unknown)) > REMEMBERED * LONGEST:
            # Too many to remember. A copy, because another thread may make this table forget.
            known = {**self._known, **self}
            unknown.difference_update(known)
            known |= {word: self._meaning(word) for word in self._telling(unknown)}
            return "".join(map(known.get, words, repeat(OTHER)))
        unknown = {word for word in unknown if word not in self}.difference(self._known)
        new = {word: self._meaning(word) for word in self._telling(unknown)}
        self._remember(dict.fromkeys(unknown, OTHER) | new)
        return "".join(map(self.__getitem__, words))

    def _telling(self, words: set[str]) -> Iterator[str]:
        """Those that may have a meaning."""
        joined = " ".join(words)
        raw = joined.encode("ascii", "replace")
        for match in self._may_mean.finditer(raw):
            word = match[0].decode()
            if word in words:
                yield word
        if raw.translate(None, _PLAIN):
            yield from self._sift([word for word in words if not (word.isalpha() and word.isascii())])

    def _remember(self, letters: dict[str, str]) -> None:
        if len(self) + len(letters) > len(self._known) + REMEMBERED:
            self.forget()
        self.update(letters)

    def forget(self) -> None:
        """Only what was known at first stays."""
        self.clear()
        self.update(self._known)
