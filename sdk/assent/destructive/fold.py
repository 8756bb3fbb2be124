"""What a text says, whatever it is written with: one spelling for each word before words are compared.

NFKC, case folding, no accents on Latin, Greek and Cyrillic letters, and no characters that nobody sees (zero-width,
soft hyphens, bidi controls). A word that mixes Latin letters with Cyrillic or Greek ones is read as Latin.
"""

from __future__ import annotations

import re
from unicodedata import category

from assent.normal import normal

_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])")
_ACCENTS = dict.fromkeys(range(0x300, 0x370))
_LATIN = re.compile(r"[a-z]")
_ALIKE = str.maketrans("абвгдеѕіјкӏмнорсԛтуѡхһԁԍαβεικμνορτυχγω", "abbrdesijkimhopcqtywxhdgabeikmvoptuxyw")
_MIXED = re.compile(r"[a-z]*(?:[a-z][α-ωа-ԯ]|[α-ωа-ԯ][a-z])[a-zα-ωа-ԯ]*")


def folded(text: str) -> str:
    """The text in the spelling of the table. `deleteAllUsers` is three words, and spaces are single ones."""
    # Most goals have a capital at their beginning alone, and single spaces.
    if not text[1:].islower():
        text = _JOINED.sub(" ", text)
    if "  " in text or not text.isprintable():
        text = _SPACES.sub(" ", text)
    if text.isascii():
        return text.lower()
    text = normal("NFKC", text).casefold()
    if not text.isascii():
        text = "".join(each for each in text if category(each) not in ("Cf", "Cc") or each in "\n\t")
        text = normal("NFC", normal("NFD", text).translate(_ACCENTS))
        if _LATIN.search(text):
            text = _MIXED.sub(lambda found: found[0].translate(_ALIKE), text)
    return text
