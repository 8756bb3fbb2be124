"""What strangers wrote, on one line in which everything is seen that is there: for whoever decides by it.

A line break, a tab and each blank that is no U+0020 has a sign of its own, and whatever else is not seen, or steers, a
replacement mark; so has one of these signs that stands in the text itself. Of more than three in a row the number is
said: `⏎×3,003`. Spaces in a row are one, but in a value each that could be missed has a sign, too: at an end, beside
another one, or beside a break or a tab. Of blanks it is not told which they are, nor of breaks. A selector that makes a
picture of the symbol before it is left out.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

BREAK, TAB, BLANK, UNSEEN = "⏎", "⇥", "␣", "\N{REPLACEMENT CHARACTER}"
IN_A_ROW, MOST_PARAGRAPHS = 3, 200
STEERING = frozenset({"Cc", "Cf", "Cs"})
"""Categories of what steers terminals, turns the reading direction, or is not seen."""
HIDDEN = STEERING | {"Co"}
"""What Co is drawn as is up to a font."""

_IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default_Ignorable_Code_Point of DerivedCoreProperties.txt, and the blank Braille pattern."""

_BREAKS = frozenset("\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_RUN = re.compile(rf" *{BREAK}(?: *{BREAK})* *|{TAB}+|{BLANK}+")
_SPACES = re.compile(rf"^ +| +$| {{2,}}| (?=[{BREAK}{TAB}{BLANK}])|(?<=[{BREAK}{TAB}{BLANK}]) ")
_AFTER_BREAK = re.compile(rf"({BREAK}+(?:×[\d,]+)?) ")
_NUMBER_SAID = re.compile(rf"(?<=[{BREAK}{TAB}{BLANK}])×")
_PICTURE = re.compile("([\u203c\u2049\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff])\ufe0f")
_NUMBER = re.compile(
    r"[+-]?(?:\d[\d_.,'’]*|[.,]\d+)(?:e[+-]?\d+)?|[+-]?0[xob][\da-f_]+|[+-]?inf(?:inity)?", re.IGNORECASE
)
_WORDS = frozenset({"", "true", "false", "null", "none", "nan", "undefined"})
_AROUND = frozenset({("[", "]"), ("{", "}"), ('"', '"')})


def visible(text: object) -> str:
    """The text on one line."""
    return _one_line(_signs("" if text is None else str(text)))


def visible_name(name: str) -> str:
    """A name on one line; in quotes where a blank of it could be missed: at its ends, two in a row, or no space."""
    if not differs_by_blanks(name):
        return visible(name)
    return f'"{visible_text(name)}"'


def visible_value(value: object) -> str:
    """A value of JSON on one line, no blank of it missed: a text as it is, but in quotes where it would read as a
    number, a truth value, nothing, a list, an object or a text in quotes; anything else as JSON."""
    if isinstance(value, str) and not _reads_otherwise(value):
        return visible_text(value)
    return visible_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def visible_text(text: str) -> str:
    """The text on one line, with a sign for each space that could be missed."""
    return _one_line(_SPACES.sub(lambda run: BLANK * len(run[0]), _signs(text)))


def _one_line(signs: str) -> str:
    """Single spaces, and many signs in a row by their number; spaces first, which a search for runs goes over again."""
    single = " ".join(signs.split())
    if single.isascii():
        return single
    return " ".join(_RUN.sub(_counted, _NUMBER_SAID.sub(UNSEEN, single)).split())


def paragraphs(shown: str) -> str:
    """What one of these functions made of a text, with a line of its own after each of the first breaks. The signs
    stay, so that none is there without one."""
    return _AFTER_BREAK.sub(r"\1" "\n", shown, count=MOST_PARAGRAPHS)


def differs_by_blanks(name: str) -> bool:
    """Whether it has other blanks than single spaces inside."""
    return name != plain_blanks(name)


def plain_blanks(name: str) -> str:
    """The name with single spaces inside, and no other blanks."""
    return " ".join("".join(" " if char in _BLANK_LETTERS else char for char in name).split())


def _signs(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_sign, _PICTURE.sub(r"\1", text.replace("\r\n", "\n"))))


def is_ignorable(char: str) -> bool:
    """Whether nothing is drawn of a character."""
    code = ord(char)
    return any(first <= code <= last for first, last in _IGNORABLE)


@lru_cache(maxsize=8192)
def _sign(char: str) -> str:
    """What stands for a character."""
    if char in _BREAKS:
        return BREAK
    if char == "\t":
        return TAB
    kind = unicodedata.category(char)
    if char in _BLANK_LETTERS or (kind == "Zs" and char != " "):
        return BLANK
    return UNSEEN if kind in HIDDEN or is_ignorable(char) or char in (BREAK, TAB, BLANK) else char


def _counted(run: re.Match[str]) -> str:
    """Signs in a row, by their number where they are many."""
    sign = run[0].strip()[0]
    count = run[0].count(sign)
    if count > IN_A_ROW:
        return f" {sign}×{count:,} "
    return sign * count if sign == BLANK else f" {sign * count} "


def _reads_otherwise(text: str) -> bool:
    said = plain_blanks(text)
    return said.casefold() in _WORDS or (said[0], said[-1]) in _AROUND or _NUMBER.fullmatch(said) is not None
