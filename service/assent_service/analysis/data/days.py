"""The days of a table, each with a version: what a copy of the table has to fetch anew, and nothing besides.

- A row belongs to the day (UTC) of the table's own time; rows without one belong to no day, as to no window.
- The version of a day is made of every value that is served: the number of its rows, and the exclusive or and the sum
  of the hashes of its rows. So it is another one when a row was added, changed long after its day, or taken away by an
  erasure, whatever the row's own columns say about that; and when the columns themselves are others. Hashes are the
  database's own, of 64 bits: they find changes and are no proof against somebody who makes up collisions. For that
  there are the log's trees.
- A row whose time has changed has left one day and come to another: both versions change.
- `state` stands for the number of the organization's recorded events. While it is the same, nothing has changed, and
  the table need not be looked through. It also stands for the running service: tables may have been made anew by
  another version of it from the same events.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import date, timedelta

import msgspec

from assent.contract.analysis.data import DataQuery, TableDay, TableDays, TableDaysQuery
from assent.contract.window import days_of
from assent_service.analysis.data.choice import DataSelection, choose
from assent_service.analysis.data.datasets import KINDS
from assent_service.base.clock import Clock, moment
from assent_service.core.principal import Principal
from assent_service.store.ledger import Ledger

_RUN = secrets.token_hex(8)
"""This running service."""


class DailyTables:
    """`program` names the version of what is served."""

    def __init__(self, ledger: Ledger, clock: Clock, program: str) -> None:
        self._ledger, self._clock, self._program = ledger, clock, program

    async def of(self, principal: Principal, table: str, query: TableDaysQuery) -> TableDays:
        """Raises `table_not_found`, `invalid_query`, `forbidden` for a key that sees one agent's rows where the table
        does not tell agents apart, and `projection_behind`."""
        now = self._clock()
        choice, first = _chosen(principal, table, query, now)
        dataset = choice.dataset
        layout = _digest(self._program, dataset.name.value, [(each.name, each.kind) for each in choice.columns])
        # Counted before the table is read: the answer may be newer than it says, never older.
        count = self._ledger.count(principal.org_id)
        view = [principal.org_id, None if principal.sees(None) else principal.agent_id]
        state = _digest(_RUN, layout, view, first.isoformat(), count)
        unchanged = query.unless == state
        rows = [] if unchanged else await self._ledger.read(_versions(choice), choice.rows.parameters)
        return TableDays(
            table=dataset.name.value,
            window=query.window,
            as_of=moment(now),
            time=dataset.time,
            key=dataset.table.key,
            layout=layout,
            columns={each.name: KINDS[each.kind] for each in choice.columns},
            state=state,
            unchanged=unchanged,
            days=[_day(layout, *row) for row in rows],
        )


def _chosen(principal: Principal, table: str, query: TableDaysQuery, now: int) -> tuple[DataSelection, date]:
    """What is asked for, from the beginning of the window's first day, and that day."""
    try:
        days = days_of(query.window)
    except ValueError:
        # `choose` says what is wrong with it, after what is wrong with the table.
        return choose(principal, table, DataQuery(window=query.window), None, now), date.min
    first = (moment(now) - timedelta(days=days)).date()
    return choose(principal, table, DataQuery(since=first.isoformat()), None, now), first


def _versions(choice: DataSelection) -> str:
    day = f'CAST("{choice.dataset.time}" AS DATE)'
    values = ", ".join(f'"{column.name}"' for column in choice.columns)
    rows = f"SELECT {day} AS day, hash({values}) AS value FROM {choice.dataset.table.name} WHERE {choice.rows.where}"
    return f"SELECT day, count(*), bit_xor(value), sum(value) FROM ({rows}) GROUP BY day ORDER BY day"


def _day(layout: str, day: object, rows: object, mixed: object, total: object) -> TableDay:
    assert isinstance(day, date), "the database has a type of its own for days"
    return TableDay(date=day, rows=int(str(rows)), version=_digest(layout, str(rows), str(mixed), str(total)))


def _digest(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]
