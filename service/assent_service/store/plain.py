"""Rows whose members the database can be given as they are: numbers as numbers, times as times.

A batch of a few rows is what a fresh read waits for. Given as text, each of a row's fifty columns is an expression that
the database makes ready anew; as values they cost less than half. What is not plain is left to the statements that
parse whole payloads, and both ways make the same row:

    shape = PlainRow(table.columns)
    shape.values(payload)       # in the order of the columns, or None: let the database parse it
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Annotated, Any

import msgspec

from assent.contract.prepared import prepared
from assent_service.store.tables import Column, ColumnKind, Table

_STRING = rb'"(?:[^"\\\x00-\x1f]|\\["\\bfnrt])*"'
_NUMBER = rb"(?<![0-9.+-])(?:-?[1-9][0-9]{0,14}|0|-?(?:0|[1-9][0-9]{0,8})\.(?:0|[0-9]{0,3}[1-9]))(?=[,\]}]|\Z)"
_KEPT = re.compile(rb"[][{},:]+|true|false|null|" + _STRING + b"|" + _NUMBER)
"""Tokens of JSON that the database, which writes it anew, writes as they are."""
_LONG = re.compile(rb"-?(?:0|[1-9][0-9]{0,14})\.[0-9]{1,20}\Z")
"""Other numbers, such as a mean: those that are spelt as shortly as their value can be, as `repr` spells it."""
_TYPES: dict[ColumnKind, Any] = {
    ColumnKind.TEXT: str | None,
    ColumnKind.INTEGER: Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)] | None,
    ColumnKind.NUMBER: float | None,
    ColumnKind.BOOLEAN: bool | None,
    ColumnKind.TIME: Annotated[
        str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?Z\Z")
    ]
    | None,
    ColumnKind.JSON: msgspec.Raw,
}


class PlainRow:
    """How payloads become values for these columns."""

    def __init__(self, columns: Sequence[Column]) -> None:
        names = [f"column{place}" for place in range(len(columns))]
        members = [(name, _TYPES[each.kind], None) for name, each in zip(names, columns, strict=True)]
        renamed = {name: each.name for name, each in zip(names, columns, strict=True)}
        shape = msgspec.defstruct("PlainRow", members, rename=renamed)
        self._decode = msgspec.json.Decoder(prepared(shape)).decode
        self._times = [place for place, each in enumerate(columns) if each.kind is ColumnKind.TIME]
        self._json = [place for place, each in enumerate(columns) if each.kind is ColumnKind.JSON]
        self._filled = [place for place, each in enumerate(columns) if each.default is not None]

    def values(self, payload: bytes) -> list[Any] | None:
        """In the order of the columns; None for a payload with a member that the database has to read or fill in."""
        try:
            values = list(msgspec.structs.astuple(self._decode(payload)))
            for place in self._times:
                if values[place] is not None:
                    values[place] = datetime.fromisoformat(values[place][:-1])
        except ValueError:
            return None
        for place in self._json:
            written = None if values[place] is None else bytes(values[place])
            if written is None or written == b"null":
                values[place] = None
            elif not _is_kept(written):
                return None
            else:
                values[place] = written.decode()
        return None if any(values[place] is None for place in self._filled) else values


def _is_kept(written: bytes) -> bool:
    """Whether the database writes this JSON as it is."""
    return all(_is_shortest(token) for token in _KEPT.sub(b",", written).split(b",") if token)


def _is_shortest(number: bytes) -> bool:
    return _LONG.match(number) is not None and repr(float(number)).encode() == number


@cache
def plain_row(table: Table) -> PlainRow:
    return PlainRow(table.columns)
