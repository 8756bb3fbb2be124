"""Folding of a text, so that it is scanned as it is read: Unicode's many ways of writing a letter become one, and where
each came from is kept; and how a finding reads once its decodings are undone.

Character by character, so that a place in the folded text has a place in the original:

- compatibility forms (full width, mathematical alphabets, circled letters: NFKD) and accents go,
- what has no width goes (format characters, variation selectors, combining marks),
- tag characters become the ASCII that they hide,
- Latin letters that do not decompose (small capitals, strokes) become ASCII (`lookalikes.json`),
- punctuation and symbols beyond ASCII become a space.

Letters of other scripts stay what they are: a Russian word is one. Whether a word only looks like ASCII is asked of
each word that nobody knows (`skeleton`). Case stays as it is, for base64.
"""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate

_TABLES = json.loads(files(__package__).joinpath("lookalikes.json").read_text(encoding="utf-8"))
_LATIN: dict[str, str] = {char: letter for letter, chars in _TABLES["latin"].items() for char in chars}
_LATIN |= {"ß": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "þ": "th", "ð": "d"}
_LATIN |= dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’‚`´", "'")
_FOREIGN = {ord(char): letter for letter, chars in _TABLES["foreign"].items() for char in chars}
BLOCK = 256
"""Characters folded at a time; places are looked up in one block."""
FEW = 50
"""Characters that are replaced one after another: a translation of what is not ASCII takes longer."""
TAGS = 0xE0000


@lru_cache(maxsize=16384)
def folded(char: str) -> str:
    """What one character is read as; may be nothing, or several."""
    if char.isascii():
        return char
    code = ord(char)
    if TAGS + 0x20 <= code < TAGS + 0x7F:
        return chr(code - TAGS)
    if char in _LATIN:
        return _LATIN[char]
    if "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3":
        return char
    plain = "".join(_plain(part) for part in unicodedata.normalize("NFKD", char))
    return plain if len(plain.lower()) == len(plain) else plain.lower()


def _plain(char: str) -> str:
    if char.isascii():
        return char
    kind = unicodedata.category(char)
    if kind in {"Mn", "Me", "Cf"}:
        return ""
    if kind[0] in "PSZC":
        return " "
    # Half-width kana and the like come out of NFKD whole; marks of kana that stand alone went above.
    return _LATIN.get(char, char)


def skeleton(word: str) -> str:
    """A folded lower-case word with letters of other scripts read as the ASCII letters that they look like."""
    return word.translate(_FOREIGN)


class Folded:
    """A folded text. `straight` if every character stayed one character."""

    def __init__(self, original: str) -> None:
        self.straight = True
        self.text = self.original = original
        if original.isascii():
            return
        changed = {char: to for char in self._foreign() for to in [folded(char)] if char != to}
        self._longer = {char: len(to) - 1 for char, to in changed.items() if len(to) != 1}
        self.straight = all(len(to) == 1 for to in changed.values())
        self._ends: list[int] | None = None
        if len(changed) <= FEW and changed.keys().isdisjoint("".join(changed.values())):
            for char, to in changed.items():
                self.text = self.text.replace(char, to)
            return
        table = {ord(char): to for char, to in changed.items()}
        self.text = "".join(
            piece if piece.isascii() or changed.keys().isdisjoint(piece) else piece.translate(table)
            for piece in self._pieces()
        )

    def _foreign(self) -> set[str]:
        """Its characters that are not ASCII, and maybe others."""
        return set().union(*(piece for piece in self._pieces() if not piece.isascii()))

    def _pieces(self) -> Iterator[str]:
        return (self.original[at : at + BLOCK] for at in range(0, len(self.original), BLOCK))

    def _lengths(self) -> Iterator[int]:
        """How long each piece became."""
        longer = self._longer
        for piece in self._pieces():
            if piece.isascii():
                yield len(piece)
            elif len(longer) > FEW:
                yield len(piece) + sum(longer.get(char, 0) for char in piece)
            else:
                yield len(piece) + sum(piece.count(char) * more for char, more in longer.items())

    def _place(self, at: int) -> int:
        """The original's character that `at` came from."""
        if self._ends is None:
            self._ends = list(accumulate(self._lengths()))
        block = bisect_right(self._ends, at)
        seen = self._ends[block - 1] if block else 0
        for place in range(block * BLOCK, len(self.original)):
            seen += len(folded(self.original[place]))
            if seen > at:
                return place
        return len(self.original)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from `start` to before `end` stand in the original."""
        if self.straight:
            return start, end
        return self._place(start), self._place(max(start, end - 1)) + 1


def fold(text: str) -> Folded:
    """The text as it is read."""
    return Folded(text)


# What the characters of a finding read as: for whoever has to see why it was found.
#
# Decoding and folding have been done by the reading that holds them; what a view did word by word (rot13, reversed,
# leet, lookalikes) is done here again.


LONGEST = 200
"""Characters told."""
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)
_LEET = str.maketrans("0134578962@$+|!", "oieastbgbzastii")
"""One letter for each; which of two it was is not known, and people read both."""


def reads_as(text: str, via: tuple[str, ...]) -> str:
    """`text` is the piece of the reading, `via` how its words had to be read."""
    text = text[:LONGEST]
    if "lookalikes" in via:
        text = skeleton(text)
    if "rot13" in via:
        text = text.translate(_ROT13)
    if "reversed" in via:
        text = text[::-1]
    if "leet" in via:
        text = text.translate(_LEET)
    return " ".join(text.split())
