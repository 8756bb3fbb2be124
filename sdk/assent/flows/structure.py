"""What a program wrote as text, as data again: JSON, a Python literal, or records in lines (block YAML).

Only a text that is one of these from its first to its last character is data; anything else is prose. Around JSON
there may be a fence (three backticks), or one line before it with a colon at its end, which stays text (`Found 3:`).
The reader of lines knows what programs write (`key: value`, `- item`, quoted and continued texts) and no more of YAML,
and lists such as `- [t-52] Ask for an offer`.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Iterator
from typing import NamedTuple

LONGEST_LITERAL = 65_536
"""Characters of a Python literal, which is read slowly."""
DEEPEST = 500
"""Brackets of JSON that are open at once, those within texts included; `assent.mcp_proxy.frames` says why, and these
functions stand on the standard library alone."""
DEEPEST_LITERAL = 50
_LITERAL = re.compile(
    r"""(?:[\s,:\[\]{}()]|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])|True|False|None"""
    r"""|'(?:[^'\\\n]|\\[\\'"nrtabfvxuU])*+'|"(?:[^"\\\n]|\\[\\'"nrtabfvxuU])*+")*+"""
)
"""What Python writes of data, and nothing that is worked out or warned of."""

_LINE = re.compile(
    r"(?P<indent> *)(?P<dashes>(?:- +)*)(?:(?P<key>[a-z_][A-Za-z0-9_]{0,39}):(?: +(?P<value>\S.*))?|(?P<item>\S.*))"
)
_NAMED_LINE = re.compile(r" +(?P<key>[^\s:#'\"-][^\s:]{0,79}|'[^']{1,80}'|\"[^\"]{1,80}\"):(?: +(?P<value>\S.*))?")
_ITEM = re.compile(r"- \[(?P<id>(?=[^\]]*\d)[\w-]{1,40})\] (?P<text>\S.*)")
"""What it is called by has a digit: `- [x] done` is ticked off."""
_BLOCK = re.compile(r"[|>][-+]?\d?")


_OF_JSON, _OF_PYTHON = re.compile(r"[\[{\]}]"), re.compile(r"[\[{(\]})]")


_LONGEST_HEADING = 120


class Records(NamedTuple):
    """Records in lines, flat: each text with the key that it stands under. `begins` are the places of the first texts
    of records."""

    entries: list[tuple[str, str]]
    begins: frozenset[int] = frozenset()


class Headed(NamedTuple):
    """Data below a line of text."""

    heading: str
    data: object


def data_of(text: str) -> object:
    """The data that a text is, or the text itself."""
    found = _data_of(text)
    if found is not text:
        return found
    plain = text.strip()
    if plain.startswith("```") and plain.endswith("\n```"):
        begin, _, inside = plain[3:-4].partition("\n")
        fenced = inside.strip()[:1] in ("[", "{") and len(begin) <= len("json5") and "```" not in inside
        data = _data_of(inside) if fenced else text
        return text if isinstance(data, str) else data
    heading, _, rest = plain.partition("\n")
    if len(heading) > _LONGEST_HEADING or not heading.endswith(":") or rest.lstrip()[:1] not in ("[", "{"):
        return text
    data = _data_of(rest)
    return text if isinstance(data, str) else Headed(heading, data)


def _data_of(text: str) -> object:
    start = text.lstrip()[:1]
    if start in ("{", "["):
        if text.count("[") + text.count("{") > DEEPEST and _depth(text, _OF_JSON) > DEEPEST:
            return text
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return _literal(text)
    if start and "\n" not in text.strip() and ":" not in text and start != "-":
        return text
    return _numbered(text) or _records(text) or text


def _numbered(text: str) -> Records | None:
    """A list whose items begin with what they are called by: `- [t-52] Ask for an offer`. What follows is a text."""
    found: list[tuple[str, str]] = []
    for line in text.strip().split("\n"):
        item = _ITEM.fullmatch(line.rstrip())
        if item is None:
            return None
        found += [("id", item["id"]), ("text", item["text"])]
    return Records(found, frozenset(range(0, len(found), 2)))


def _literal(text: str) -> object:
    if len(text) > LONGEST_LITERAL or not _LITERAL.fullmatch(text) or _depth(text, _OF_PYTHON) > DEEPEST_LITERAL:
        return text
    try:
        return literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text


def _depth(text: str, brackets: re.Pattern[str]) -> int:
    deepest = depth = 0
    for each in brackets.finditer(text):
        depth += 1 if each[0] in "[{(" else -1
        deepest = max(deepest, depth)
    return deepest


def _records(text: str) -> Records | None:
    """None where a line is of no record, or nothing is said. A key does not begin with a capital: `From: ...` is a line
    of a mail, and `Error: ...` one of a log, which somebody else may have written."""
    found: list[tuple[str, str]] = []
    begins = set[int]()
    for key, value, first in _entries(text):
        if key is None:
            return None
        if first:
            begins.add(len(found))
        if value:
            found.append((key, value))
    return Records(found, frozenset(begins)) if found else None


def _entries(text: str) -> Iterator[tuple[str | None, str, bool]]:
    """Key and text of each entry, and whether a record begins with it: an item with a key, or the first key of all when
    it comes again. An item without a key has that of the line above it that is indented less."""
    keys: list[tuple[int, str]] = []
    at: int | None = None
    key, collected, first, lead = "", list[str](), False, (-1, "")
    for line in text.split("\n"):
        if not line.strip():
            if collected:
                collected.append("")
            continue
        found = _LINE.fullmatch(line.rstrip())
        indent = len(line) - len(line.lstrip(" "))
        if at is not None and indent > at and (collected and _goes_on(collected)):
            collected.append(line.strip())
            continue
        if found is None or not (found["dashes"] or found["key"]):
            named = _NAMED_LINE.fullmatch(line.rstrip()) if keys and indent > keys[-1][0] else None
            if named is None:
                yield None, "", False
                return
            if collected or first:
                yield key, _unquoted(collected) if collected else "", first
            # A key that is no name of a field is a value, as in JSON: `dora@x.com: rw`.
            yield keys[-1][1], named["key"].strip("'\""), False
            at, key, collected, first = indent, "*", [named["value"]] if named["value"] else [], False
            continue
        if collected or first:
            yield key, _unquoted(collected) if collected else "", first
        depth = indent + len(found["dashes"])
        keys = [each for each in keys if each[0] < depth or (each[0] == depth and found["key"] is None)]
        if found["key"] is not None:
            keys = [each for each in keys if each[0] < depth]
            keys.append((depth, found["key"]))
        at, key = depth if found["key"] is not None else indent, keys[-1][1] if keys else ""
        value = found["value"] if found["key"] is not None else found["item"]
        collected, first = [value] if value is not None else [], bool(found["dashes"] and found["key"])
        if found["key"] is not None:
            first |= (depth, found["key"]) == lead
            lead = (depth, found["key"]) if lead[0] < 0 else lead
    if collected:
        yield key, _unquoted(collected), first


def _goes_on(collected: list[str]) -> bool:
    """Whether a deeper line belongs to the text before it: not where that has ended with its quote."""
    first, last = collected[0], collected[-1]
    if _BLOCK.fullmatch(first):
        return True
    inside = last[1:] if len(collected) == 1 else last
    if first.startswith("'"):
        # Two of them are one that is written.
        return (len(inside) - len(inside.rstrip("'"))) % 2 == 0
    if first.startswith('"'):
        before = inside[:-1]
        return not inside.endswith('"') or (len(before) - len(before.rstrip("\\"))) % 2 == 1
    return True


def _unquoted(collected: list[str]) -> str:
    if _BLOCK.fullmatch(collected[0]):
        return "\n".join(collected[1:])
    text = " ".join(each for each in collected if each)
    quote = text[:1]
    if quote in ("'", '"') and len(text) > 1 and text.endswith(quote):
        text = text[1:-1]
        return text.replace("''", "'") if quote == "'" else _plain(text)
    return "" if text in ("[]", "{}", "null", "~") else text


def _plain(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return re.sub(r"\\\s*", " ", text)
