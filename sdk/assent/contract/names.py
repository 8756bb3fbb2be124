"""Names: of action types, agents, tools and systems. What two spellings have to share to be one name.

Everything that compares names compares them here: guard and its policies, rate limits, history, risk templates,
backtests and proofs. The rule has a number, `RULE`, which every decision records; a decision without one was made when
names were compared exactly as they were sent, and is replayed so.

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
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path

import msgspec

from assent.contract.conditions import All, Any_, Compare, Condition, Not, Op, Scalar, Value
from assent.contract.prepared import prepared

RULE = 1
NAME_FIELDS = frozenset({"action_type", "agent_id", "environment", "systems_touched", "tool", "tool_name", "tools"})
"""Fields of a guard context whose values are names, or lists of them."""
REMEMBERED = 8192

_IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
    (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Default_Ignorable_Code_Point of DerivedCoreProperties.txt, and the blank Braille pattern."""
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
def canonical(said: str) -> str:
    """The name as it is kept; empty for nothing but white space. Raises NameRefused."""
    if said.isascii() and said.isprintable():
        return " ".join(said.lower().split())
    _check(said)
    return " ".join(_folded(said).split())


@lru_cache(maxsize=REMEMBERED)
def comparable(name: str) -> str:
    """What two spellings of one name share. Of a name that would be refused, as old records hold some, what cannot be
    seen is left out."""
    if name.isascii() and name.isprintable():
        return " ".join(name.lower().split())
    return " ".join(fold(name).split())


def fold(text: str) -> str:
    """A part of a name as it is compared: like `comparable`, with its ends as they are."""
    seen = "".join(char for char in text if char in _SPACE or _why(char) is None)
    return _read(_folded(seen))


def displayed(said: str) -> str:
    """A name in the case in which it was sent: NFKC, trimmed, inner white space joined. Raises NameRefused."""
    if said.isascii() and said.isprintable():
        return " ".join(said.split())
    _check(said)
    return " ".join(unicodedata.normalize("NFKC", said).split())


def same_name(one: str | None, other: str | None) -> bool:
    """Whether two spellings are of one name; None is nobody's."""
    return one == other or (one is not None and other is not None and comparable(one) == comparable(other))


def is_among(name: str | None, names: Collection[str]) -> bool:
    """Whether one of these is a spelling of the name."""
    return any(same_name(name, each) for each in names)


def compared(value: object) -> object:
    """A field's value as it is compared: a name, or a list with the names in it folded; anything else as it is."""
    if isinstance(value, str):
        return comparable(value)
    if isinstance(value, list):
        return [comparable(each) if isinstance(each, str) else each for each in value]
    return value


def named(condition: Condition) -> Condition:
    """A condition that asks of compared names what this one asks of names: its own names are folded as well, parts of
    names too, and its patterns look at both cases."""
    match condition:
        case Compare(field=field, op=op, value=value):
            if field not in NAME_FIELDS or op is Op.EXISTS:
                return condition
            return Compare(field=field, op=op, value=_value(op, value))
        case Not(branch):
            return Not(named(branch))
        case All(branches):
            return All(tuple(named(each) for each in branches))
        case Any_(branches):
            return Any_(tuple(named(each) for each in branches))


def _value(op: Op, value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_scalar(each, comparable) for each in value)
    if op is Op.MATCHES:
        return _pattern(str(value))
    return _scalar(value, comparable if op in (Op.EQ, Op.NE) else fold)


def _scalar(value: Scalar, folded: Callable[[str], str]) -> Scalar:
    return folded(value) if isinstance(value, str) else value


def _pattern(pattern: str) -> str:
    """A pattern for names without case. Letters outside ASCII become what they are read as, but in a class, where they
    may be the ends of a range."""
    return "(?i)" + (pattern if pattern.isascii() or "[" in pattern else _letters(pattern))


def _letters(pattern: str) -> str:
    return "".join(letter if (letter := _SMALL.get(ord(char.lower()[0]), char)).isalnum() else char for char in pattern)


def _check(said: str) -> None:
    for char in said:
        if char not in _SPACE and (why := _why(char)) is not None:
            name = unicodedata.name(char, "")
            raise NameRefused(f"holds U+{ord(char):04X}{' ' if name else ''}{name}, {why}; leave it out")


def _why(char: str) -> str | None:
    """Why a character has no place in a name; None for one that has."""
    kind = _REFUSED.get(unicodedata.category(char))
    if kind is not None:
        return kind
    code = ord(char)
    return "an invisible character" if any(first <= code <= last for first, last in _IGNORABLE) else None


def _folded(said: str) -> str:
    text = unicodedata.normalize("NFKC", said)
    capitals = text.translate(_CAPITALS)
    if capitals != text and _read(capitals.casefold()).isascii():
        text = capitals
    # Case folding may take a text out of its normal form, and back in, it may have a case again.
    while (after := unicodedata.normalize("NFKC", text.casefold())) != text:
        text = after
    return text


def _read(folded: str) -> str:
    # Turkish İ is folded to an i with a dot above, which an i has.
    return folded.translate(_SMALL).replace("i\u0307", "i")
