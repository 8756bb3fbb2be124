"""Names: of action types, agents, tools and systems. What two spellings have to share to be one name.

Everything that compares names compares them here: guard and its policies, rate limits, history, risk templates,
backtests and proofs. The rule has a number, `RULE`, which every decision records, and is replayed by; a decision
without one was made when names were compared exactly as they were sent, and is replayed so.

1. A name that holds what cannot be seen is refused: controls, format characters (zero width, bidi, soft hyphen),
   Unicode's default ignorables, blank letters, unassigned and private characters. ASCII white space and spaces of any
   width are white space, at the ends and inside.
2. `canonical` is the name as it is kept and shown: NFKC, case folding, ends trimmed, inner white space one space.
3. `comparable` is what is compared: the canonical name with characters *outside ASCII* that look like ASCII in their
   place (Unicode's confusables, UTS #39, `confusables.json`). ASCII is left alone: `rn` and `m`, `l` and `1`, `O` and
   `0` are confusable too by that table, and folding them would make one name of `modern` and `modem`, which honest
   people use. Whoever wants to pass for `delete` without leaving ASCII has to write another word.
4. A capital that looks like one ASCII letter while its small form looks like another (Greek Ν is N, ν is v) is read as
   the capital, where all of the name reads as ASCII.

Since rule 2:

5. A mark that makes no letter is left out where names are compared: one of Unicode's general marks that NFKC joins to
   no letter and that stands on what reads as ASCII, and strokes, lines and frames on anything.
6. A digit of another script is what it looks like in ASCII, a letter or a digit, else the digit that it counts.
7. Joiners have a place where writing needs them (RFC 5892, A.1 and A.2): U+200C between two letters of Arabic, and both
   behind a virama. They are kept, and left out where names are compared. U+FFFC, which stands for what is not shown, is
   refused.
8. `metadata.tool`, under which adapters and hooks name the tool, is a name as well.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.conditions import (
    All,
    Any_,
    Compare,
    Condition,
    Not,
    Op,
    Past,
    SameMembers,
    SameValue,
    Scalar,
    Value,
    ValueFrom,
)
from assent.contract.prepared import prepared
from assent.contract.visible import (
    differs_by_blanks,
    is_ignorable,
    plain_blanks,
    visible,
    visible_name,
    visible_text,
    visible_value,
)
from assent.normal import bounded, normal

RULE = 2
RULES = (1, 2)
NAME_FIELDS = frozenset({"action_type", "agent_id", "environment", "systems_touched", "tool", "tool_name", "tools"})
"""Fields of a guard context whose values are names, or lists of them."""
NESTED_FIELD = ("metadata", "tool")
"""One more since rule 2: a member of a member."""
REMEMBERED = 8192
_REFUSED = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Cs": "half of a surrogate pair",
    "Co": "a private character",
    "Cn": "an unassigned character",
    "Zl": "an invisible character",
    "Zp": "an invisible character",
}
_SPACE = frozenset("\t\n\v\f\r ")
_WITH_NESTED = NAME_FIELDS | {".".join(NESTED_FIELD)}
_OBJECT = 0xFFFC
_NON_JOINER = "\u200c"
_JOINERS = frozenset({_NON_JOINER, "\u200d"})
_VIRAMA, _OVERLAY = 9, 1
"""Canonical combining classes."""
_MARKS = re.compile("[\u0296-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
"""The general marks, which belong to no script."""
_ASCII_LETTER, _ASCII_DIGIT = re.compile("[A-Za-z]"), re.compile("[0-9]")
_LOOKS_LIKE_A_DIGIT = frozenset("0123456789oil")
"""What a character is read as that could be taken for a digit among digits."""
_PLAIN_NAME = re.compile(r"[\w.@:/&'+#-]+(?: [\w.@:/&'+#-]+){0,2}")
"""Three words at most, without what divides sentences."""
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»〝〞＂", '"'))
_WORD = re.compile(r"\w+")
LONGEST_MARKED, MOST_MARKED = 20_000, 3
"""Characters of a value in which look-alikes are told, and words that are named."""


class _Table(msgspec.Struct, frozen=True):
    unicode: str
    icu: int
    small: dict[str, str]
    capitals: dict[str, str]


_TABLE = msgspec.json.decode(Path(__file__).with_name("confusables.json").read_bytes(), type=prepared(_Table))
UNICODE = _TABLE.unicode
"""The version of Unicode whose confusables are folded."""
_SMALL = {ord(char): letters for letters, chars in _TABLE.small.items() for char in chars}
_CAPITALS = {ord(char): letter for letter, chars in _TABLE.capitals.items() for char in chars}


class NameRefused(ValueError):
    """A name that cannot be told from another by looking at it. The message says which character, by code point and
    Unicode name, and why."""


@lru_cache(maxsize=REMEMBERED)
def canonical(said: str, rule: int = RULE) -> str:
    """The name as it is kept; empty for nothing but white space. Raises NameRefused."""
    if said.isascii() and said.isprintable():
        return " ".join(said.lower().split())
    _check(said, rule)
    return " ".join(_folded(said).split())


@lru_cache(maxsize=REMEMBERED)
def comparable(name: str, rule: int = RULE) -> str:
    """What two spellings of one name share. Of a name that would be refused, as old records hold some, what cannot be
    seen is left out."""
    if name.isascii() and name.isprintable():
        return " ".join(name.lower().split())
    # A mark behind a space that is trimmed is a mark at the beginning.
    trimmed = name if rule == 1 else " ".join(_folded(name).split())
    return " ".join(fold(trimmed, rule).split())


def fold(text: str, rule: int = RULE) -> str:
    """A part of a name as it is compared: like `comparable`, with its ends as they are."""
    seen = "".join(char for char in bounded(text) if char in _SPACE or _why(char, rule) is None)
    folded = _read(_folded(seen), rule)
    if rule == 1:
        return folded
    # Without a stroke between them a letter and its accent are one letter, which may have a case or a look of its own.
    while (after := _read(_folded(_without_marks(folded)), rule)) != folded:
        folded = after
    return folded


def displayed(said: str) -> str:
    """A name in the case in which it was sent: NFKC, trimmed, inner white space joined. Raises NameRefused."""
    if said.isascii() and said.isprintable():
        return " ".join(said.split())
    _check(said, RULE)
    return " ".join(normal("NFKC", said).split())


def marked(name: str) -> str:
    """A name as people are shown it, everything in it seen. One that reads as ASCII and is written in other characters
    among those of ASCII says so behind it, and so does one with other blanks than single spaces inside. A word of
    another script alone is left as it is: Russian сумма reads as cymma."""
    shown = visible_name(name)
    if not (name.isascii() or name.casefold().isascii()) and _ASCII_LETTER.search(name):
        alike = " ".join(fold(name).split())
        if alike.isascii():
            return f"{shown} (other characters than in “{alike}”)"
    if differs_by_blanks(name) and (plain := plain_blanks(name)):
        return f"{shown} (other blanks than in “{visible(plain)}”)"
    return shown


def quoted_name(name: str) -> str:
    """A name on one line within a sentence, in quotation marks where it could read as a part of that sentence: beyond
    three words, or with a comma, a bracket, a full stop at its end."""
    shown = marked(name.translate(_QUOTES))
    return shown if _PLAIN_NAME.fullmatch(name) and not name.endswith((".", ":")) else f"“{shown}”"


def marked_value(value: object) -> str:
    """A value of JSON as people are shown it, everything in it seen, with its look-alikes told behind it."""
    shown = visible_value(value)
    return shown + look_alikes(shown)


def marked_text(text: str) -> str:
    """A text, likewise, whatever it would read as."""
    shown = visible_text(text)
    return shown + look_alikes(shown)


def marked_scalar(value: Scalar) -> str:
    """A value that is compared with, likewise; a text in quotation marks."""
    if not isinstance(value, str):
        return json.dumps(value)
    shown = visible_text(value)
    return f"“{shown}”{look_alikes(shown)}"


def look_alikes(shown: str) -> str:
    """What is told behind a text: its words that read as ASCII, and in which letters of another script or width stand
    among those of ASCII; empty where it has none."""
    if shown.isascii():
        return ""
    unlike = dict.fromkeys(word for word in _WORD.findall(shown[:LONGEST_MARKED]) if _is_mixed(word))
    if not unlike:
        return ""
    alike = ", ".join(f"“{fold(word)}”" for word in list(unlike)[:MOST_MARKED])
    more = len(unlike) - MOST_MARKED
    return f" (other characters than in {alike}{f' and {more} more' if more > 0 else ''})"


def _is_mixed(word: str) -> bool:
    """Whether it reads as ASCII and has letters of another script or width among those of ASCII, or what could be taken
    for a digit among its digits."""
    if word.isascii() or not fold(word).isascii():
        return False
    if not _ASCII_LETTER.search(word):
        strange = (char for char in word if not char.isascii() and (char.isalpha() or char.isdecimal()))
        # 10а and 1º are numbers with a letter behind them.
        return bool(_ASCII_DIGIT.search(word)) and any(
            fold(char) in _LOOKS_LIKE_A_DIGIT and not _is_ordinal(char) for char in strange
        )
    strange = (char for char in word if not char.isascii() and char.isalpha())
    return any(not unicodedata.name(char, "").startswith(("LATIN", "MICRO SIGN")) for char in strange)


def _is_ordinal(char: str) -> bool:
    return unicodedata.name(char, "").endswith("ORDINAL INDICATOR")


def same_name(one: str | None, other: str | None) -> bool:
    """Whether two spellings are of one name; None is nobody's."""
    return one == other or (one is not None and other is not None and comparable(one) == comparable(other))


def is_among(name: str | None, names: Collection[str]) -> bool:
    """Whether one of these is a spelling of the name."""
    return any(same_name(name, each) for each in names)


def name_fields(rule: int = RULE) -> frozenset[str]:
    """The fields that a condition may name, whose values are names."""
    return NAME_FIELDS if rule == 1 else _WITH_NESTED


def compared(value: object, rule: int = RULE) -> object:
    """A field's value as it is compared: a name, or a list with the names in it folded; anything else as it is."""
    if isinstance(value, str):
        return comparable(value, rule)
    if isinstance(value, list):
        return [comparable(each, rule) if isinstance(each, str) else each for each in value]
    return value


def with_nested(fields: Mapping[str, Any], rule: int = RULE) -> dict[str, Any]:
    """The fields of a context with the nested one as it is compared."""
    of, name = NESTED_FIELD
    holder = fields.get(of)
    if rule == 1 or not isinstance(holder, dict) or name not in holder:
        return dict(fields)
    return {**fields, of: {**holder, name: compared(holder[name], rule)}}


def named(condition: Condition, rule: int = RULE) -> Condition:
    """A condition that asks of compared names what this one asks of names: its own names are folded as well, parts of
    names too, and its patterns look at both cases."""
    match condition:
        case Compare(field=field, op=op, value=value):
            if field not in name_fields(rule) or op is Op.EXISTS:
                return condition
            return Compare(field=field, op=op, value=_value(op, value, rule))
        case Not(branch):
            return Not(named(branch, rule))
        case All(branches):
            return All(tuple(named(each, rule) for each in branches))
        case Any_(branches):
            return Any_(tuple(named(each, rule) for each in branches))
        case Past(formula=formula):
            return Past(formula=compared_tools(formula, rule))
        case ValueFrom() | SameValue() | SameMembers():
            return condition


def compared_tools(formula: Mapping[str, object], rule: int = RULE) -> dict[str, object]:
    """A formula of `assent.flows.past` that asks of compared names what this one asks of names."""
    return {key: _tools(key, each, rule) for key, each in formula.items()}


def _tools(key: str, value: object, rule: int) -> object:
    """A part of a formula with the names of tools in it as they are compared."""
    if isinstance(value, Mapping):
        return compared_tools(value, rule)
    if isinstance(value, list):
        return [_tools("", each, rule) for each in value]
    return comparable(value, rule) if key == "tool" and isinstance(value, str) else value


def _value(op: Op, value: Value, rule: int) -> Value:
    if isinstance(value, tuple):
        return tuple(_scalar(each, comparable, rule) for each in value)
    if op is Op.MATCHES:
        return _pattern(str(value))
    return _scalar(value, comparable if op in (Op.EQ, Op.NE) else fold, rule)


def _scalar(value: Scalar, folded: Callable[[str, int], str], rule: int) -> Scalar:
    return folded(value, rule) if isinstance(value, str) else value


def _pattern(pattern: str) -> str:
    """A pattern for names without case. Letters outside ASCII become what they are read as, but in a class, where they
    may be the ends of a range."""
    return "(?i)" + (pattern if pattern.isascii() or "[" in pattern else _letters(pattern))


def _letters(pattern: str) -> str:
    return "".join(letter if (letter := _SMALL.get(ord(char.lower()[0]), char)).isalnum() else char for char in pattern)


def _check(said: str, rule: int) -> None:
    for at, char in enumerate(said):
        if char in _SPACE or (why := _why(char, rule)) is None:
            continue
        if rule > 1 and char in _JOINERS and _joins(said, at):
            continue
        name = unicodedata.name(char, "")
        raise NameRefused(f"holds U+{ord(char):04X}{' ' if name else ''}{name}, {why}; leave it out")


def _joins(said: str, at: int) -> bool:
    """Whether writing needs the joiner at a place, by RFC 5892, A.1 and A.2."""
    before, after = said[at - 1 : at], said[at + 1 : at + 2]
    if not before or not after or not after.isalpha():
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return True
    # The letter before may carry vowel signs.
    letter = next((char for char in reversed(said[:at]) if not unicodedata.combining(char)), "")
    return said[at] == _NON_JOINER and _arabic(letter) and _arabic(after)


def _arabic(char: str) -> bool:
    return char.isalpha() and unicodedata.name(char, "").startswith("ARABIC LETTER")


@lru_cache(maxsize=REMEMBERED)
def _why(char: str, rule: int) -> str | None:
    """Why a character has no place in a name; None for one that has."""
    kind = _REFUSED.get(unicodedata.category(char))
    if kind is not None:
        return kind
    code = ord(char)
    if rule > 1 and code == _OBJECT:
        return "which stands for what is not shown"
    return "an invisible character" if is_ignorable(char) else None


def _without_marks(text: str) -> str:
    """A text without the marks that make no letter."""
    kept: list[str] = []
    for char in text:
        if _MARKS.match(char) is None or not (kept and (kept[-1].isascii() or _drawn_over(char))):
            kept.append(char)
    return "".join(kept)


@lru_cache(maxsize=REMEMBERED)
def _drawn_over(mark: str) -> bool:
    """Strokes, frames and lines."""
    return (
        unicodedata.combining(mark) == _OVERLAY
        or unicodedata.category(mark) == "Me"
        or "LINE" in unicodedata.name(mark, "").split()
        or "OVERLINE" in unicodedata.name(mark, "")
    )


def _folded(said: str) -> str:
    text = normal("NFKC", said)
    capitals = text.translate(_CAPITALS)
    if capitals != text and _read(capitals.casefold()).isascii():
        text = capitals
    # Case folding may take a text out of its normal form, and back in, it may have a case again.
    while (after := normal("NFKC", text.casefold())) != text:
        text = after
    return text


def _read(folded: str, rule: int = 1) -> str:
    # Turkish İ is folded to an i with a dot above, which an i has.
    text = folded if rule == 1 else "".join(map(_digit, folded))
    return text.translate(_SMALL).replace("i\u0307", "i")


@lru_cache(maxsize=REMEMBERED)
def _digit(char: str) -> str:
    """A digit that looks like no ASCII letter or digit is the one that it counts."""
    if char.isascii() or not char.isdecimal() or _SMALL.get(ord(char), "").isalnum():
        return char
    return str(unicodedata.decimal(char))
