"""What a session is told of an answer, whatever it is: JSON, and whether that is all of it.

1. What JSON carries is told as it is; dataclasses, sets and moments as `msgspec` writes them. A number that JSON cannot
   say (NaN, infinity) is told as its text.
2. Any other object is told as its text (`str`). One that has none, such as a file, a generator or an object whose
   `repr` is `<...>`, may hold more than it shows: that is not all of it.
3. Halves of characters become marks, keys that are no names their text, and what contains itself, or nests deeper than
   can be written, one text: that is not all of it, either. What fails when it is to show itself is told as nothing.
4. An exception is told as what models are shown of it: its text, its `repr` where that says more, its notes, and those
   of its causes and members; no traceback, whose lines are the program's own. What Assent refused is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from assent.client.request import encoded
from assent.errors import ApprovalError, GuardBlockedError

MOST_EXCEPTIONS = 100
DEEPEST = 100
"""Levels of what has to be looked at part by part."""


def as_told(result: object) -> tuple[Any, bool]:
    """Raises nothing."""
    parts = _Parts()
    try:
        plain = msgspec.to_builtins(result, enc_hook=parts.text)
        if not _is_json(plain):
            plain = parts.plain(plain, DEEPEST)
        return plain, parts.whole
    except Exception:  # noqa: BLE001 - whatever an answer does while it is looked at, it was given
        return parts.said(parts.text, result), False


def _is_json(plain: object) -> bool:
    try:
        return bool(encoded({"result": plain}))
    except (ValueError, TypeError, RecursionError):
        return False


class _Parts:
    """`whole` until something is told otherwise than it is."""

    def __init__(self) -> None:
        self.whole = True

    def plain(self, value: object, levels: int) -> Any:
        """What JSON carries of builtin values."""
        match value:
            case str():
                return self._carried(value)
            case float() if not math.isfinite(value):
                return str(value)
            case Mapping() if levels:
                members = cast("Mapping[object, object]", value)
                return {self._name(key): self.plain(each, levels - 1) for key, each in members.items()}
            case list() | tuple() if levels:
                return [self.plain(each, levels - 1) for each in cast("list[object]", value)]
            case None | bool() | int() | float():
                return value
            case _:
                self.whole = False
                return self.text(value)

    def text(self, value: object) -> str:
        if isinstance(value, BaseException):
            return self._of_exception(value)
        said = self.said(str, value)
        if type(value).__str__ is object.__str__ and said.startswith("<") and said.endswith(">"):
            self.whole = False
        return said

    def _name(self, key: object) -> str:
        if not isinstance(key, str):
            self.whole &= isinstance(key, int | float | None)
            key = self.text(key)
        return self._carried(key)

    def said(self, how: Callable[[object], str], value: object) -> str:
        try:
            return self._carried(how(value))
        except Exception:  # noqa: BLE001 - it cannot show itself
            self.whole = False
            return ""

    def _carried(self, text: str) -> str:
        carried = text.encode("utf-8", "replace").decode()
        self.whole &= carried == text
        return carried

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
