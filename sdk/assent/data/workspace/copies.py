"""The copy of one table: a Parquet file for each day (zstd, times in UTC microseconds), and an index of them.

- A file is written beside its place and then moved there, so that whoever reads meets the old one or the new one, and a
  crash leaves at most a draft, which the next refresh throws away.
- The index says which version of a day a file holds, and its size and time of change. A file of another size or time
  is not what was written, and counts as missing; so does every file of an index that cannot be read. Whatever is
  missing is fetched again.
- A day that is gone becomes a file without rows: frames that were made before, by other processes too, name it still.
- The first file of every frame has no rows and is never replaced. It gives an empty table its columns, and Polars
  remembers what it has read of a frame's first file.
- Each Parquet file says in its metadata what it is: table, day, version, the version of its layout.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Container
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from assent.contract.analysis.data import TableDays
from assent.contract.prepared import prepared

if TYPE_CHECKING:
    from polars import DataFrame
    from polars.datatypes import DataType

LAYOUT = 1
"""Of the files and the index themselves; raised when they come to mean something else."""
_FILE = "rows.parquet"


class HeldDay(msgspec.Struct, frozen=True, kw_only=True):
    """`version` is empty for a day that was emptied."""

    version: str
    rows: int
    size: int
    changed_ns: int


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """`complete_from`: of this day and those after it, every one that has rows is there, as of `as_of`."""

    format: int
    layout: str
    time: str
    key: str
    columns: dict[str, str]
    columns_file: HeldDay | None = None
    state: str | None = None
    as_of: datetime | None = None
    complete_from: date | None = None
    days: dict[str, HeldDay] = {}


class Copy:
    """The folder of one table. For one process at a time, but for `index` and `files`."""

    def __init__(self, view: Path, table: str) -> None:
        self.table = table
        self.folder = view / "tables" / table
        self._drafts = view / "drafts"

    def index(self) -> Index | None:
        """What is held, without what is not as it was written; None when there is nothing that can be used."""
        try:
            found = msgspec.json.decode((self.folder / "index.json").read_bytes(), type=prepared(Index))
        except (OSError, msgspec.MsgspecError, ValueError):
            return None
        if found.format != LAYOUT or not _is_intact(self.schema_file(found), found.columns_file):
            return None
        intact = {day: held for day, held in found.days.items() if _is_intact(self._file(day), held)}
        if len(intact) < len(found.days):
            return msgspec.structs.replace(found, days=intact, state=None, complete_from=None)
        return found

    def begin(self, said: TableDays) -> Index:
        """An index without days, in place of whatever there is."""
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(mode=0o700)
        index = Index(format=LAYOUT, layout=said.layout, time=said.time, key=said.key, columns=said.columns)
        columns = self._write(self.schema_file(index), self._nothing(index), index, None, "")
        index = msgspec.structs.replace(index, columns_file=columns)
        self.keep(index)
        return index

    def keep(self, index: Index) -> None:
        draft = self._draft("index.json")
        draft.write_bytes(msgspec.json.encode(index))
        draft.replace(self.folder / "index.json")

    def put(self, index: Index, day: date, rows: DataFrame, version: str) -> HeldDay:
        """Write a day's rows."""
        file = self._file(day.isoformat())
        file.parent.mkdir(exist_ok=True, mode=0o700)
        return self._write(file, rows, index, day, version)

    def empty(self, index: Index, day: date) -> HeldDay:
        """Take the rows of a day out of their file."""
        return self.put(index, day, self._nothing(index), "")

    def on_disk(self) -> list[date]:
        """The days that have a folder, whether the index knows of it or not. What only looks like one is removed."""
        found = []
        for path in self.folder.glob("date=*"):
            day = _day_of(path)
            if day is None:
                _discard(path)
            else:
                found.append(day)
        return sorted(found)

    def prune(self, index: Index, before: str) -> Index:
        """Remove the files of the days before one."""
        for day in self.on_disk():
            if day.isoformat() < before:
                shutil.rmtree(self._file(day.isoformat()).parent)
        left = {day: held for day, held in index.days.items() if day >= before}
        complete = index.complete_from and max(index.complete_from, date.fromisoformat(before))
        return msgspec.structs.replace(index, days=left, complete_from=complete)

    def files(self, index: Index, since: str) -> list[Path]:
        """The files of a frame, the one with the columns first; `since` is its first day."""
        days = sorted(day for day, held in index.days.items() if day >= since and held.rows)
        return [self.schema_file(index), *(self._file(day) for day in days)]

    def schema_file(self, index: Index) -> Path:
        return self.folder / f"columns-{index.layout[:16]}.parquet"

    def _file(self, day: str) -> Path:
        return self.folder / f"date={day}" / _FILE

    def schema(self, index: Index) -> dict[str, DataType]:
        """The columns of a frame of this table."""
        return {name: _type(kind) for name, kind in index.columns.items()}

    def _nothing(self, index: Index) -> DataFrame:
        import polars

        return polars.DataFrame(schema=self.schema(index))

    def _write(self, file: Path, rows: DataFrame, index: Index, day: date | None, version: str) -> HeldDay:
        facts = {
            "assent.table": self.table,
            "assent.date": "" if day is None else day.isoformat(),
            "assent.version": version,
            "assent.layout": index.layout,
            "assent.format": str(LAYOUT),
        }
        draft = self._draft(_FILE)
        rows.write_parquet(draft, compression="zstd", metadata=facts)
        # Of the draft: a moment later the name may lead to another process's file.
        status = draft.stat()
        draft.replace(file)
        return HeldDay(version=version, rows=rows.height, size=status.st_size, changed_ns=status.st_mtime_ns)

    def _draft(self, name: str) -> Path:
        return self._drafts / f"{self.table}-{os.getpid()}-{name}"


def _is_intact(file: Path, held: HeldDay | None) -> bool:
    try:
        status = file.stat()
    except OSError:
        return False
    return held is not None and (status.st_size, status.st_mtime_ns) == (held.size, held.changed_ns)


def clear_drafts(view: Path) -> None:
    """Throw away what was never finished, and make room for new drafts. For who holds the lock."""
    drafts = view / "drafts"
    if _is_folder(drafts):
        shutil.rmtree(drafts, ignore_errors=True)
    else:
        drafts.unlink(missing_ok=True)
    drafts.mkdir(exist_ok=True, mode=0o700)


def clear_unknown(view: Path, known: Container[str]) -> None:
    """Throw away what is the copy of no table that there is now: nobody would take out of it what is erased."""
    for path in (view / "tables").iterdir():
        if path.name not in known or not _is_folder(path):
            _discard(path)


def held_tables(view: Path) -> list[str]:
    folder = view / "tables"
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _day_of(folder: Path) -> date | None:
    try:
        day = date.fromisoformat(folder.name.removeprefix("date="))
    except ValueError:
        return None
    return day if folder.name == f"date={day.isoformat()}" and _is_folder(folder) else None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _discard(path: Path) -> None:
    """Remove whatever is there; of a link, the link alone."""
    if _is_folder(path):
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _type(kind: str) -> DataType:
    import polars

    types: dict[str, DataType] = {
        "integer": polars.Int64(),
        "number": polars.Float64(),
        "boolean": polars.Boolean(),
        "time": polars.Datetime("us", "UTC"),
    }
    return types.get(kind, polars.String())
