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
from assent_service.base.clock import SECOND, microseconds, minted, moment, naive
from assent_service.core.body import not_a_cursor
from assent_service.core.moments import Window
from assent_service.core.names import AGENTS
from assent_service.core.principal import Principal
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is
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
        chosen.add(name_is("agent_id"), principal.agent_id)
    return chosen


def rows_within(window: Window, time: str, principal: Principal, agent_id: str | None) -> Filter:
    """The rows that happened within the window by their column `time`, of the agents that the caller may see."""
    chosen = of_caller(principal)
    chosen.add(name_is("agent_id"), agent_id)
    since, until = (at.replace(tzinfo=None) for at in (window.since, window.until))
    chosen.add_all(f"{time} >= ? AND {time} <= ?", [since, until])
    return chosen


class Filters(Generic[Query_contra]):
    """The conditions that the members of a query are to the rows of a table.

    A member that is a column must be equal to it; one that names an agent, in any spelling. `conditions` are those of
    the others, SQL with one `?`; None for one that the noun reads by itself. Raises TypeError for a member without a
    condition, for one that holds another kind than its column, and for a condition of no member or without its `?`.
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
        found = {name: own.get(name, _equal(name)) for name in query.__struct_fields__ if name not in PAGING}
        self._conditions = {name: condition for name, condition in found.items() if condition is not None}

    def narrow(self, chosen: Filter, query: Query_contra) -> None:
        """Leave of `chosen` what fits the query; a member that is None fits everything."""
        for name, condition in self._conditions.items():
            chosen.add(condition, _parameter(getattr(query, name)))


def _equal(column: str) -> str:
    return name_is(column) if column in AGENTS else f"{column} = ?"


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


SHORT = 1_000
"""Rows, with those before it, up to which a page is looked for by their times."""


class PageSearch:
    """A page of the rows that fit `chosen`, newest first by `created_at` and the table's key, found in two steps.

    First when its rows were made: `times` is an aggregate, and `parameters` are its parameters, for a query of whoever
    asks for others over the same rows anyway. Then the rows since then, which are few: to have the database order all
    of them whole takes twice as long. Raises `invalid_query` for a cursor that is not one of ours.
    """

    def __init__(self, table: Table, chosen: Filter, query: Paging) -> None:
        self._table, self._asked, self._limit = table, chosen.copy(), query.limit
        self._skipped = 0 if query.cursor else query.offset
        self.parameters: list[object] = []
        behind = ""
        if query.cursor is not None:
            at, last = read_cursor(query.cursor)
            behind, self.parameters = f"(created_at, {table.key}) < (?, ?)", [naive(at), last]
            self._asked.add_all(behind, self.parameters)
            behind = f" FILTER (WHERE {behind})"
        self._most = self._skipped + query.limit + 1
        self.times = f"max(created_at, {min(self._most, SHORT)}){behind}"

    async def read(self, ledger: Ledger, into: type[T], made: object) -> Page[T]:
        """The page; `made` is what `times` came to."""
        times = cast("list[datetime]", made or [])
        rows = await self._since(ledger, times) if self._most <= SHORT else None
        if rows is None:
            rows = await ledger.read(
                f"{self._select} ORDER BY created_at DESC, {self._table.key} DESC LIMIT ? OFFSET ?",
                [*self._asked.parameters, self._limit + 1, self._skipped],
            )
        shown = rows[: self._limit]
        following = write_cursor(*self._place(shown[-1])) if len(rows) > self._limit else None
        return Page([record(self._table, row, into) for row in shown], following)

    async def _since(self, ledger: Ledger, times: Sequence[datetime]) -> list[Row] | None:
        """The rows that were made at these times, and what has come since; None where some of them have changed or gone
        in between, so that others may be due."""
        if not times:
            return []
        rows = await ledger.read(f"{self._select} AND created_at >= ?", [*self._asked.parameters, times[-1]])
        rows.sort(key=self._place, reverse=True)
        return rows[self._skipped : self._most] if len(rows) >= len(times) else None

    @property
    def _select(self) -> str:
        return f"SELECT {select(self._table)} FROM {self._table.name} WHERE {self._asked.where}"

    def _place(self, row: Row) -> tuple[datetime, str]:
        at, key = (row[place] for place in _ordered_by(self._table))
        assert isinstance(at, datetime)
        return at, str(key)


@cache
def _ordered_by(table: Table) -> tuple[int, int]:
    names = [column.name for column in table.columns]
    return names.index("created_at"), names.index(table.key)


async def list_rows(
    ledger: Ledger, table: Table, into: type[T], chosen: Filter, query: Paging, *, total: int | None = None
) -> Listed[T]:
    """A page of the rows that fit `chosen`, as `read_page`; a `total` that is known already is not counted."""
    search = PageSearch(table, chosen, query)
    ((count, made),) = await ledger.read(
        f"SELECT {'count(*)' if total is None else total}, {search.times} FROM {table.name} WHERE {chosen.where}",
        [*search.parameters, *chosen.parameters],
    )
    page = await search.read(ledger, into, made)
    return Listed(page.rows, page.next_cursor, int(str(count)))


async def read_page(ledger: Ledger, table: Table, into: type[T], chosen: Filter, query: Paging) -> Page[T]:
    """The rows that fit `chosen`, newest first. Raises `invalid_query` for a cursor that is not one of ours."""
    return await list_rows(ledger, table, into, chosen, query, total=0)


def write_cursor(created_at: datetime, key: str) -> str:
    return urlsafe_b64encode(f"{microseconds(created_at)} {key}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[int, str]:
    """Raises `invalid_query` for anything that `write_cursor` has not written."""
    try:
        at, _, key = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        number = int(at)
        moment(number)
    except (ValueError, OverflowError, binascii.Error):
        raise not_a_cursor(cursor) from None
    return number, key
