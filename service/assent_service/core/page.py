"""Pages of a table, newest first, with an opaque cursor from one to the next."""

from __future__ import annotations

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from assent.contract.problems import Code, FieldError
from assent_service.core.clock import microseconds, moment, naive
from assent_service.core.problem import refuse
from assent_service.core.rows import Filter, record, select
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """`next_cursor` is None on the last page."""

    rows: list[T]
    next_cursor: str | None


async def read_page(
    ledger: Ledger, table: Table, into: type[T], chosen: Filter, *, cursor: str | None, limit: int, offset: int
) -> Page[T]:
    """The rows that fit `chosen`, newest first by `created_at` and the table's key.

    `offset` counts only without a cursor. Raises `invalid_query` for a cursor that is not one of ours.
    """
    asked = chosen.copy()
    if cursor is not None:
        at, last = read_cursor(cursor)
        asked.add_all(f"(created_at, {table.key}) < (?, ?)", [naive(at), last])
    rows = await ledger.read(
        f"SELECT {select(table)} FROM {table.name} WHERE {asked.where} "
        f"ORDER BY created_at DESC, {table.key} DESC LIMIT ? OFFSET ?",
        [*asked.parameters, limit + 1, 0 if cursor else offset],
    )
    shown = rows[:limit]
    following = None
    if len(rows) > limit:
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
