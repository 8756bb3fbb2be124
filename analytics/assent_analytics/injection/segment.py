"""Words of a text that has lost its spaces: the lexicon's and common small ones, the longest that fit together."""

from __future__ import annotations

from collections.abc import Iterable

from assent_analytics.injection.lexicon import LEET

_SMALL = """
a an and are as at be by can do for from has have how i if in into is it its me my not now of on or our out please so
than that the their them then there they this to up us was we what when who will with would you your
"""
SMALL = frozenset(_SMALL.split())
MOST = 4000
"""Characters looked at; what is beyond stays as it is."""


class Segmenter:
    """Knows words by how they look in leet."""

    def __init__(self, lexicon: Iterable[str]) -> None:
        words = SMALL | {word for word in lexicon if len(word) > 2 and word.isascii() and word.isalpha()}
        self._words = {word.translate(LEET): word for word in sorted(sorted(words, reverse=True), key=len)}
        lengths: dict[str, set[int]] = {}
        for looks in self._words:
            lengths.setdefault(looks[:2], set()).add(len(looks))
        self._lengths = {start: sorted(many) for start, many in lengths.items()}

    def split(self, text: str) -> str:
        """`text` as its words: the split with the largest sum of squared lengths of known words."""
        looks = text[:MOST].lower().translate(LEET)
        words, lengths, size = self._words, self._lengths, len(looks)
        best, length = [0] * (size + 1), [1] * (size + 1)
        for at in range(size - 1, -1, -1):
            most, chosen = best[at + 1], 1
            for many in (1, *lengths.get(looks[at : at + 2], ())):
                if at + many <= size and many * many + best[at + many] > most and looks[at : at + many] in words:
                    most, chosen = many * many + best[at + many], many
            best[at], length[at] = most, chosen
        parts: list[str] = []
        at = unknown = 0
        while at < size:
            word = words.get(looks[at : at + length[at]])
            if word is not None:
                parts += [text[unknown:at], word]
                unknown = at + length[at]
            at += length[at]
        parts.append(text[unknown:])
        return " ".join(part for part in parts if part)
