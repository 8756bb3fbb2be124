"""What a call's arguments look like to people, and what stands for them in an approval.

To people: `name(amount=12, password=[REDACTED:password])` in one line. A value whose name speaks of a secret is never
written down; of the others, what looks like a secret is taken out, and what is long is shortened. Bytes that are UTF-8
are text. An object is what its `repr` says, and where its class has none of its own, its class and its attributes.

In an approval: the SHA-256 of all of them, as canonical JSON. What JSON cannot carry stands there as its `repr`, and
what is made of bytes (arrays too) as their digest: the digest then holds for this very call, which is all that an
approval is for. What an object's `repr` does not show is not in it.

How a function was called becomes its arguments by name, defaults included. The receiver of a method is no argument: the
first parameter of a function that was defined in a class, where it is called `self` or `cls`.
"""

from __future__ import annotations

import hashlib
import inspect
import reprlib
import types
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any, cast

from assent.proof.act import parameters_digest
from assent.secrets import displayed, hidden, kind_of, names_secret

LONGEST_VALUE, LONGEST_LINE = 120, 500
"""Signs. A goal may be longer where its author wrote it (`LONGEST_GOAL`)."""
LONGEST_GOAL = 2000
"""What the contract takes."""
DEEPEST = 30
SAFE_INTEGER = 2**53 - 1
"""Integers beyond it are not the same in every reader of JSON."""

_MOST = 20
_HEAD = 2000
"""Bytes of an argument that people may be shown."""


def line(name: str, arguments: Mapping[str, Any]) -> str:
    """`name(argument=value, ...)`."""
    said = ", ".join(f"{each}={displayed_value(each, value)}" for each, value in arguments.items())
    return cut(_visible(displayed(f"{name}({said})")), LONGEST_LINE)


def displayed_value(name: str, value: object) -> str:
    """One argument's value, as people may see it."""
    return _hidden(name) if names_secret(name) else cut(_written(value, 0), LONGEST_VALUE)


def spoken(name: str, value: object) -> str:
    """The same inside a sentence: texts stand there without quotes."""
    if isinstance(value, str) and not names_secret(name):
        return cut(cleaned(value), LONGEST_VALUE)
    return displayed_value(name, value)


def cleaned(text: str) -> str:
    """The text in one line, without what looks like a secret and without signs that cannot be seen."""
    return _visible(" ".join(displayed(text).split()))


def cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _visible(text: str) -> str:
    return text if text.isprintable() else "".join(sign if sign.isprintable() else "\ufffd" for sign in text)


def _written(value: object, depth: int) -> str:
    match value:
        case str():
            return repr(cut(displayed(value), 4 * LONGEST_VALUE))
        case bytes() | bytearray() | memoryview():
            return _of_bytes(value)
        case Mapping() if depth < 3:
            first = list(value.items())[:_MOST]
            members = ", ".join(f"{_written(key, depth + 1)}: {_member(key, each, depth)}" for key, each in first)
            return f"{{{members}{_more(len(value))}}}"
        case list() | tuple() if depth < 3:
            members = ", ".join(_written(each, depth + 1) for each in value[:_MOST])
            return f"[{members}{_more(len(value))}]" if isinstance(value, list) else f"({members}{_more(len(value))})"
        case Mapping() | list() | tuple():
            return "..."
        case _ if type(value).__repr__ is object.__repr__ and (held := _attributes(value)):
            first = list(held.items())[:_MOST] if depth < 3 else []
            members = ", ".join(f"{name}={_member(name, each, depth)}" for name, each in first)
            return f"{type(value).__name__}({members}{_more(len(held)) if first else '...'})"
        case _:
            return cut(cleaned(_repr(value, _SHORT.repr)), 4 * LONGEST_VALUE)


def _of_bytes(value: bytes | bytearray | memoryview) -> str:
    """How many they are, and how they begin, where that is text."""
    size = memoryview(value).nbytes
    try:
        head = bytes(value[:_HEAD])
        text = head.decode("utf-8", "strict" if size <= _HEAD else "ignore")
    except (UnicodeDecodeError, ValueError, TypeError, NotImplementedError):
        return f"<{size} bytes>"
    return f"<{size} bytes: {cut(displayed(text), 4 * LONGEST_VALUE)!r}>" if text else f"<{size} bytes>"


def _attributes(value: object) -> dict[str, object]:
    """What an object holds by name, in its dictionary and in slots; nothing is computed for it."""
    kinds = type(value).__mro__
    slots = [
        name for kind in kinds for name, each in vars(kind).items() if isinstance(each, types.MemberDescriptorType)
    ]
    try:
        held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
        return held | dict(getattr(value, "__dict__", {}))
    except Exception:  # noqa: BLE001 - a value that cannot show itself is still an argument
        return {}


def _member(name: object, value: object, depth: int) -> str:
    return _hidden(str(name)) if names_secret(str(name)) else _written(value, depth + 1)


def _hidden(name: str) -> str:
    return hidden(kind_of(name) or "secret")


def _more(count: int) -> str:
    return ", ..." if count > _MOST else ""


_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 4 * LONGEST_VALUE


def digest(arguments: Mapping[str, Any]) -> str:
    """`sha256:` and 64 hex digits over all arguments, whatever they are."""
    return parameters_digest(_plain(arguments, 0))


def plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments as JSON, of which `digest` is the digest."""
    return cast("dict[str, Any]", _plain(arguments, 0))


def _plain(value: object, depth: int) -> object:
    """The value as JSON that has exactly one canonical form."""
    match value:
        case None | bool():
            return value
        case str():
            return value if _is_text(value) else {"repr": ascii(value)}
        case int():
            return value if abs(value) <= SAFE_INTEGER else {"int": str(int(value))}
        case float():
            return value if value - value == 0 else {"float": repr(value)}
        case bytes() | bytearray() | memoryview():
            return {"bytes": hashlib.sha256(value).hexdigest()}
        case Mapping() if depth < DEEPEST and all(isinstance(name, str) and _is_text(name) for name in value):
            return {str(name): _plain(each, depth + 1) for name, each in value.items()}
        case list() | tuple() if depth < DEEPEST:
            return [_plain(each, depth + 1) for each in value]
        case _:
            whole = _repr(value, repr).encode("utf-8", "backslashreplace") + _buffer(value)
            return {"repr": hashlib.sha256(whole).hexdigest()}


def _buffer(value: Any) -> bytes:
    """What an array holds; its `repr` may leave out the middle."""
    try:
        return memoryview(value).tobytes()
    except (TypeError, ValueError, NotImplementedError):
        return b""


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _repr(value: object, how: Callable[[object], str]) -> str:
    try:
        return how(value)
    except Exception:  # noqa: BLE001 - a value that cannot show itself is still an argument
        return f"<{type(value).__name__}>"


RECEIVERS = ("self", "cls", "mcs")
_OPEN = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Parameters:
    """Those of one function. One that has no signature (some of C) has its arguments by position."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self._signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):
            self._signature = None
        named = [] if self._signature is None else list(self._signature.parameters)
        receives = bool(named) and named[0] in RECEIVERS and _in_class(function)
        self._receiver = named[0] if receives else None
        self.names = [name for name in named if name != self._receiver]

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name. Raises TypeError, as calling the function would."""
        if self._signature is None:
            return {**({"args": list(args)} if args else {}), **kwargs}
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = self._signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                arguments |= {each if each not in arguments else f"**{each}": given for each, given in value.items()}
            elif name != self._receiver and not (kind is inspect.Parameter.VAR_POSITIONAL and not value):
                arguments[name] = value
        return arguments

    def changed(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any], changes: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """How the function is called with these arguments instead. Raises TypeError for what is none of them."""
        if self._signature is None:
            raise TypeError("a function without a signature has no arguments by name that could be changed")
        bound = self._signature.bind(*args, **kwargs)
        open_ends = {each.name: each.kind for each in self._signature.parameters.values() if each.kind in _OPEN}
        keywords = next((name for name, kind in open_ends.items() if kind is inspect.Parameter.VAR_KEYWORD), None)
        for name, value in changes.items():
            if name in self.names and name not in open_ends:
                bound.arguments[name] = value
            elif keywords is not None:
                bound.arguments[keywords] = {**bound.arguments.get(keywords, {}), name: value}
            else:
                known = ", ".join(each for each in self.names if each not in open_ends)
                raise TypeError(f"{name!r} is no argument that can be changed; give one of {known or 'none'}")
        return bound.args, bound.kwargs

    def goal(self, template: str) -> Callable[[Mapping[str, Any]], str]:
        """What fills the places of a template in. Raises ValueError for a place that names no parameter."""
        for _, place, spec, conversion in Formatter().parse(template):
            if place is None:
                continue
            if place not in self.names or spec or conversion:
                raise ValueError(
                    f"declared_goal has the place {{{place}}}, which names no argument; give one of "
                    f"{', '.join(f'{{{name}}}' for name in self.names) or 'none, since there are no arguments'}"
                )
        return lambda arguments: template.format_map({name: spoken(name, arguments.get(name)) for name in self.names})


def _in_class(function: Callable[..., Any]) -> bool:
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    return bool(outer) and not outer.endswith("<locals>")
