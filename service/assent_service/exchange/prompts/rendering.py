"""Filling in a prompt's placeholders. Pure, and nothing is ever evaluated.

1. A placeholder is `{{`, spaces, a name, spaces, `}}`. A name begins with a letter or `_` and goes on with letters,
   digits, `_`, `.` and `-`; a dot is a character like any other and reaches into nothing. Everything else between
   braces is text: there are no includes, conditions, filters or calls.
2. The text is read once, from its beginning to its end, and values are put in as they are. A value that holds a
   placeholder, even its own, stays text: so a prompt that names itself comes to an end.
3. Text is put in as it is, everything else as its JSON.
4. A placeholder without a value stays where it is, and is named in `missing`.
5. Values and results have a longest length, which is checked before anything is put together: a short prompt that
   repeats a long value cannot fill the memory. Time grows with the length of prompt and result, and with nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from assent.contract.problems import Code, FieldError
from assent_service.base.problem import refuse

LONGEST_VALUE = 100_000
LONGEST_RESULT = 400_000
"""Both in characters."""

# Possessive, so that what is no placeholder after all is not tried again and again.
_PLACEHOLDER = re.compile(r"\{\{[ \t\r\n]*+([A-Za-z_][A-Za-z0-9_.\-]*+)[ \t\r\n]*+\}\}")


@dataclass(frozen=True)
class Rendering:
    """`missing` are placeholders without a value, each once, in the order in which they come."""

    text: str
    missing: list[str]


def placeholders(content: str) -> list[str]:
    """The names that the content asks for, each once, in the order in which they come."""
    return list(dict.fromkeys(found[1] for found in _PLACEHOLDER.finditer(content)))


def render(content: str, variables: Mapping[str, Any]) -> Rendering:
    """Raises `invalid_body` for a value or a result that is too long."""
    values = {name: _text(name, variables[name]) for name in placeholders(content) if name in variables}
    pieces: list[str] = []
    missing: dict[str, None] = {}
    length, end = 0, 0
    for found in _PLACEHOLDER.finditer(content):
        name = found[1]
        value = values.get(name)
        if value is None:
            missing[name] = None
            value = found[0]
        length += found.start() - end + len(value)
        if length > LONGEST_RESULT:
            raise _too_long(name)
        pieces += (content[end : found.start()], value)
        end = found.end()
    if length + len(content) - end > LONGEST_RESULT:
        raise _too_long(next(iter(values)))
    return Rendering("".join((*pieces, content[end:])), list(missing))


def _text(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    if len(text) > LONGEST_VALUE:
        raise refuse(
            Code.INVALID_BODY,
            f"The value of {name!r} has {len(text)} characters and may have {LONGEST_VALUE}; shorten it.",
            FieldError(place=f"variables.{name}", message=f"has more than {LONGEST_VALUE} characters"),
        )
    return text


def _too_long(name: str) -> Exception:
    return refuse(
        Code.INVALID_BODY,
        f"The rendered prompt would have more than {LONGEST_RESULT} characters, with {name!r} put in; shorten the "
        "values, or use them less often.",
        FieldError(place="variables", message=f"would give more than {LONGEST_RESULT} characters"),
    )
