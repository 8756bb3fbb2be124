"""Rows of the tables as records: chosen by filters, looked up by id, and read page by page.

    loop = await find_row(ledger, LOOPS, OpenLoop, org_id, loop_id)         # None when the organization has none

    FILTERS = Filters(ACTIONS, ActionsQuery, {"risk_min": "risk_score >= ?", "days": None})

    chosen = of_caller(principal)                                           # of the agents that the caller may see
    FILTERS.narrow(chosen, query)                                           # what the query does not say adds nothing
    listed = await list_rows(ledger, ACTIONS, Action, chosen, query)

Pages are newest first, with an opaque cursor from one to the next.
"""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, Generic, Protocol, TypeVar, cast, get_type_hints

import msgspec

from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import SECOND, microseconds, minted, moment, naive
from assent_service.base.problem import refuse
from assent_service.core.principal import Principal
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger
from assent_service.store.tables import ColumnKind, Table, kind_of

T = TypeVar("T")
Query_contra = TypeVar("Query_contra", bound=msgspec.Struct, contravariant=True)

PAGING = frozenset({"limit", "offset", "cursor"})
"""The members of a query that say which page, and not which rows."""


def select(table: Table, alias: str | None = None) -> str:
    """The declared columns for a SELECT, in order."""
    prefix = f"{alias}." if alias else ""
    return ", ".join(f'{prefix}"{column.name}"' for column in table.columns)


def record(table: Table, row: Row, into: type[T]) -> T:
    """A row of `select(table)` as a record: JSON columns are decoded, times become aware.

    A row is empty where it is older than its column; a member with a default has that then, as it has when an event
    that is older than the member is decoded.
    """
    younger = _younger(cast("type[msgspec.Struct]", into))
    members: dict[str, Any] = {}
    for column, value in zip(table.columns, row, strict=True):
        if value is None:
            if column.name not in younger:
                members[column.name] = None
        elif column.kind is ColumnKind.JSON:
            members[column.name] = msgspec.json.decode(str(value))
        elif isinstance(value, datetime):
            members[column.name] = value.replace(tzinfo=UTC)
        else:
            members[column.name] = value
    return msgspec.convert(members, prepared(into))


@cache
def _younger(into: type[msgspec.Struct]) -> frozenset[str]:
    """The members of a record whose default is something."""
    nothing = (msgspec.NODEFAULT, None)
    return frozenset(
        field.name
        for field in msgspec.structs.fields(into)
        if field.default not in nothing or field.default_factory is not msgspec.NODEFAULT
    )


class Filter:
    """Conditions and their parameters, collected one by one and joined by AND."""

    def __init__(self, org_id: str) -> None:
        self._conditions = ["org_id = ?"]
        self.parameters: list[object] = [org_id]

    def add(self, condition: str, value: object) -> None:
        """`condition` holds one `?`; a `value` of None adds nothing."""
        if value is not None:
            self._conditions.append(condition)
            self.parameters.append(value)

    def add_all(self, condition: str, values: Sequence[object]) -> None:
        self._conditions.append(condition)
        self.parameters.extend(values)

    def copy(self) -> Filter:
        twin = Filter("")
        twin._conditions, twin.parameters = list(self._conditions), list(self.parameters)
        return twin

    @property
    def where(self) -> str:
        return " AND ".join(self._conditions)


def of_caller(principal: Principal) -> Filter:
    """The rows of the agents that the caller may see, in a table with `org_id` and `agent_id`."""
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    return chosen


class Filters(Generic[Query_contra]):
    """The conditions that the members of a query are to the rows of a table.

    A member that is a column must be equal to it. `conditions` are those of the others, SQL with one `?`; None for one
    that the noun reads by itself. Raises TypeError for a member without a condition, for one that holds another kind
    than its column, and for a condition of no member or without its `?`.
    """

    def __init__(
        self, table: Table, query: type[Query_contra], conditions: Mapping[str, str | None] | None = None
    ) -> None:
        kinds = {column.name: column.kind for column in table.columns}
        own = conditions or {}
        by_name = [each for each in query.__struct_fields__ if each not in own and each not in PAGING]
        hints = get_type_hints(query)
        if unclear := sorted(set(by_name) - set(kinds)):
            raise TypeError(f"{query.__name__} has {unclear}: no column of {table.name!r} and without a condition")
        if other := sorted(
            name for name in by_name if kinds[name] is ColumnKind.JSON or kind_of(hints[name]) != kinds[name]
        ):
            raise TypeError(f"{query.__name__} has {other}: not of the kind of the columns of {table.name!r}")
        if strange := sorted(set(own) - set(query.__struct_fields__)):
            raise TypeError(f"{query.__name__} has no {strange} to be a condition on {table.name!r}")
        if wrong := sorted(name for name, each in own.items() if each is not None and each.count("?") != 1):
            raise TypeError(f"the conditions {wrong} of {query.__name__} do not have one `?` each")
        found = {name: own.get(name, f"{name} = ?") for name in query.__struct_fields__ if name not in PAGING}
        self._conditions = {name: condition for name, condition in found.items() if condition is not None}

    def narrow(self, chosen: Filter, query: Query_contra) -> None:
        """Leave of `chosen` what fits the query; a member that is None fits everything."""
        for name, condition in self._conditions.items():
            chosen.add(condition, _parameter(getattr(query, name)))


def _parameter(value: object) -> object:
    """The member of a query as the tables have it."""
    if isinstance(value, Enum):
        return value.value
    return value.astimezone(UTC).replace(tzinfo=None) if isinstance(value, datetime) else value


async def find_row(
    ledger: Ledger, table: Table, into: type[T], org_id: str, id_: str, *, remembered: int = 0
) -> T | None:
    """The row whose key is `id_`, None when the organization has none; `remembered` as in `Ledger.read`."""
    found = f"SELECT {select(table)} FROM {table.name} WHERE org_id = ? AND {table.key} = ?"
    rows = []
    at = minted(id_)
    if at is not None:
        # Our ids tell when they were made, so the tables need not be searched from end to end.
        near = [naive(at), naive(at + SECOND)]
        pruned = f"{found} AND created_at >= ? AND created_at < ?"
        rows = await ledger.read(pruned, [org_id, id_, *near], remembered=remembered)
    if not rows:
        rows = await ledger.read(found, [org_id, id_], remembered=remembered)
    return record(table, rows[0], into) if rows else None


class Paging(Protocol):
    """The members of a query that say which page. `offset` counts only without a cursor."""

    @property
    def limit(self) -> int: ...
    @property
    def offset(self) -> int: ...
    @property
    def cursor(self) -> str | None: ...


@dataclass(frozen=True)
class Page(Generic[T]):
    """`next_cursor` is None on the last page."""

    rows: list[T]
    next_cursor: str | None


@dataclass(frozen=True)
class Listed(Page[T]):
    """A page. `total` counts all rows that fit."""

    total: int


async def count_rows(ledger: Ledger, table: Table, chosen: Filter) -> int:
    ((count,),) = await ledger.read(f"SELECT count(*) FROM {table.name} WHERE {chosen.where}", chosen.parameters)
    return int(str(count))


async def list_rows(
    ledger: Ledger, table: Table, into: type[T], chosen: Filter, query: Paging, *, total: int | None = None
) -> Listed[T]:
    """A page of the rows that fit `chosen`, as `read_page`; a `total` that is known already is not counted."""
    if total is None:
        total = await count_rows(ledger, table, chosen)
    page = await read_page(ledger, table, into, chosen, query)
    return Listed(page.rows, page.next_cursor, total)


async def read_page(ledger: Ledger, table: Table, into: type[T], chosen: Filter, query: Paging) -> Page[T]:
    """The rows that fit `chosen`, newest first by `created_at` and the table's key.

    Raises `invalid_query` for a cursor that is not one of ours.
    """
    asked = chosen.copy()
    if query.cursor is not None:
        at, last = read_cursor(query.cursor)
        asked.add_all(f"(created_at, {table.key}) < (?, ?)", [naive(at), last])
    rows = await ledger.read(
        f"SELECT {select(table)} FROM {table.name} WHERE {asked.where} "
        f"ORDER BY created_at DESC, {table.key} DESC LIMIT ? OFFSET ?",
        [*asked.parameters, query.limit + 1, 0 if query.cursor else query.offset],
    )
    shown = rows[: query.limit]
    following = None
    if len(rows) > query.limit:
        members = dict(zip((column.name for column in table.columns), shown[-1], strict=True))
        made = members["created_at"]
        assert isinstance(made, datetime)
        following = write_cursor(made, str(members[table.key]))
    return Page([record(table, row, into) for row in shown], following)


def write_cursor(created_at: datetime, key: str) -> str:
    return urlsafe_b64encode(f"{microseconds(created_at)} {key}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[int, str]:
    """Raises `invalid_query` for anything that `write_cursor` has not written."""
    try:
        at, _, key = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        number = int(at)
        moment(number)
    except (ValueError, OverflowError, binascii.Error):
        raise refuse(
            Code.INVALID_QUERY,
            f"cursor is not one of ours: {cursor[:60]!r}. Use next_cursor of the page before, as it is.",
            FieldError(place="cursor", message="not a cursor"),
        ) from None
    return number, key
