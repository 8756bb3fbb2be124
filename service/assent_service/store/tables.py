"""Tables declared as data: a noun says which columns it has and which events make or replace a row.

The payload of an event *is* the row: a member of the payload goes to the column of the same name, and what has no
column stays in the log only. The payload's struct says what each member means, so most tables follow from it:

    LOOPS = Table.of(OpenLoop, name="loops", meaning="what actions have left open, one row for each loop as it is now",
                     key="loop_id", created=("loop.created",), replaced=("loop.updated",))

So an event needs no code of its own to become a row, and the live path and a rebuild
cannot drift apart. A row is found by its organization and `key`; `created_at` never changes and is part of the match,
because the store can then skip everything that is older or newer than the batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET, Struct, UnsetType
from msgspec.structs import FieldInfo, fields

from assent.contract.record import metas_of


class ColumnKind(StrEnum):
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
    row for each entry of a list, `entry` columns are the entry's own. `default` is a literal of SQL: what rows hold
    whose event is older than the member."""

    name: str
    kind: ColumnKind
    meaning: str
    unit: str | None = None
    frozen: bool = False
    entry: bool = False
    default: str | None = None


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

    @classmethod
    def of(
        cls,
        row: type[Struct],
        *,
        name: str,
        meaning: str,
        key: str,
        created: Iterable[str],
        replaced: Iterable[str] = (),
        files: str | None = None,
        without: Sequence[str] = (),
        also: Sequence[Column] = (),
        first: Sequence[str] = (),
        after: Mapping[str, str] | None = None,
    ) -> Self:
        """The table whose columns are the members of `row`, in their order, the organization in front.

        `without` are members that have no column, `also` columns that are no members: they come last. An older table
        may have another order than its struct: `first` stand right behind the organization, and of `after` each
        column stands behind the one that is named with it.
        """
        columns = {column.name: column for column in (*columns_of(row, without), *also)}
        strange = {*first, *(after or {}), *(after or {}).values()} - set(columns)
        if strange:
            raise ValueError(f"table {name!r} of {row.__name__} has no {sorted(strange)} to put in order")
        names = list(dict.fromkeys(("org_id", *first, *columns)))
        for moved, before in (after or {}).items():
            names.remove(moved)
            names.insert(names.index(before) + 1, moved)
        return cls(
            name=name,
            meaning=meaning,
            key=key,
            columns=tuple(columns[each] for each in names if each in columns),
            created=frozenset(created),
            replaced=frozenset(replaced),
            files=files,
        )


def columns_of(row: type[Struct], without: Sequence[str] = ()) -> tuple[Column, ...]:
    """A column for each member. Raises ValueError for a member that does not say what it means, and for one that may be
    None and has another default: a table could not tell None from an event that is older than the member."""
    strange = set(without) - set(row.__struct_fields__)
    if strange:
        raise ValueError(f"{row.__name__} has no members {sorted(strange)} to leave out")
    hints = get_type_hints(row, include_extras=True)
    return tuple(_column(row, field, hints[field.name]) for field in fields(row) if field.name not in without)


def _column(row: type[Struct], field: FieldInfo, hint: Any) -> Column:
    name = field.name
    metas = metas_of(hint)
    told = [each.description for each in metas if each.description]
    if not told:
        raise ValueError(f"{row.__name__}.{name} is a column and says nothing of its meaning")
    extra = {key: value for each in metas for key, value in (each.extra or {}).items()}
    kind = kind_of(hint)
    unit = "UTC" if kind is ColumnKind.TIME else extra.get("unit")
    default = _default(field, kind)
    if default is not None and _may_be_none(hint):
        raise ValueError(f"{row.__name__}.{name} may be None and has another default; make None its default")
    return Column(name, kind, told[-1], unit, extra.get("frozen", False), default=default)


def _default(field: FieldInfo, kind: ColumnKind) -> str | None:
    """The member's default as a literal; None where it has none that is something."""
    value = field.default if field.default_factory is NODEFAULT else field.default_factory()
    if value is None or value is NODEFAULT or value is UNSET:
        return None
    written = msgspec.json.encode(value).decode()
    if kind is ColumnKind.TEXT:
        written = str(value.value if isinstance(value, Enum) else value)
    return _quoted(written) if kind in (ColumnKind.TEXT, ColumnKind.JSON, ColumnKind.TIME) else written


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _may_be_none(hint: Any) -> bool:
    """Whether a member of this type may be None."""
    if get_origin(hint) is Annotated:
        return _may_be_none(get_args(hint)[0])
    return get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)


def kind_of(hint: Any) -> ColumnKind:
    """What a column holds for a member of this type; what is neither text, number, truth nor time is JSON."""
    origin = get_origin(hint)
    if origin is Annotated:
        return kind_of(get_args(hint)[0])
    if origin in (Union, UnionType):
        kinds = {kind_of(each) for each in get_args(hint) if each not in (NoneType, UnsetType)}
        if kinds == {ColumnKind.INTEGER, ColumnKind.NUMBER}:
            return ColumnKind.NUMBER
        return kinds.pop() if len(kinds) == 1 else ColumnKind.JSON
    if origin is Literal:
        return ColumnKind.TEXT
    if isinstance(hint, type):
        for known, kind in KINDS.items():
            if issubclass(hint, known):
                return kind
    return ColumnKind.JSON


KINDS: dict[type, ColumnKind] = {
    str: ColumnKind.TEXT,
    bool: ColumnKind.BOOLEAN,
    int: ColumnKind.INTEGER,
    float: ColumnKind.NUMBER,
    datetime: ColumnKind.TIME,
}
"""By the type of a member. A truth is a number to Python, so it is looked at first."""


def text(name: str, meaning: str, *, frozen: bool = False) -> Column:
    return Column(name, ColumnKind.TEXT, meaning, frozen=frozen)


def integer(name: str, meaning: str, unit: str | None = None) -> Column:
    return Column(name, ColumnKind.INTEGER, meaning, unit)


def number(name: str, meaning: str, unit: str | None = None) -> Column:
    return Column(name, ColumnKind.NUMBER, meaning, unit)


def boolean(name: str, meaning: str) -> Column:
    return Column(name, ColumnKind.BOOLEAN, meaning)


def time(name: str, meaning: str, *, frozen: bool = False) -> Column:
    return Column(name, ColumnKind.TIME, meaning, "UTC", frozen)


def json(name: str, meaning: str) -> Column:
    return Column(name, ColumnKind.JSON, meaning)


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
