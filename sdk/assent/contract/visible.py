"""What strangers wrote, on one line in which everything is seen that is there: for whoever decides by it.

A line break, a tab and each blank that is no U+0020 has a sign of its own, and whatever else is not seen, or steers, a
replacement mark; so has one of these signs that stands in the text itself. Of more than three in a row the number is
said: `⏎×3,003`. Spaces in a row are one, but in a value each that could be missed has a sign, too.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache

BREAK, TAB, BLANK, UNSEEN = "⏎", "⇥", "␣", "\N{REPLACEMENT CHARACTER}"
IN_A_ROW = 3
STEERING = frozenset({"Cc", "Cf", "Cs"})
"""Categories of what steers terminals, turns the reading direction, or is not seen."""
HIDDEN = STEERING | {"Co"}
"""What Co is drawn as is up to a font."""

_BREAKS = frozenset("\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_RUN = re.compile(rf" *{BREAK}(?: *{BREAK})* *|{TAB}+|{BLANK}+")
_SPACES = re.compile(r"^ +| +$| {2,}")
_NUMBER = re.compile(
    r"[+-]?(?:\d[\d_.,'’]*|[.,]\d+)(?:e[+-]?\d+)?|[+-]?0[xob][\da-f_]+|[+-]?inf(?:inity)?", re.IGNORECASE
)
_WORDS = frozenset({"", "true", "false", "null", "none", "nan", "undefined"})
_AROUND = frozenset({("[", "]"), ("{", "}"), ('"', '"')})


def visible(text: object) -> str:
    """The text on one line."""
    said = "" if text is None else str(text)
    if not (said.isascii() and said.isprintable()):
        said = _RUN.sub(_counted, _signs(said))
    return " ".join(said.split())


def visible_name(name: str) -> str:
    """A name on one line; in quotes where a blank of it could be missed: at its ends, two in a row, or no space."""
    if not differs_by_blanks(name):
        return visible(name)
    return f'"{_with_blanks(name)}"'


def visible_value(value: object) -> str:
    """A value of JSON on one line, no blank of it missed: a text as it is, but in quotes where it would read as a
    number, a truth value, nothing, a list, an object or a text in quotes; anything else as JSON."""
    if isinstance(value, str) and not _reads_otherwise(value):
        return _with_blanks(value)
    return _with_blanks(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _with_blanks(text: str) -> str:
    """The text on one line, with a sign for each space at its ends and of two or more in a row."""
    signs = _SPACES.sub(lambda run: BLANK * len(run[0]), _signs(text))
    return " ".join(_RUN.sub(_counted, signs).split())


def differs_by_blanks(name: str) -> bool:
    """Whether it has other blanks than single spaces inside."""
    return name != plain_blanks(name)


def plain_blanks(name: str) -> str:
    """The name with single spaces inside, and no other blanks."""
    return " ".join("".join(" " if char in _BLANK_LETTERS else char for char in name).split())


def _signs(text: str) -> str:
    return "".join(map(_sign, text.replace("\r\n", "\n")))


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
    return UNSEEN if kind in HIDDEN or char in (BREAK, TAB, BLANK) else char


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
