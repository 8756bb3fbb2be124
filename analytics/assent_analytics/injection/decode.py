"""Pieces of a text that hide another text: base64, hexadecimal, binary, escapes, URL and HTML entities, spaced letters.

Each method looks for its own form with a linear expression and gives the pieces that decode to something readable.
A blob is also tried reversed and after rot13, because those leave it a blob. `BLOBS` and `PIECES` bound how many are
tried, `LONGEST` how much of one; what is beyond them is not looked into.
"""

from __future__ import annotations

import binascii
import html
import re
from collections.abc import Iterator
from itertools import chain, islice
from urllib.parse import unquote

import re2

from assent_analytics.injection.segment import Segmenter
from assent_analytics.injection.splice import Piece

BLOBS = 100
PIECES = 1000
LONGEST = 16 << 10
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)
_ANY = re2.compile(
    r"[A-Za-z0-9+/_-]{16}|(?:[0-9A-Fa-f]{2}[ :,]){7}|%[0-9A-Fa-f]{2}|&(?:#[0-9xX]|[a-z]{2,8};)|\\[xu][0-9A-Fa-f]{2}"
    r"|\b\w[^\w\n]\w[^\w\n]{1,3}\w[^\w\n]{1,3}\w\b|(?:[01]{8}[ ,]?){4}"
)
_BASE64 = re2.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re2.compile(r"(?:0x)?(?:[0-9A-Fa-f]{2}[ :,]?(?:0x)?){8,}")
_BINARY = re2.compile(r"(?:[01]{8}[ ,]?){4,}")
_ESCAPES = re2.compile(r"(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\u\{[0-9A-Fa-f]{1,6}\})+")
_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u([0-9A-Fa-f]{4})|\\u\{([0-9A-Fa-f]{1,6})\}")
_URL = re2.compile(r"(?:%[0-9A-Fa-f]{2})+")
_HTML = re2.compile(r"(?:&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});)+")
_SPACED = re2.compile(r"\b\w(?:[ \t]{1,4}\w){4,}\b|\S(?:[ \t]{1,3}\S){9,}|\b\w(?:[^\w\n]{3}\w){3,}\b")
_DOTTED = re2.compile(r"\b\w(?:[^\w\s]{1,3}\w)+\b")
_DOTS = re2.compile(r"\b\w(?:[^\w\s]{1,3}\w){2,}\b")
_LONG = re2.compile(r"[A-Za-z0-9]{16,}")
_ALL_HEX = re.compile("[0-9a-fA-F]+")
SQUASHED = 400
COVERED = 0.35
"""Of a long word's letters, the share in words of three or more that has to be known."""
_CHUNKS = re2.compile("|".join(rf"\b(?:[A-Za-z0-9]{{{many}}} ){{6,}}[A-Za-z0-9]{{1,{many}}}\b" for many in range(2, 7)))
_GAP = re.compile(r"[ \t]{2,}")


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


def _blobs(text: str) -> Iterator[Piece]:
    for via, pattern, read in (
        ("binary", _BINARY, _from_binary),
        ("hex", _HEX, _from_hex),
        ("base64", _BASE64, _from_base64),
    ):
        for tried, match in enumerate(pattern.finditer(text)):
            if tried == BLOBS:
                break
            blob = match.group()[:LONGEST]
            if via == "base64" and not _mixed(blob):
                continue
            for how, turned in (("", blob), ("rot13", blob.translate(_ROT13)), ("reversed", blob[::-1])):
                if how == "rot13" and via != "base64":
                    continue
                found = read(turned.lstrip("="))
                if found is not None:
                    yield Piece(match.start(), match.end(), f" {found} ", f"{how}+{via}" if how else via)
                    break


def _unescape(match: re.Match[str]) -> str:
    code = int(match[1] or match[2] or match[3], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


def _entities(text: str) -> Iterator[Piece]:
    for via, pattern, read in (
        ("url", _URL, unquote),
        ("html", _HTML, html.unescape),
        ("escapes", _ESCAPES, lambda found: _ESCAPE.sub(_unescape, found)),
    ):
        for match in islice(pattern.finditer(text), PIECES):
            found = read(match.group())
            if found != match.group():
                yield Piece(match.start(), match.end(), found, via)


def _spaced(text: str, segmenter: Segmenter) -> Iterator[Piece]:
    # One dotted word is an abbreviation; where there are several, short ones count too.
    dotted = _DOTTED if len(list(islice(_DOTS.finditer(text), 3))) == 3 else _DOTS
    for match in chain(islice(_SPACED.finditer(text), PIECES), islice(dotted.finditer(text), PIECES)):
        run = match.group()
        if run.replace(" ", "").isdigit():
            continue
        groups = _GAP.split(run)
        apart = run[1].isspace()
        joined = ["".join(char for char in group if (apart and char != " ") or char.isalnum()) for group in groups]
        words = joined if len(joined) > 1 else [segmenter.split(joined[0])]
        yield Piece(match.start(), match.end(), " ".join(words), "spaced")


def _squashed(text: str, segmenter: Segmenter, keys: frozenset[str]) -> Iterator[Piece]:
    for tried, match in enumerate(chain(_LONG.finditer(text), _CHUNKS.finditer(text))):
        if tried == BLOBS:
            break
        run = match.group().replace(" ", "")[:SQUASHED]
        if _ALL_HEX.fullmatch(run):
            continue
        words = segmenter.split(run)
        parts = words.split()
        covered = sum(len(part) for part in parts if len(part) > 2)
        if sum(part in keys for part in parts) > 1 and covered > COVERED * len(run):
            yield Piece(match.start(), match.end(), words, "squashed")


def pieces(text: str, segmenter: Segmenter, keys: frozenset[str]) -> list[Piece]:
    """Everything in `text` that decodes to something readable. Of a long word at least two `keys` have to be in it."""
    if _ANY.search(text) is None:
        return []
    return [*_blobs(text), *_entities(text), *_spaced(text, segmenter), *_squashed(text, segmenter, keys)]
