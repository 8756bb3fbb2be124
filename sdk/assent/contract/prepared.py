"""Structs that may be decoded from any thread.

msgspec builds what it knows of a struct when the struct is first decoded, in several steps between which other threads
run. One that decodes the same struct meanwhile reads what is half built, and the process dies of it (msgspec 0.22). So
whatever may be decoded in several threads is built here first, by one thread at a time.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_BUILDING = RLock()
_PREPARED: set[Any] = set()


def prepared(kind: type[T]) -> type[T]:
    """`kind` itself, a type that msgspec decodes, once all of it and of its members is built."""
    if kind not in _PREPARED:
        with _BUILDING:
            msgspec.json.Decoder(kind)
            _PREPARED.add(kind)
    return kind
