"""Hidden text in a text: pieces in base64, hexadecimal, binary, escapes or entities, and letters that stand apart.

Each method gives what its pieces decode to.

Words whose letters stand apart (`i g n o r e`, `i.g.n.o.r.e`) or together (`ignoreprevious`, `igno repr evio`).
"""

from __future__ import annotations

import binascii
import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import re2

from assent_analytics.injection.lexicon import LEET, OTHER, SMALL, Lexicon, Segmenter
from assent_analytics.injection.splice import Piece
from assent_analytics.injection.work import OPEN, OPENED, SPLIT, ScanBudget

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

    def spaced(self, text: str, raw: bytes, work: ScanBudget) -> Iterator[Piece]:
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

    def squashed(self, text: str, raw: bytes, work: ScanBudget) -> Iterator[Piece]:
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


# Pieces of a text that hide another text: base64, hexadecimal, binary, escapes, URL and HTML entities, spaced letters.
#
# Each method looks for its own form with a linear expression and gives the pieces that decode to something readable. A
# blob is also tried reversed and after rot13, because those leave it a blob. How many are tried is bounded by `work`,
# how much of one by `LONGEST`.
#
# Expressions search bytes, one for each character (a `?` for what is not ASCII): that takes half the time of text.


LONGEST = 16 << 10
"""Characters of one blob that are decoded."""
CUT = 3000
"""Characters of a run of entities that are decoded together."""
DECODED = 0.01
CALLED = 0.2
"""Units (`work`) for each character that is decoded at once, and one by one."""
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)
SIGNS = (
    rb"[A-Za-z0-9+/_-]{16}|(?:[0-9A-Fa-f]{2}[ :,]){7}|%[0-9A-Fa-f]{2}|&(?:#[0-9xX]|[a-z]{2,8};)|\\[xu][0-9A-Fa-f]{2}"
    rb"|\b\w[^\w\n]\w[^\w\n]{1,3}\w[^\w\n]{1,3}\w\b|(?:[01]{8}[ ,]?){4}"
    rb"|\?[ -/:->@\[-`{-~]{1,3}\?[ -/:->@\[-`{-~]{1,3}\?[ -/:->@\[-`{-~]{1,3}\?"
)
"""What every piece has somewhere in it."""
_ANY = re2.compile(SIGNS)
_BASE64 = re2.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re2.compile(rb"(?:0x)?(?:[0-9A-Fa-f]{2}[ :,]?(?:0x)?){8,}")
_BINARY = re2.compile(rb"(?:[01]{8}[ ,]?){4,}")
_ESCAPES = re2.compile(rb"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]{1,6}\})+")
_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\u\{([0-9A-Fa-f]{1,6})\}")
_URL = re2.compile(rb"(?:%[0-9A-Fa-f]{2})+")
_HTML = re2.compile(rb"(?:&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});)+")


def _readable(raw: bytes) -> str | None:
    """The text, if it is one: UTF-8, and nearly all letters, digits and common punctuation."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    good = len(text) - sum(1 for char in text[:200] if not char.isprintable() and char not in "\n\t\r")
    return text if len(text) >= 4 and good >= len(text) - 2 else None


def _from_base64(blob: str) -> str | None:
    """Its beginning first: words and paths that look like base64 are no text after a few letters."""
    blob = blob.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        begun = binascii.a2b_base64(blob[:16])
        if any(byte < 9 or 13 < byte < 32 for byte in begun):
            return None
        whole = blob[: len(blob) - 1] if len(blob) % 4 == 1 else blob
        return _readable(binascii.a2b_base64(whole + "=" * (-len(whole) % 4)))
    except (binascii.Error, ValueError):
        return None


def _from_hex(blob: str) -> str | None:
    digits = blob.replace("0x", "").translate({32: None, 58: None, 44: None})
    try:
        return _readable(bytes.fromhex(digits))
    except ValueError:
        return None


def _from_binary(blob: str) -> str | None:
    bits = blob.replace(" ", "").replace(",", "")
    return _readable(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8)))


def _mixed(blob: str) -> bool:
    """Whether it may be base64 at all: words and paths have no digits and capitals among their letters."""
    return not blob.islower() and not blob.isupper() and not blob.isdigit()


def _blobs(text: str, raw: bytes, work: ScanBudget) -> Iterator[Piece]:
    for via, pattern, read in (
        ("binary", _BINARY, _from_binary),
        ("hex", _HEX, _from_hex),
        ("base64", _BASE64, _from_base64),
    ):
        for match in pattern.finditer(raw):
            start, end = match.span()
            blob = text[start : min(end, start + LONGEST)]
            if via == "base64" and not _mixed(blob):
                continue
            if not work.pay(OPEN, OPENED + DECODED * len(blob), start, len(text)):
                break
            for how, turned in (("", blob), ("rot13", blob.translate(_ROT13)), ("reversed", blob[::-1])):
                if how == "rot13" and via != "base64":
                    continue
                found = read(turned.lstrip("="))
                if found is not None:
                    if end - start > LONGEST:
                        work.miss(start + LONGEST, end)
                    yield Piece(start, end, f" {found} ", f"{how}+{via}" if how else via)
                    break


def _unescape(match: re.Match[str]) -> str:
    code = int(match[1] or match[2] or match[3], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


def _from_url(run: str) -> str:
    return bytes.fromhex(run.replace("%", "")).decode("utf-8", "replace")


def _from_escapes(run: str) -> str:
    return _ESCAPE.sub(_unescape, run)


def _entities(text: str, raw: bytes, work: ScanBudget) -> Iterator[Piece]:
    for via, pattern, opener, read, each in (
        ("url", _URL, "%", _from_url, DECODED),
        ("html", _HTML, "&", html.unescape, CALLED),
        ("escapes", _ESCAPES, "\\", _from_escapes, CALLED),
    ):
        if opener not in text:
            continue
        for start, end in _cut(text, pattern.finditer(raw), opener):
            if not work.pay(OPEN, OPENED + each * (end - start), start, len(text)):
                break
            run = text[start:end]
            found = read(run)
            if found != run:
                yield Piece(start, end, found, via)


def _cut(text: str, matches: Iterable[re.Match[bytes]], opener: str) -> Iterator[tuple[int, int]]:
    """Long runs of entities in parts, each of which begins with an `opener`."""
    for match in matches:
        start, end = match.span()
        while end - start > CUT:
            middle = text.rfind(opener, start + 1, start + CUT)
            yield start, middle
            start = middle
        yield start, end


class Decoder:
    """Finds everything in a text that decodes to something readable."""

    def __init__(self, segmenter: Segmenter, lexicon: Lexicon) -> None:
        self._apart = Apart(segmenter, lexicon)

    def pieces(self, text: str, raw: bytes, work: ScanBudget) -> list[Piece]:
        """In any order; they may overlap. `raw` is `text` with one byte for each character."""
        if _ANY.search(raw) is None:
            return []
        return [
            *_blobs(text, raw, work),
            *_entities(text, raw, work),
            *self._apart.spaced(text, raw, work),
            *self._apart.squashed(text, raw, work),
        ]
