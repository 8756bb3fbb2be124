"""Bringing the copy of a table up to date: ask for its days, fetch those whose version is another one.

- A day that has changed is fetched when it is wanted, and else emptied: what was erased there leaves this machine too.
- Days that have fallen out of the window and have not changed are kept; a larger window later needs them.
- Days are fetched in runs of neighbours, so many rows at a time. A day may have changed again since its version was
  told, so the rows may be newer than the version says; the next look at the versions finds that. It comes at once, for
  at most `ROUNDS` of them: rows that moved from one day to another meanwhile are then in one place again.
- The index is written after each run, so that who is interrupted goes on from there. That a table is complete it says
  only in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from assent.client.data import reader
from assent.client.flow import Flow, Say, receive, send
from assent.client.incoming import Incoming
from assent.contract.analysis.data import GET_TABLE, GET_TABLE_DAYS, DataFormat, TableDay, TableDays
from assent.contract.window import LONGEST_DAYS, days_of
from assent.data.workspace.copies import Copy, HeldDay, Index
from assent.errors import ServerError

if TYPE_CHECKING:
    from polars import DataFrame

RUN_ROWS = 250_000
"""Rows fetched at a time; a single day may have more."""
ROUNDS = 3
MANY_ROWS = 250_000
"""From so many rows to fetch on, something is said about it meanwhile."""


@dataclass
class Fetched:
    """What one refresh took from the service. `bytes` are those of the rows, as they came."""

    requests: int = 0
    days: int = 0
    rows: int = 0
    bytes: int = 0


def refresh_table(copy: Copy, window: str | None, fetched: Fetched) -> Flow[None]:
    """`window` is None where the table is not wanted."""
    index = copy.index()
    for _ in range(ROUNDS):
        said, reach = yield from _ask(copy, index, window, fetched)
        if said.unchanged and index is not None:
            copy.keep(msgspec.structs.replace(index, as_of=said.as_of))
            return
        if index is None or index.layout != said.layout:
            index = copy.begin(said)
        first = None if window is None else first_day(said.as_of, window)
        held, missing, holes = _sort_out(copy, index, said.days, first)
        index = msgspec.structs.replace(index, days=held, state=None, complete_from=None)
        copy.keep(index)
        for run in _runs(missing):
            index = yield from _fetch(copy, index, run, fetched)
            copy.keep(index)
            yield from _report(copy.table, run, missing)
        complete = holes[-1] + timedelta(days=1) if holes else first_day(said.as_of, reach)
        index = msgspec.structs.replace(index, state=said.state, as_of=said.as_of, complete_from=complete)
        copy.keep(index)
        if not missing:
            return


def first_day(as_of: datetime, window: str) -> date:
    """The day that the window begins in."""
    return (as_of - timedelta(days=days_of(window))).date()


def _ask(copy: Copy, index: Index | None, window: str | None, fetched: Fetched) -> Flow[tuple[TableDays, str]]:
    """The days of the window and of whatever is held, and the window that was asked for."""
    now = datetime.now(UTC)
    back, unless = 1 if window is None else days_of(window), None
    if index is not None:
        held = [day for day, each in index.days.items() if each.rows]
        if held:
            back = max(back, (now.date() - date.fromisoformat(min(held))).days + 1)
        if window is None or (index.complete_from is not None and index.complete_from <= first_day(now, window)):
            unless = index.state
    reach = f"{min(back, LONGEST_DAYS)}d"
    fetched.requests += 1
    query = {"window": reach, "unless": unless}
    said = yield from send(GET_TABLE_DAYS, path={"table": copy.table}, query=query)
    return said, reach


def _sort_out(
    copy: Copy, index: Index, days: Sequence[TableDay], first: date | None
) -> tuple[dict[str, HeldDay], list[TableDay], list[date]]:
    """What is held as it should be, what has to be fetched, and the days that have rows and are not to be had: those
    that have changed before `first`, where the window begins; all of them where it is None. What is on the disk and
    among none of these is emptied."""
    listed = {each.date: each for each in days}
    held: dict[str, HeldDay] = {}
    for day in copy.on_disk():
        known, now = index.days.get(day.isoformat()), listed.get(day)
        if known is not None and now is not None and known.version == now.version:
            held[day.isoformat()] = known
        elif now is None or first is None or day < first:
            held[day.isoformat()] = known if known is not None and not known.rows else copy.empty(index, day)
    lacking = [each for each in days if _lacks(held, each)]
    missing = [each for each in lacking if first is not None and each.date >= first]
    return held, missing, [each.date for each in lacking if first is None or each.date < first]


def _lacks(held: dict[str, HeldDay], day: TableDay) -> bool:
    known = held.get(day.date.isoformat())
    return known is None or known.version != day.version


def _runs(missing: Sequence[TableDay]) -> Iterator[list[TableDay]]:
    """Days to be fetched at once. What lies between two of them is fetched with them, so only neighbours go together;
    days without rows cost nothing."""
    run: list[TableDay] = []
    for day in missing:
        if run and (
            day.date - run[-1].date > timedelta(days=1) or sum(each.rows for each in run) + day.rows > RUN_ROWS
        ):
            yield run
            run = []
        run.append(day)
    if run:
        yield run


def _fetch(copy: Copy, index: Index, run: list[TableDay], fetched: Fetched) -> Flow[Index]:
    """Write the days of a run; give the index with them."""
    versions = {each.date: each.version for each in run}
    read = reader(copy.table)

    def write(file: Incoming) -> tuple[dict[str, HeldDay], int]:
        counted = _Counted(file)
        frame = read(counted)
        return dict(_written(copy, index, versions, frame)), counted.size

    query = {
        "since": run[0].date.isoformat(),
        "until": run[-1].date.isoformat(),
        "format": DataFormat.ARROW.value,
    }
    written, size = yield from receive(GET_TABLE, write, path={"table": copy.table}, query=query)
    fetched.requests += 1
    fetched.days += len(written)
    fetched.rows += sum(each.rows for each in written.values())
    fetched.bytes += size
    return msgspec.structs.replace(index, days={**index.days, **written})


def _written(copy: Copy, index: Index, versions: dict[date, str], frame: DataFrame) -> Iterator[tuple[str, HeldDay]]:
    import polars as pl

    if {name: str(kind) for name, kind in frame.schema.items()} != {
        name: str(kind) for name, kind in copy.schema(index).items()
    }:
        raise ServerError(
            status=200,
            code="unreadable_answer",
            detail=f"table {copy.table} came with other columns than were told a moment before; try again",
        )
    of = frame.get_column(index.time).dt.date()
    for day, version in versions.items():
        rows = frame if len(versions) == 1 else frame.filter(of == pl.lit(day))
        yield day.isoformat(), copy.put(index, day, rows, version)


def _report(table: str, run: Sequence[TableDay], missing: Sequence[TableDay]) -> Flow[None]:
    total = sum(each.rows for each in missing)
    if total > MANY_ROWS:
        done = sum(each.rows for each in missing if each.date <= run[-1].date)
        yield Say(f"{table}: {done:,} of {total:,} rows are here, up to {run[-1].date}")


class _Counted(Incoming):
    """A file that counts what was read of it."""

    def __init__(self, file: Incoming) -> None:
        super().__init__(iter(()))
        self._file, self.size = file, 0

    def read(self, size: int, /) -> bytes:
        piece = self._file.read(size)
        self.size += len(piece)
        return piece
