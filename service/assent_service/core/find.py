"""One row by its id."""

from __future__ import annotations

from typing import TypeVar

from assent_service.core.clock import SECOND, minted, naive
from assent_service.core.rows import record, select
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

T = TypeVar("T")


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
