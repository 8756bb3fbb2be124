"""What a session is told of an answer, whatever it is: JSON, and whether that is all of it.

1. What JSON carries is told as it is, sets as lists, moments and members of enumerations as what they say. A number
   that JSON cannot say (NaN, infinity, more than 64 bits) is told as its text.
2. Bytes are told as the text that they are in UTF-8. Ones that are no such text, or that hold a zero as UTF-16 does,
   may say more: that is not all of it.
3. What declares fields is told as these, so that records stay records: named tuples, dataclasses, structs, classes of
   attrs, models of pydantic and namespaces. What a model's `model_dump` says otherwise stands beside its fields.
4. Tables, columns and arrays are told as their records and values (`told_tables`), since their text is cut.
5. Any other object is told as its text (`str`), with the data in its public attributes. One that has no text, such as a
   file, a generator or an object whose `repr` is `<...>`, may hold more than it shows: that is not all of it. Nor is a
   text with `...` in it, or that of an object which has parts (it is iterated, or has an index) or gives itself to
   other libraries as an array or a table: what prints many parts leaves some out. A text is told once more with the
   breaks that it has as escapes, since a `repr` joins lines by them.
6. Halves of characters become marks, keys that are no names their text, and what contains itself, nests deeper than
   can be written or has more parts than are read, one text or nothing: that is not all of it, either. What fails when
   it is to show itself is told as nothing.
7. An exception is told as what models are shown of it: its text, its `repr` where that says more, its notes, and those
   of its causes and members; no traceback, whose lines are the program's own. What Assent refused is no answer.

Nothing is asked of an object but its text, its `model_dump` and the attributes that it has in `vars` or in slots; of
tables and arrays, their values.
"""

from __future__ import annotations

import dataclasses
import math
import re
from argparse import Namespace
from array import array
from collections import UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from subprocess import CompletedProcess
from types import MappingProxyType, MemberDescriptorType, SimpleNamespace
from typing import Any, cast
from uuid import UUID

import msgspec

from assent.client.request import encoded
from assent.client.told_tables import content_of
from assent.contract.control.flows import LONGEST_TEXT
from assent.errors import ApprovalError, GuardBlockedError

MOST_EXCEPTIONS = 100
DEEPEST = 100
"""Levels of what is looked at part by part."""
LEAST = 2
"""Characters of JSON that each part has at least."""
ROOM = LONGEST_TEXT + LEAST
"""Characters of JSON that are told, as far as they are counted."""
MOST_BYTES = 4 * LONGEST_TEXT
_INTEGERS = range(-(2**63), 2**64)
_MOMENTS = (datetime, date, time, timedelta, UUID, Decimal)
_BYTES = (bytes, bytearray, memoryview)
_LISTS: tuple[type[Any], ...] = (
    list,
    tuple,
    set,
    frozenset,
    deque,
    range,
    array,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)
_NAMESPACES = (SimpleNamespace, Namespace, CompletedProcess)
"""Classes whose text is their attributes and nothing else."""
_WRAPPERS = (UserDict, UserList, UserString)
_HOLDING = frozenset(
    [
        *("__iter__", "__getitem__", "__array__", "__array_interface__"),
        *("__dataframe__", "__dlpack__", "__arrow_c_array__", "__arrow_c_stream__"),
    ]
)
"""What a class has whose objects hold further ones."""
_CUT = ("...", "\u2026")
_BREAK = re.compile(r"\\+[nrtvf]")
_FAILED = object()


def as_told(result: object) -> tuple[Any, bool]:
    """Raises nothing."""
    parts = _Parts()
    try:
        plain = parts.plain(result, DEEPEST)
        if _is_json(plain):
            return plain, parts.whole
    except Exception:  # noqa: BLE001, S110 - whatever an answer does while it is looked at, it was given
        pass
    return parts.said(parts.text, result), False


def members_of(value: object) -> Mapping[str, object] | None:
    """What is in an object that declares fields. Raises nothing."""
    try:
        kind = type(value)
        declared = _declared(value, kind)
        if declared is not None:
            return declared
        return _public(value) if callable(getattr(kind, "model_dump", None)) else None
    except Exception:  # noqa: BLE001 - whatever it does while it is looked at, it is no mapping
        return None


def _is_json(plain: object) -> bool:
    try:
        return bool(encoded({"result": plain}))
    except (ValueError, TypeError, RecursionError):
        return False


class _Parts:
    """`whole` until something is told otherwise than it is."""

    def __init__(self) -> None:
        self.whole = True
        self._left = ROOM
        self._around: set[int] = set()
        """What is being looked at, by `id`."""
        self._beside = False
        """Whether these are attributes of an object that has a text."""

    def plain(self, value: object, levels: int) -> Any:
        """What JSON carries of a value."""
        self._left -= LEAST
        kind = type(value)
        if kind is str:
            return self._carried(cast("str", value))
        if value is None or kind is bool or (kind is int and value in _INTEGERS):
            return value
        if issubclass(kind, Enum):
            return self.plain(cast("Enum", value)._value_, levels - 1)
        if issubclass(kind, str):
            return self._carried(str.__str__(cast("str", value)))
        if issubclass(kind, int):
            number = int.__int__(cast("int", value))
            return number if number in _INTEGERS else self.said(str, number)
        if issubclass(kind, float):
            real = float.__float__(cast("float", value))
            return real if math.isfinite(real) else str(real)
        if issubclass(kind, _BYTES):
            return self._decoded(cast("bytes | bytearray | memoryview", value))
        if issubclass(kind, _MOMENTS):
            return msgspec.to_builtins(value, enc_hook=self.text)
        if issubclass(kind, PurePath):
            return self.said(str, value)
        if issubclass(kind, BaseException):
            return self.text(value)
        if levels <= 0 or id(value) in self._around:
            self.whole = False
            return self.text(value)
        self._around.add(id(value))
        try:
            return self._opened(value, kind, levels - 1)
        finally:
            self._around.discard(id(value))

    def _opened(self, value: object, kind: type[Any], levels: int) -> Any:
        """Of what has parts, each of which may have as many `levels`."""
        declared = _declared(value, kind)
        if declared is not None:
            fields = self._members(declared, levels)
            return fields if _writer(kind, "__str__") in (object, tuple) else [fields, self.text(value)]
        if issubclass(kind, dict):
            return self._members(dict.copy(cast("dict[object, object]", value)), levels)
        if kind is MappingProxyType:
            return self._members(dict(cast("Mapping[object, object]", value)), levels)
        if issubclass(kind, _LISTS):
            own: Any = next(each for each in kind.__mro__ if each in _LISTS)
            return self._list(own.__iter__(value), levels)
        if kind in _WRAPPERS:
            return self.plain(_attributes(value).get("data"), levels)
        if callable(getattr(kind, "model_dump", None)):
            told = self._of_model(value, levels)
            return [told, self.text(value)] if _says_itself(kind) else told
        try:
            content = content_of(value, kind, self._left // LEAST)
        except Exception:  # noqa: BLE001 - it cannot say what it holds
            self.whole = False
            return self.text(value)
        if content is not None:
            self.whole &= content.whole
            return self.plain(content.data, levels)
        return None if self._beside else self._of_any(value, kind, levels)

    def _members(self, members: Mapping[Any, object], levels: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, each in members.items():
            if self._left <= 0:
                self.whole = False
                break
            name, told = self._name(key), self.plain(each, levels)
            if name in found:
                self.whole, told = False, [found[name], told]
            found[name] = told
        return found

    def _list(self, values: Iterable[object], levels: int) -> list[Any]:
        found: list[Any] = []
        for each in values:
            if self._left <= 0:
                self.whole = False
                break
            found.append(self.plain(each, levels))
        return found

    def _of_any(self, value: object, kind: type[Any], levels: int) -> Any:
        """Its text, which says what it wants to be said of the objects around it, and data that are its attributes."""
        said = self.text(value)
        self.whole &= not _may_be_cut(kind, said)
        public = {} if _is_hidden(kind, said) else _public(value)
        if not public:
            return said
        self._beside = True
        try:
            return [self._members(public, levels), said]
        finally:
            self._beside = False

    def _of_model(self, value: object, levels: int) -> Any:
        """Its fields and what its `model_dump` has besides. None that this leaves out or writes otherwise is lost."""
        fields = self._members(_public(value), levels)
        given = _dumped(value)
        if given is _FAILED:
            return [fields, self.text(value)]
        left, self._left = self._left, ROOM
        dumped = self.plain(given, levels)
        more, self._left = ROOM - self._left, left
        if fields == {"root": dumped}:
            return dumped
        named = cast("dict[str, Any]", dumped) if isinstance(dumped, dict) else None
        told = {**(named or {}), **fields}
        if named is not None and all(told[name] == each for name, each in named.items()):
            return told
        self._left -= more
        return [told, dumped]

    def text(self, value: object) -> str:
        if isinstance(value, BaseException):
            return _with_breaks(self._of_exception(value))
        said = self.said(str, value)
        if _is_hidden(type(value), said):
            self.whole = False
        return _with_breaks(said)

    def _name(self, key: object) -> str:
        if type(key) is str:
            return self._carried(key)
        plain = self.plain(key, 0)
        return plain if isinstance(plain, str) else msgspec.json.encode(plain).decode()

    def said(self, how: Callable[[object], str], value: object) -> str:
        try:
            return self._carried(how(value))
        except Exception:  # noqa: BLE001 - it cannot show itself
            self.whole = False
            return ""

    def _carried(self, text: str) -> str:
        self._left -= len(text)
        if text.isascii():
            return text
        carried = text.encode("utf-8", "replace").decode()
        self.whole &= carried == text
        return carried

    def _decoded(self, value: bytes | bytearray | memoryview) -> str:
        raw = value.tobytes() if isinstance(value, memoryview) else value
        self.whole &= len(raw) <= MOST_BYTES
        part = raw[:MOST_BYTES]
        try:
            text = str(part, "utf-8")
        except UnicodeDecodeError:
            self.whole = False
            return str(part, "utf-8", "replace")
        self.whole &= "\0" not in text
        return text

    def _of_exception(self, error: BaseException) -> str:
        lines: list[str] = []
        waiting, seen = [error], set[int]()
        while waiting:
            each = waiting.pop()
            if id(each) in seen:
                continue
            if len(seen) >= MOST_EXCEPTIONS:
                self.whole = False
                break
            seen.add(id(each))
            if not isinstance(each, GuardBlockedError | ApprovalError):
                lines += self._of_one(each)
            if isinstance(each, BaseExceptionGroup):
                waiting.extend(each.exceptions)
            before = each.__cause__ or (None if each.__suppress_context__ else each.__context__)
            if before is not None:
                waiting.append(before)
        return "\n".join(lines)

    def _of_one(self, error: BaseException) -> list[str]:
        name, said, shown = type(error).__name__, self.said(str, error), self.said(repr, error)
        lines = [f"{name}: {said}"]
        if shown not in (f"{name}({said!r})", f"{name}()"):
            lines.append(shown)
        notes = getattr(error, "__notes__", ())
        return lines + [self.said(str, each) for each in (notes if isinstance(notes, list | tuple) else [notes])]


def _is_hidden(kind: type[Any], said: str) -> bool:
    """Whether a text says nothing of what the object holds."""
    by: object = kind.__str__
    return by is object.__str__ and said.startswith("<") and said.endswith(">")


def _may_be_cut(kind: type[Any], said: str) -> bool:
    """Whether a text may leave out something of what its object holds."""
    return any(each in said for each in _CUT) or any(_HOLDING & vars(each).keys() for each in kind.__mro__)


def _writer(kind: type[Any], name: str) -> type[Any]:
    """The class that says how a text is written."""
    return next(each for each in kind.__mro__ if name in vars(each))


def _says_itself(kind: type[Any]) -> bool:
    """Whether the text of a model is another one than what pydantic writes of the fields."""
    return _writer(kind, "__str__").__module__.partition(".")[0] != "pydantic"


def _with_breaks(text: str) -> str:
    broken = _BREAK.sub("\n", text)
    return text if broken == text else f"{text}\n{broken}"


def _attributes(value: object) -> dict[str, object]:
    try:
        held = vars(value)
    except Exception:  # noqa: BLE001 - it has none, or does not show them
        return {}
    return dict(held) if type(held) is dict else {}


def _public(value: object) -> dict[str, object]:
    return {name: each for name, each in _attributes(value).items() if not str(name).startswith("_")}


def _declared(value: object, kind: type[Any]) -> dict[str, object] | None:
    """The fields of an object whose class says which it has, and what it holds besides under a public name."""
    names: Iterable[Any]
    if issubclass(kind, tuple):
        names = getattr(kind, "_fields", ())
        values = list(tuple.__iter__(cast("tuple[object, ...]", value)))
        is_named = isinstance(names, tuple) and bool(names) and len(names) == len(values)
        return {**_public(value), **dict(zip(names, values, strict=True))} if is_named else None
    if issubclass(kind, msgspec.Struct):
        return {**_public(value), **{name: _field(value, kind, name) for name in kind.__struct_fields__}}
    if kind in _NAMESPACES:
        return _attributes(value)
    if dataclasses.is_dataclass(kind):
        names = [each.name for each in dataclasses.fields(kind)]
    elif isinstance(attrs := getattr(kind, "__attrs_attrs__", None), tuple):
        names = [each.name for each in attrs]
    else:
        return None
    held = _attributes(value)
    found = {name: each for name, each in held.items() if name in names or not str(name).startswith("_")}
    slots = [name for name in names if name not in held and _is_slot(kind, name)]
    return found | {name: _field(value, kind, name) for name in slots}


def _is_slot(kind: type[Any], name: str) -> bool:
    found = next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), None)
    return isinstance(found, MemberDescriptorType)


def _field(value: object, kind: type[Any], name: str) -> object:
    """What is in a slot; None in one that is empty."""
    for each in kind.__mro__:
        slot = vars(each).get(name)
        if isinstance(slot, MemberDescriptorType):
            try:
                return slot.__get__(value, kind)
            except AttributeError:
                return None
    return None


def _dumped(value: Any) -> object:
    """`_FAILED` where it raises."""
    try:
        return value.model_dump(warnings=False)
    except TypeError:
        pass
    except Exception:  # noqa: BLE001 - it cannot say what it holds
        return _FAILED
    try:
        return value.model_dump()
    except Exception:  # noqa: BLE001 - it cannot say what it holds
        return _FAILED
