"""Tables declared as data: a noun says which columns it has and which events make or replace a row.

The payload of an event *is* the row: a member of the payload goes to the column of the same name, and what has no
column stays in the log only. So an event needs no code of its own to become a row, and the live path and a rebuild
cannot drift apart. A row is found by its organization and `key`; `created_at` never changes and is part of the match,
because the store can then skip everything that is older or newer than the batch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """What a column holds. Times are UTC; JSON is kept as text."""

    TEXT = "VARCHAR"
    INTEGER = "BIGINT"
    NUMBER = "DOUBLE"
    BOOLEAN = "BOOLEAN"
    TIME = "TIMESTAMP"
    JSON = "JSON"


@dataclass(frozen=True)
class Column:
    """`unit` where the number has one; `frozen` columns keep the value they were created with. Of a table that has a
    row for each entry of a list, `entry` columns are the entry's own."""

    name: str
    kind: Kind
    meaning: str
    unit: str | None = None
    frozen: bool = False
    entry: bool = False


@dataclass(frozen=True)
class Table:
    """`created` and `replaced` are the event types whose payload is a new row or the whole row after a change.
    `files` is a column that lists files kept beside the log (`blobs`), each an object with its `sha256`. `each` is a
    member of the payload, a list of objects: each of them is a row, and `key`, which the rows of one event share, is
    the event's subject. Such rows are never replaced."""

    name: str
    meaning: str
    key: str
    columns: tuple[Column, ...]
    created: frozenset[str]
    replaced: frozenset[str] = frozenset()
    files: str | None = None
    each: str | None = None

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        missing = {"org_id", "created_at", self.key} - set(names)
        if missing or len(set(names)) != len(names):
            raise ValueError(
                f"table {self.name!r} needs each of org_id, created_at and {self.key} once; it has {names}"
            )
        entries = any(column.entry for column in self.columns)
        if (self.each is not None) is not entries or (entries and self.replaced):
            raise ValueError(f"table {self.name!r}: columns of entries go with `each`, and with nothing that replaces")

    @property
    def types(self) -> frozenset[str]:
        return self.created | self.replaced


def text(name: str, meaning: str, *, frozen: bool = False) -> Column:
    return Column(name, Kind.TEXT, meaning, frozen=frozen)


def integer(name: str, meaning: str, unit: str | None = None) -> Column:
    return Column(name, Kind.INTEGER, meaning, unit)


def number(name: str, meaning: str, unit: str | None = None) -> Column:
    return Column(name, Kind.NUMBER, meaning, unit)


def boolean(name: str, meaning: str) -> Column:
    return Column(name, Kind.BOOLEAN, meaning)


def time(name: str, meaning: str, *, frozen: bool = False) -> Column:
    return Column(name, Kind.TIME, meaning, "UTC", frozen)


def json(name: str, meaning: str) -> Column:
    return Column(name, Kind.JSON, meaning)


def of_entry(column: Column) -> Column:
    """The same column, filled from each entry of the list that makes the rows."""
    return replace(column, entry=True)


ORGANIZATION = text("org_id", "the organization that the row belongs to", frozen=True)
CREATED_AT = time("created_at", "when it was recorded", frozen=True)

EVENTS = Table(
    name="events",
    meaning="every recorded event and where in the log it stands",
    key="n",
    columns=(
        ORGANIZATION,
        integer("n", "number of the event within its organization, from 0"),
        integer("seq", "number of the event within the log, from 1"),
        text("type", "event name"),
        text("subject", "id of what the event is about"),
        text("action_id", "the action it belongs to, if any"),
        text("actor", "id of the key that caused it, or system"),
        CREATED_AT,
        text("leaf_hash", "leaf of the organization's Merkle tree, hex"),
        integer("segment", "first seq of the segment file that holds it"),
        integer("position", "offset in that file", "bytes"),
        integer("length", "length of its line", "bytes"),
    ),
    created=frozenset(),
)
