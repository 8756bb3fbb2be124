"""Arrays of a fixed type in PostgreSQL's binary format (`array_recv`).

psycopg chooses the type of a list by its values: the same call would be a new statement whenever a number got longer or
a list was empty. It also looks at each element, which costs more than hashing an event.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from struct import Struct, pack
from typing import Final

from psycopg.adapt import Buffer, Dumper
from psycopg.pq import Format

from assent_service.store.postgresql.connecting import Connection

INT4, INT8, TEXT, BYTEA = 23, 20, 25, 17
"""Types of elements, as the catalogue numbers them."""
_SHAPE: Final = Struct("!iiIii")
"""One dimension, no nulls, the type, how many, and that the first has the index 1."""
_EMPTY: Final = Struct("!iiI")
_length = Struct("!i").pack


class Array:
    """Values for one parameter; `kind` is the type of the elements."""

    __slots__ = ("values",)
    kind: int

    def __init__(self, values: Sequence[int] | Sequence[str] | Sequence[bytes]) -> None:
        self.values = values


class Int4s(Array):
    kind = INT4


class Int8s(Array):
    kind = INT8


class Texts(Array):
    kind = TEXT


class Bytes(Array):
    kind = BYTEA


class _ArrayDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: Array) -> Buffer:
        if not obj.values:
            return _EMPTY.pack(0, 0, obj.kind)
        return _SHAPE.pack(1, 0, obj.kind, len(obj.values), 1) + _packed(obj)


class _Int4sDumper(_ArrayDumper):
    oid = 1007


class _Int8sDumper(_ArrayDumper):
    oid = 1016


class _TextsDumper(_ArrayDumper):
    oid = 1009


class _BytesDumper(_ArrayDumper):
    oid = 1001


def teach(connection: Connection) -> None:
    """Let the connection take arrays as parameters."""
    for kind, dumper in ((Int4s, _Int4sDumper), (Int8s, _Int8sDumper), (Texts, _TextsDumper), (Bytes, _BytesDumper)):
        connection.adapters.register_dumper(kind, dumper)


def _packed(array: Array) -> bytes:
    """Each element behind its length in bytes."""
    if isinstance(array, Int4s | Int8s):
        width, letter = (4, "i") if isinstance(array, Int4s) else (8, "q")
        numbers = chain.from_iterable(zip(repeat(width), array.values, strict=False))
        return pack("!" + f"i{letter}" * len(array.values), *numbers)
    parts: list[bytes] = []
    for each in array.values:
        element = each.encode() if isinstance(each, str) else each
        assert isinstance(element, bytes)
        parts += (_length(len(element)), element)
    return b"".join(parts)
