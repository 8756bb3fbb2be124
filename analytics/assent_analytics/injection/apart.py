"""Words whose letters stand apart (`i g n o r e`, `i.g.n.o.r.e`) or together (`ignoreprevious`, `igno repr evio`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

import re2

from assent_analytics.injection.lexicon import LEET, Lexicon
from assent_analytics.injection.segment import SMALL, Segmenter
from assent_analytics.injection.splice import Piece
from assent_analytics.injection.table import OTHER
from assent_analytics.injection.work import OPEN, OPENED, SPLIT, Work

_SPACED = re2.compile(
    rb"\b\w(?:[ \t]{1,4}\w){4,}\b|\S(?:[ \t]{1,3}\S){9,}|\b\w(?:[^\w\n]{3}\w){3,}\b|\?(?:[!-/:->@\[-`{-~]{1,3}\?){4,}"
)
_DOTTED = re2.compile(rb"\b\w(?:[^\w\s]{1,3}\w)+\b")
_DOTS = re2.compile(rb"\b\w(?:[^\w\s]{1,3}\w){2,}\b")
_LONG = re2.compile(rb"[A-Za-z0-9]{16,}")
_CHUNKS = re2.compile(
    b"|".join(rb"\b(?:[A-Za-z0-9]{%d} ){6,}[A-Za-z0-9]{1,%d}\b" % (many, many) for many in range(2, 7))
)
_ALL_HEX = re.compile("[0-9a-fA-F]+")
_GAP = re.compile(r"[ \t]{2,}")
SQUASHED = 400
"""Characters of a long word that are taken apart; the next ones are another word."""
WHOLE = 0.9
"""Of letters that stood apart, the share in known words from which on they are those words."""
COVERED = 0.35
"""Of a long word's letters, the share in words of three or more that has to be known."""


class Apart:
    """Of a long word at least two words of the lexicon that tell an attack have to be in it."""

    def __init__(self, segmenter: Segmenter, lexicon: Lexicon) -> None:
        self._segmenter = segmenter
        self._lexicon = lexicon
        self._keys = keys = lexicon.told
        looks = sorted({key.translate(LEET) for key in keys})
        self._any_key = re2.compile("|".join(map(re2.escape, looks)).encode())

    def spaced(self, text: str, raw: bytes, work: Work) -> Iterator[Piece]:
        """`raw` is `text` with one byte for each character."""
        # One dotted word is an abbreviation; where there are several, short ones count too.
        dotted = _DOTTED if len(list(islice(_DOTS.finditer(raw), 3))) == 3 else _DOTS
        for match in chain(_SPACED.finditer(raw), dotted.finditer(raw)):
            start, end = match.span()
            if not work.pay(OPEN, OPENED + SPLIT * (end - start), start, len(text)):
                break
            run = text[start:end]
            if run.replace(" ", "").isdigit():
                continue
            groups = _GAP.split(run)
            apart = run[1].isspace()
            joined = ["".join(char for char in group if (apart and char != " ") or char.isalnum()) for group in groups]
            words = joined if len(joined) > 1 else [self._words(joined[0])]
            yield Piece(start, end, " ".join(words), "spaced")

    def _words(self, joined: str) -> str:
        """One word as it is, unless it is made of known ones."""
        if self._lexicon.letter(joined.lower()) != OTHER:
            return joined
        split = self._segmenter.split(joined)
        covered = sum(len(part) for part in split.split() if part in SMALL or self._lexicon.letter(part) != OTHER)
        return split if covered > WHOLE * len(joined) else joined

    def squashed(self, text: str, raw: bytes, work: Work) -> Iterator[Piece]:
        """`raw` is `text` with one byte for each character."""
        for match in chain(_LONG.finditer(raw), _CHUNKS.finditer(raw)):
            start, end = match.span()
            if not work.pay(OPEN, OPENED, start, len(text)):
                break
            run = text[start:end].replace(" ", "")[:SQUASHED]
            if _ALL_HEX.fullmatch(run) or self._any_key.search(run.lower().translate(LEET).encode()) is None:
                continue
            if not work.pay(OPEN, SPLIT * len(run), start, len(text)):
                break
            words = self._segmenter.split(run)
            parts = words.split()
            covered = sum(len(part) for part in parts if len(part) > 2)
            if sum(part in self._keys for part in parts) > 1 and covered > COVERED * len(run):
                yield Piece(start, end, words, "squashed")
