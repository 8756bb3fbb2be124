"""The rows of a noun: looked up or refused, held while they are decided on, recorded, changed, listed.

    loops = Shelf(LOOP, LOOPS, LOOP_FENCE, LoopsQuery, ledger=ledger, clock=clock, locks=locks)

    async with loops.held(principal, loop_id) as loop:                        # locked, and visible or 404
        ...
    after = await loops.change(principal, loop_id, lambda loop, now: ...)     # held, and one event if it is another
    page = await loops.page(principal, query)                                 # newest first, filtered by name

A row is seen by whoever sees its agent; what is foreign is missing, as is what was deleted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Generic

from assent.contract.control.actions import Action
from assent.contract.noun import Noun, Row
from assent.contract.record import Query
from assent_service.base.clock import Clock
from assent_service.base.problem import Refusal, refuse
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, Listed, count_rows, find_row, list_rows, of_caller, record, select
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table


class Shelf(Generic[Row]):
    """The rows of a noun, of every organization.

    `query` is what its list can be filtered by, with `conditions` as `Filters` has them.
    Raises TypeError for a table that is not the noun's, and as `Filters` does.
    """

    def __init__(
        self,
        noun: Noun[Row],
        table: Table,
        fence: Fence,
        query: type[Query],
        conditions: Mapping[str, str | None] | None = None,
        *,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
    ) -> None:
        self._noun, self._table, self._fence = noun, table, fence
        self._ledger, self._clock, self._locks = ledger, clock, locks
        events = frozenset(event.value for event in (noun.created, noun.updated) if event is not None)
        if (table.key, table.types) != (noun.id, events):
            raise TypeError(f"the table {table.name!r} does not keep the noun {noun.name!r}: its key or events differ")
        self._filters = Filters(table, query, conditions)

    async def find(self, org_id: str, id_: str) -> Row | None:
        """The organization's row of this id, whoever may see it, deleted or not."""
        return await find_row(self._ledger, self._table, self._noun.row, org_id, id_)

    async def visible(self, principal: Principal, id_: str) -> Row:
        """Raises the noun's code for a foreign or deleted row as for an unknown one."""
        found: Any = await self.find(principal.org_id, id_)
        if found is None or not principal.sees(found.agent_id) or self._is_deleted(found):
            raise self.missing(id_)
        row: Row = found
        return row

    def missing(self, id_: str) -> Refusal:
        assert self._noun.missing is not None, f"nobody asks for a {self._noun.name} by its id"
        return refuse(self._noun.missing, f"There is no {self._noun.name} {id_[:128]!r} in this organization.")

    @asynccontextmanager
    async def held(self, principal: Principal, id_: str) -> AsyncIterator[Row]:
        """The row as it is, and as it stays until the block ends. Raises as `visible` does."""
        async with self._locks.hold(self._fence.of(principal.org_id, id_)):
            yield await self.visible(principal, id_)

    @asynccontextmanager
    async def reserved(self, org_id: str, id_: str | None) -> AsyncIterator[Row | None]:
        """The row that has an id which its caller chose, and nobody else takes it until the block ends. A new id (None)
        meets nobody, so it needs neither lock nor look."""
        if id_ is None:
            yield None
            return
        async with self._locks.hold(self._fence.of(org_id, id_)):
            yield await self.find(org_id, id_)

    async def record(self, principal: Principal, row: Row, now: int, *more: Draft) -> None:
        """One event with the whole row; `more` are recorded with it, all or none."""
        await self._ledger.append(self._draft(self._noun.created.value, principal, row, now), *more)

    async def change(self, principal: Principal, id_: str, into: Callable[[Row, int], Row]) -> Row:
        """The row after `into`, which is given the row as it is and the time. The same object says nothing new and is
        not recorded. Raises as `visible` does."""
        async with self.held(principal, id_) as before:
            now = self._clock()
            after = into(before, now)
            if after is not before:
                assert self._noun.updated is not None, f"nothing changes a {self._noun.name}"
                await self._ledger.append(self._draft(self._noun.updated.value, principal, after, now))
            return after

    def choose(self, principal: Principal, query: Query | None = None) -> Filter:
        """The rows that the caller may see and that fit the query."""
        chosen = of_caller(principal)
        if self._noun.has("deleted_at"):
            chosen.add_all("deleted_at IS NULL", [])
        if query is not None:
            self._filters.narrow(chosen, query)
        return chosen

    async def count(self, chosen: Filter) -> int:
        return await count_rows(self._ledger, self._table, chosen)

    async def page(self, principal: Principal, query: Any, *, total: int | None = None) -> Listed[Row]:
        """Newest first; `query` has `limit`, `offset` and `cursor`. A `total` that is known already is not counted.
        Raises `invalid_query` for a cursor that is not one of ours."""
        chosen = self.choose(principal, query)
        return await list_rows(self._ledger, self._table, self._noun.row, chosen, query, total=total)

    async def of_action(self, action: Action) -> list[Row]:
        """All that belongs to an action, oldest first."""
        rows = await self._ledger.read(
            f"SELECT {select(self._table)} FROM {self._table.name} WHERE org_id = ? AND action_id = ? "
            f"ORDER BY created_at, {self._table.key}",
            [action.org_id, action.action_id],
        )
        return [record(self._table, row, self._noun.row) for row in rows]

    def _is_deleted(self, row: Any) -> bool:
        return self._noun.has("deleted_at") and row.deleted_at is not None

    def _draft(self, type_: str, principal: Principal, row: Any, now: int) -> Draft:
        return Draft(
            org=row.org_id,
            type=type_,
            ts=now,
            subject=getattr(row, self._noun.id),
            actor=principal.key_id,
            data=encode(row),
            action=row.action_id if self._noun.has("action_id") else None,
        )
