"""What arguments hold at one moment, by content, so that a change of them is seen before they are used.

The digest that is recorded (`arguments.digest`) holds of values beyond JSON what their `repr` shows. A snapshot holds
what a pickler sees of them: an object is its class and what `__reduce_ex__(5)` gives, down to the last part, buffers
included. Equal content in other objects is the same; nothing depends on how deep a value is, or on what it shares.
Values that are JSON alone have no snapshot: their digest holds all of them.

What cannot be pickled (connections, locks, files, weak references) is held by its identity, and by its attributes where
it has any. An object that has such a thing anywhere in it is a *live* one: a client, a session of a database, an order
with a lock. Of a live argument its identity and its attributes count, but of other live objects in those their identity
alone: a pool of connections breathes while a person decides, and an order's amount does not. Functions are held by
identity, their defaults and what they close over as far as it is JSON; so are the locals of generators. Clients of this
package and what asyncio brings (but its queues) are held by identity.

A cache that an object fills meanwhile makes it another one, unless its class leaves the cache out when it is pickled:
nobody can tell a cached total from a changed one. What is pickled in another form each time is never the same.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copyreg import dispatch_table
from dataclasses import dataclass, field
from pickle import PickleBuffer
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CoroutineType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
)
from typing import Any

import msgspec

from assent.client.operation import AsyncRunner, Runner

DEEPEST = 100_000
"""Levels; what lies deeper is held by identity."""
_JSON_LEVELS = 30
"""As deep as the recorded digest goes into JSON."""
_SAFE_INTEGER = 2**53 - 1
_PROTOCOL = 5
_SHORT = 64


@dataclass(frozen=True)
class Snapshot:
    """Equal where the arguments hold the same. `held` keeps alive what is known by its identity, so that no other
    object comes to have it."""

    digest: bytes
    held: list[object] = field(compare=False)


def snapshot(arguments: Mapping[str, Any]) -> Snapshot | None:
    """None for JSON alone. Raises nothing."""
    if all(_is_json(each, _JSON_LEVELS) for each in arguments.values()):
        return None
    walk = _Walk()
    try:
        digest = walk.digest(dict(arguments))
    except Exception:  # noqa: BLE001 - what cannot even be looked at is the same as nothing
        digest = os.urandom(32)
    return Snapshot(digest, walk.held)


def _is_json(value: object, levels: int) -> bool:
    """Whether the recorded digest holds all of it: of these very types, since a subclass may hold more."""
    kind = type(value)
    if kind in _TEXTS:
        return True
    if kind in _NUMBERS:
        return -_SAFE_INTEGER <= value <= _SAFE_INTEGER  # type: ignore[operator]
    if levels <= 0 or kind not in _NESTING:
        return False
    parts: Any = value
    if kind is dict:
        if any(type(name) is not str for name in parts):
            return False
        parts = list(parts.values())
    return all(type(each) in _TEXTS or _is_json(each, levels - 1) for each in parts)


_TEXTS = frozenset({str, bool, type(None)})
_NUMBERS = frozenset({int, float})
_NESTING = frozenset({dict, list, tuple})


@dataclass
class _Found:
    """What was found of one object. `content` is its digest, `beside` the one that it has inside of a live object."""

    content: bytes
    beside: bytes
    live: bool = False


class _Open:
    """An object whose parts are being looked at."""

    def __init__(self, value: object, parts: Iterator[object], name: str, *, transparent: bool, live: bool) -> None:
        self.value, self.parts = value, parts
        self.transparent, self.live = transparent, live
        self.unordered = type(value) in (set, frozenset)
        self.name = name.encode("utf-8", "backslashreplace")
        self.contents: list[bytes] = []
        self.besides: list[bytes] = []

    def takes(self, part: _Found) -> None:
        self.contents.append(part.content)
        self.besides.append(part.beside)
        self.live = self.live or part.live

    def found(self, identity: Callable[[object], bytes]) -> _Found:
        if self.unordered:
            self.contents.sort()
            self.besides.sort()
        content, beside = _hash(self.name, *self.contents), _hash(self.name, *self.besides)
        if self.transparent or not self.live:
            return _Found(content, beside if self.live else content, self.live)
        own = identity(self.value)
        return _Found(_hash(own, beside), own, True)


class _Walk:
    def __init__(self) -> None:
        self.held: list[object] = []
        self._found: dict[int, _Found] = {}
        self._alive: list[object] = []
        """What `_found` knows by its id: what an object is reduced to would be gone, and its id another's."""

    def digest(self, value: object) -> bytes:
        """Of a value that is no leaf."""
        under_way: dict[int, int] = {}
        stack: list[_Open] = []
        found = self._begin(value, stack, under_way)
        while stack:
            top = stack[-1]
            if found is not None:
                top.takes(found)
            found = self._next(top, stack, under_way)
        assert found is not None, "the outermost is found last"
        return found.content

    def _next(self, top: _Open, stack: list[_Open], under_way: dict[int, int]) -> _Found | None:
        """The next part of it that is no leaf, where that is known; itself after the last. Leaves are taken at once."""
        contents, besides = top.contents, top.besides
        try:
            for part in top.parts:
                written = _LEAVES.get(type(part))
                if written is None:
                    return self._held(part) or self._begin(part, stack, under_way)
                leaf = _short(type(part).__name__.encode(), written(part))
                contents.append(leaf)
                besides.append(leaf)
        except Exception:  # noqa: BLE001 - whatever an object's own way to its parts raises
            top.takes(_plain(b"broken"))
        stack.pop()
        del under_way[id(top.value)]
        found = self._found[id(top.value)] = top.found(self._identity)
        return found

    def _begin(self, value: object, stack: list[_Open], under_way: dict[int, int]) -> _Found | None:
        """What is known of it already; else it is opened."""
        key = id(value)
        known = self._found.get(key)
        if known is not None:
            return known
        if key in under_way:
            return _plain(_hash(b"around", str(len(stack) - under_way[key]).encode()))
        self._alive.append(value)
        if len(stack) >= DEEPEST:
            found = self._found[key] = _plain(self._identity(value))
            return found
        opened = self._opened(value)
        under_way[key] = len(stack)
        stack.append(opened)
        return None

    def _held(self, value: object) -> _Found | None:
        """What is JSON, as that; what is held by its identity."""
        kind = type(value)
        if kind in _NESTING and _is_json(value, _JSON_LEVELS):
            with suppress(UnicodeEncodeError):
                return _plain(_short(b"json", msgspec.json.encode(value)))
        if issubclass(kind, _BY_IDENTITY):
            return _plain(self._identity(value))
        if kind is MethodType:
            return _plain(_hash(self._identity(value.__func__), self._identity(value.__self__)))  # type: ignore[attr-defined]
        if issubclass(kind, Runner | AsyncRunner) or _is_asyncios(kind):
            own = self._identity(value)
            return _Found(own, own, True)
        return None

    def _identity(self, value: object) -> bytes:
        self.held.append(value)
        return _hash(b"identity", str(id(value)).encode())

    def _opened(self, value: Any) -> _Open:
        kind = type(value)
        if kind is dict or kind is MappingProxyType:
            parts: Iterator[object] = itertools.chain.from_iterable(list(value.items()))
            return _Open(value, parts, kind.__name__, transparent=True, live=False)
        if kind in _CONTAINERS:
            return _Open(value, iter(list(value)), kind.__name__, transparent=True, live=False)
        if kind is FunctionType:
            return _Open(value, self._of_function(value), self._named(value), transparent=True, live=False)
        if kind in _FRAMES:
            return _Open(value, self._of_frame(value), self._named(value), transparent=False, live=True)
        if kind is memoryview or kind is PickleBuffer:
            return _Open(value, iter((_buffer(value),)), "buffer", transparent=True, live=False)
        reduced = _reduced(value)
        if isinstance(reduced, str):
            return _Open(value, iter(()), self._named(value), transparent=True, live=False)
        if reduced is None:
            parts = itertools.chain(_attributes(value), iter((_buffer(value),)))
            return _Open(value, parts, self._named(value), transparent=False, live=True)
        parts = itertools.chain((kind,), _parts(reduced), _of_exception(value))
        return _Open(value, parts, kind.__qualname__, transparent=False, live=False)

    def _named(self, value: object) -> str:
        return self._identity(value).hex()

    def _of_function(self, function: FunctionType) -> Iterator[object]:
        yield from (function.__defaults__, function.__kwdefaults__, function.__dict__)
        for cell in function.__closure__ or ():
            try:
                yield from self._if_json(cell.cell_contents)
            except ValueError:
                yield "empty"

    def _of_frame(self, value: Any) -> Iterator[object]:
        """Where it has come to, and its own variables."""
        frame = next(getattr(value, name) for name in ("gi_frame", "ag_frame", "cr_frame") if hasattr(value, name))
        if frame is not None:
            yield frame.f_lasti
            for name, each in list(frame.f_locals.items()):
                yield name
                yield from self._if_json(each)

    def _if_json(self, value: object) -> Iterator[object]:
        yield value if _is_json(value, _JSON_LEVELS) else self._identity(value)


def _plain(digest: bytes) -> _Found:
    return _Found(digest, digest)


def _hash(*parts: bytes | memoryview) -> bytes:
    """Each part is told apart from the next by its length, and a digest from a value by its beginning."""
    whole = hashlib.blake2b(digest_size=32)
    for part in parts:
        whole.update(b"%d:" % (part.nbytes if isinstance(part, memoryview) else len(part)))
        whole.update(part)
    return b"#" + whole.digest()


def _short(name: bytes, value: bytes) -> bytes:
    return b"%b %b" % (name, value if len(value) <= _SHORT else _hash(value))


def _reduced(value: Any) -> tuple[Any, ...] | str | None:
    """How a pickler takes it apart: into its parts, or by the name that a module has for it; None where it cannot."""
    kind = type(value)
    if kind.__module__ == "itertools" and sys.version_info >= (3, 12):
        return None  # it warns that it will not be able to
    try:
        own = dispatch_table.get(kind)
        reduced = value.__reduce_ex__(_PROTOCOL) if own is None else own(value)
    except Exception:  # noqa: BLE001 - whatever an object's own way to be pickled raises
        return None
    return reduced if isinstance(reduced, tuple | str) else None


def _parts(reduced: tuple[Any, ...]) -> Iterator[object]:
    """Of what makes the object, its arguments, its state, its items. The state's own containers are no objects of the
    program's and are taken apart here."""
    make, args, *rest = reduced
    yield make
    yield from args
    state, items, pairs, *setter = (*rest, None, None, None)[: max(3, len(rest))]
    for each in state if isinstance(state, tuple) else (state,):
        yield "state"
        yield each
    if items is not None:
        yield "items"
        yield from items
    if pairs is not None:
        yield "pairs"
        yield from itertools.chain.from_iterable(pairs)
    yield from setter


def _of_exception(value: Any) -> Iterator[object]:
    """A pickler leaves out why it was raised."""
    if issubclass(type(value), BaseException):
        yield from (value.__cause__, value.__context__, value.__suppress_context__)


def _attributes(value: object) -> Iterator[object]:
    """What `__dict__` and slots hold."""
    try:
        yield dict(object.__getattribute__(value, "__dict__"))
    except Exception:  # noqa: BLE001 - it has none, or one of its own making
        yield "no attributes"
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else tuple(slots):
            hidden = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and name[-2:] != "__" else name
            if name not in ("__dict__", "__weakref__"):
                with suppress(Exception):  # it may be empty
                    yield from (hidden, object.__getattribute__(value, hidden))


def _buffer(value: Any) -> bytes:
    """The digest of what it holds as bytes."""
    try:
        view = memoryview(value)
        shape = f"{view.format} {view.shape}".encode()
        return _hash(shape, view if view.c_contiguous else view.tobytes())
    except Exception:  # noqa: BLE001 - it has no bytes, or gives them no more
        return b""


def _is_asyncios(kind: type) -> bool:
    module = str(kind.__module__)
    return module in ("asyncio", "_asyncio") or (module.startswith("asyncio.") and module != "asyncio.queues")


_END = object()
_BY_IDENTITY = (type, ModuleType, BuiltinFunctionType, type(...), type(NotImplemented))
_LEAVES: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"",
    bool: lambda value: b"1" if value else b"0",
    int: lambda value: b"%x" % value,
    float: lambda value: struct.pack(">d", value),
    complex: lambda value: struct.pack(">dd", value.real, value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass"),
    bytes: lambda value: value,
    bytearray: bytes,
}
_CONTAINERS: tuple[type, ...] = (list, tuple, set, frozenset, type({}.keys()), type({}.values()), type({}.items()))
_FRAMES = (GeneratorType, AsyncGeneratorType, CoroutineType)
