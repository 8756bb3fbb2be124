"""JSON as everybody reads it alike: I-JSON (RFC 7493), and nothing that two readers could take for two things.

Refused, beside what is no JSON (RFC 8259): a name that stands twice in one object, integers beyond ±(2**53 - 1),
numbers that no double holds, NaN and Infinity, lone surrogates in strings and names, more than MAX_DEPTH nested
containers, bytes that are not UTF-8, a byte order mark, and text behind the value.

Two ways lead to the same value. The short one has Python's parser do all of it and only knows that something is wrong,
not where. The long one keeps every name and number as it was spelled and builds the value itself: it is taken where the
short one refused, so that the error has a path, and where escapes may make surrogates, which only a look at each string
tells.

How much a text holds at most is told before it is parsed (`exceeds`): a parsed value takes fifty times the memory of
`0,`, a list that of `[]`.

Every value but the first stands behind a comma or a bracket, and so does every name. So the commas and brackets outside
texts bound them all. In texts there may be any number, also in honest ones: where there are too many in all, the texts
are taken out and those that remain are counted.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Final, NoReturn, cast

from assent.proof.canonical import MAX_DEPTH, MAX_SAFE_INTEGER

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_LONGEST: Final = len(str(-MAX_SAFE_INTEGER))
_BOM: Final = "\ufeff"
_SHOWN: Final = 120
"""Characters of a path in a message."""


class StrictError(ValueError):
    """Text that is no I-JSON. `path` says where, as in `$.context.tags[3]`; `$` is the whole value."""

    def __init__(self, path: str, problem: str) -> None:
        where = path if len(path) <= _SHOWN else f"{path[: _SHOWN // 2]}...{path[-_SHOWN // 2 :]}"
        super().__init__(f"{where}: {problem}")
        self.path = path


def read_json(text: bytes | str, *, depth: int = MAX_DEPTH) -> object:
    """The value: dict, list, str, int, float, bool or None. Whole numbers that are spelled with a fraction or an
    exponent are floats. `depth` is how many containers may be inside one another. Raises StrictError."""
    read = _decoded(text)
    if _SURROGATE.search(read) is None:
        try:
            value: object = _SHORT.decode(read)
        except (ValueError, RecursionError):
            pass  # the long way says what it is
        else:
            # Fewer brackets than levels are nothing to walk for.
            if read.count("[") + read.count("{") <= depth or _is_flat(value, depth):
                return value
    try:
        return _built(_LONG.decode(read), depth)
    except _TooDeep as fault:
        raise StrictError(fault.path(), _too_deep(depth)) from None
    except _Fault as fault:
        raise StrictError(fault.path(), fault.problem) from None
    except json.JSONDecodeError as error:
        raise StrictError("$", f"no JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise StrictError("$", _too_deep(depth)) from None


def _too_deep(depth: int) -> str:
    return f"nested deeper than {depth} containers; flatten the value"


class _Fault(Exception):
    """What is wrong, while the steps to it are collected on the way out, the innermost first."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.steps: list[str | int] = []

    def path(self) -> str:
        return "$" + "".join(_step(step) for step in reversed(self.steps))


class _TooDeep(_Fault):
    """Too many containers inside one another."""


class _Spelled(str):
    """A number as it was written."""

    __slots__ = ()


def _decoded(text: bytes | str) -> str:
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise StrictError("$", f"not UTF-8 at byte {error.start}") from None
    elif not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise StrictError("$", f"a lone surrogate at character {error.start}; it has no UTF-8 form") from None
    if text.startswith(_BOM):
        raise StrictError("$", "a byte order mark in front; remove it")
    return text


def _integer(spelled: str) -> int:
    if len(spelled) <= _LONGEST and abs(value := int(spelled)) <= MAX_SAFE_INTEGER:
        return value
    raise ValueError(f"an integer of {len(spelled)} characters; beyond ±(2**53 - 1) send it as a string")


def _double(spelled: str) -> float:
    value = float(spelled)
    if math.isinf(value):
        raise ValueError("a number that no double holds; send it as a string")
    return value


def _no_number(spelled: str) -> NoReturn:
    raise ValueError(f"{spelled} is not a JSON number; send null or a string")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a name stands twice")
    return members


_SHORT: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_double, parse_constant=_no_number
)
# An object becomes a tuple of its pairs, which no other JSON value does.
_LONG: Final = json.JSONDecoder(
    object_pairs_hook=tuple, parse_int=_Spelled, parse_float=_Spelled, parse_constant=_Spelled
)


def _is_flat(value: object, depth: int) -> bool:
    """Whether the value has so many levels of containers or fewer."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(depth):
        if not level:
            return True
        level = [item for container in level for item in _items(container) if isinstance(item, dict | list)]
    return not level


def _items(container: object) -> list[object]:
    if isinstance(container, dict):
        return list(cast("dict[str, object]", container).values())
    return cast("list[object]", container)


def _built(value: object, room: int) -> object:
    """The value with its numbers read and its names checked, when `room` containers may still be opened."""
    if isinstance(value, _Spelled):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    if not isinstance(value, tuple | list):
        return value
    if room == 0:
        raise _TooDeep("nested too deeply")
    if isinstance(value, list):
        items = cast("list[object]", value)
        return [_inside(index, item, room - 1) for index, item in enumerate(items)]
    members: dict[str, object] = {}
    for name, item in cast("tuple[tuple[str, object], ...]", value):
        if _text(name) in members:
            raise _Fault(f"the name {_quoted(name)} stands twice; two readers would see two values")
        members[name] = _inside(name, item, room - 1)
    return members


def _inside(step: str | int, value: object, room: int) -> object:
    try:
        return _built(value, room)
    except _Fault as fault:
        fault.steps.append(step)
        raise


def _number(spelled: str) -> int | float:
    try:
        if spelled.lstrip("-").isdigit():
            return _integer(spelled)
        if spelled.endswith(("NaN", "Infinity")):
            _no_number(spelled)
        return _double(spelled)
    except ValueError as error:
        raise _Fault(str(error)) from None


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _Fault(f"a lone surrogate at index {error.start} of {_quoted(text)}; it has no UTF-8 form") from None
    return text


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if step.isascii() and step.isidentifier() else f"[{_quoted(step)}]"


def _quoted(text: str) -> str:
    return json.dumps(text if len(text) <= 64 else text[:64] + "...")


_ONE = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+'
"""A text of JSON, also one that does not end: nowhere is there a second try."""
_TEXT = re.compile(_ONE, re.DOTALL)
_SOME = re.compile(rb'(?:[^"]*+' + _ONE + rb"){1,1000}+", re.DOTALL)
"""As many texts as are taken out at once, with what stands before each; taking out all would take much memory."""


def exceeds(texts: Sequence[bytes | str], most: int) -> bool:
    """Whether JSON texts have more than `most` commas, brackets and braces together, those within their own texts not
    counted. Takes a hundredth of the time of parsing; what is no JSON is counted like it."""
    encoded = [text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass") for text in texts]
    if sum(map(_marks, encoded)) <= most:
        return False
    # A name and a value to each, and two quotation marks to those: there are more, and nothing needs taking out.
    if sum(map(_quotes, encoded)) > 4 * (most + len(encoded)):
        return True
    found = 0
    for each in encoded:
        for run in _runs(each):
            found += _marks(_TEXT.sub(b"", run))
            if found > most:
                return True
    return False


def _runs(text: bytes) -> Iterator[bytes]:
    """The text piece by piece, none of which ends within a text."""
    at = 0
    while at < len(text):
        run = _SOME.match(text, at)
        end = len(text) if run is None else run.end()
        yield text[at:end]
        at = end


def _marks(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _quotes(text: bytes) -> int:
    """The quotation marks that begin a text, and most of those that end one: none that begins is behind a backslash."""
    return text.count(b'"') - text.count(b'\\"')
