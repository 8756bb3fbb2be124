"""The value of a condition's row as a line that somebody can type, and back.

- A number, `true` and `false` mean what they look like; anything else is a text.
- Quotes make a text of anything: `"60"` is no number. They are JSON's, so `"a\\nb"` has two lines.
- Lists are separated by commas; a text with a comma is quoted.
- The operators that take nothing but text take the line as it is.
"""

from __future__ import annotations

import json
import re
from math import isfinite

from assent.contract.conditions import Op

LISTS = frozenset({Op.IN, Op.NOT_IN})
TEXTS = frozenset({Op.STARTS_WITH, Op.ENDS_WITH, Op.MATCHES})
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_DIGITS = 400
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def to_line(op: Op, value: object) -> str:
    if op in LISTS and isinstance(value, list | tuple):
        return ", ".join(_written(each, listed=True) for each in value)
    if op in TEXTS and isinstance(value, str):
        return value if _bare_text(value) else json.dumps(value)
    return _written(value)


def from_line(op: Op, line: str) -> object:
    if op in LISTS:
        return [_read(each) for each in _split(line)]
    if op in TEXTS:
        quoted = _unquoted(line)
        return line if quoted is None else quoted
    return _read(line.strip())


def _written(value: object, *, listed: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        return json.dumps(value)
    bare = _bare_text(value) and value == value.strip() and bool(value) and _read(value) == value
    return value if bare and not (listed and ("," in value or '"' in value)) else json.dumps(value)


def _read(text: str) -> str | int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    if len(text) <= _DIGITS and _NUMBER.fullmatch(text):
        number = int(text) if _WHOLE.fullmatch(text) else float(text)
        if isfinite(number):
            return number
    quoted = _unquoted(text)
    return text if quoted is None else quoted


def _bare_text(text: str) -> bool:
    """Whether a line shows every character, and is not taken for quoted."""
    return text.isprintable() and _unquoted(text) is None


def _unquoted(text: str) -> str | None:
    if not _QUOTED.fullmatch(text):
        return None
    try:
        read = json.loads(text)
    except ValueError:
        return None
    return read if isinstance(read, str) else None


def _split(line: str) -> list[str]:
    """The parts between the commas that are in no quotes; empty ones are left out."""
    parts = [match.group().strip() for match in re.finditer(r'(?:\s*"(?:[^"\\]|\\.)*"\s*(?=,|$))|[^,]+', line)]
    return [part for part in parts if part]
