"""Ways of writing a text so that a word list does not see it."""

from __future__ import annotations

import base64
import codecs
import random
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

LOOKALIKE = str.maketrans("aceopxyiACEOPXBHKMT", "асеорхуіАСЕОРХВНКМТ")
ACCENT = "\u0301\u0308\u0302\u0327"


def _wide(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def _math(text: str) -> str:
    def one(char: str) -> str:
        if "a" <= char <= "z":
            return chr(0x1D41A + ord(char) - ord("a"))
        return chr(0x1D400 + ord(char) - ord("A")) if "A" <= char <= "Z" else char

    return "".join(map(one, text))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _leet(text: str) -> str:
    return text.translate(str.maketrans("aeiostAEIOST", "431057431057"))


def _zero_width(text: str) -> str:
    return "\u200b".join(text)


def _accents(text: str) -> str:
    pick = random.Random(7)
    return unicodedata.normalize(
        "NFC", "".join(char + pick.choice(ACCENT) if char in "aeioucnsAEIOUCNS" else char for char in text)
    )


def _entities(text: str) -> str:
    return "".join(f"&#{ord(char)};" for char in text)


def _percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


TRANSFORMS: dict[str, Callable[[str], str]] = {
    "full width": _wide,
    "math letters": _math,
    "zero width": _zero_width,
    "tag characters": lambda text: "".join(chr(0xE0000 + ord(c)) if 31 < ord(c) < 127 else c for c in text),
    "lookalikes": lambda text: text.translate(LOOKALIKE),
    "accents": _accents,
    "leet": _leet,
    "spaced": lambda text: "   ".join(" ".join(word) for word in text.split()),
    "dotted": lambda text: " ".join(".".join(word) for word in text.split()),
    "base64": _base64,
    "hex": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "url": _percent,
    "url, usual": quote,
    "html": _entities,
    "escapes": lambda text: "".join(f"\\u{ord(char):04x}" if ord(char) < 0x10000 else char for char in text),
    "base64 twice": lambda text: _base64(_base64(text)),
    "base64 in url": lambda text: quote(_base64(text)),
    "rot13 in base64": lambda text: _base64(codecs.encode(text, "rot13")),
    "hex in base64": lambda text: _base64(text.encode().hex()),
    "html in url": lambda text: quote(_entities(text)),
    "lookalikes in html": lambda text: _entities(text.translate(LOOKALIKE)),
}
