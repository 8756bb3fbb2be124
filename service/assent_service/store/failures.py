"""What can go wrong with the log, each with the operator's next step.

    LogError
    |- LogDamaged         bytes that were durable are not what was written; nothing is changed, the start
    stops
    |- ProjectionAhead    the tables hold events that the log does not
    |- ProjectionMismatch the place that the tables name in the log is not where their next event starts
    |- ReadOnly           the log takes no more events in this process
    |  '- PastLost        since its database has lost what was read here
    |- LogClosed          submitted after close
    |- LogAway            the log's database takes no events now
    |- OutcomeUnknown     the log's database did not say what became of an append
    |- HistoryLost        the log's database has lost events that were read
    |- FolderOfAnotherLog the data folder is not a replica's, or of another database
    |- FolderOwned        another process has the data folder
    |- FolderVersionUnknown  a newer Assent wrote the data folder; nothing was touched
    '- TablesDamaged      the tables' file cannot be used; the log is whole, and the tables can be made anew from it

A write that failed and may be tried again is no class of ours: its submissions get the OSError itself.

Who asks the ledger gets a `Refusal`: `not_recorded` makes it for a write, `behind` for a read.
"""

from __future__ import annotations

from pathlib import Path

from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse


class LogError(Exception):
    """Every failure of the store's log. `passing` says that another start may find it gone, `unreachable` that the log
    is elsewhere and does not answer now."""

    passing = False
    unreachable = False


class LogDamaged(LogError):
    """Stored bytes that are not what was written. `line` counts from 1; `line` and `offset` are 0 when the
    whole file is meant."""

    def __init__(self, file: Path, line: int, offset: int, expected: str, found: str, advice: str = "") -> None:
        self.file, self.line, self.offset, self.expected, self.found = file, line, offset, expected, found
        where = f"{file}, line {line}, byte {offset}" if line else f"{file}"
        advice = advice or (
            "Nothing was changed. Restore this file from a copy that was made before the damage, "
            "or keep the folder as evidence and start with a new one; never edit the file by hand."
        )
        self.advice = advice
        super().__init__(f"the evidence log is damaged: {where}: expected {expected}; found {found}. {advice}")

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """For the process that had it found by another."""
        return LogDamaged, (self.file, self.line, self.offset, self.expected, self.found, self.advice)


class ProjectionAhead(LogError):
    """The tables have applied `applied`, the log ends at `head`: part of the log is gone, or the tables are
    another log's."""

    def __init__(self, applied: int, head: int, folder: Path) -> None:
        self.applied, self.head = applied, head
        super().__init__(
            f"the tables hold events up to {applied}, but the log in {folder} ends at {head}. Restore the newer "
            "log; if it is lost for good, run `assent rebuild`, which makes the tables anew from this log and "
            "loses those events."
        )


class ProjectionMismatch(LogError):
    """The tables' place in the log is not a place where the event after their last one starts."""

    def __init__(self, applied: int, segment: int, offset: int, found: str) -> None:
        super().__init__(
            f"the tables say that event {applied} ends at byte {offset} of segment {segment}, but {found}. They "
            "were made from another log: put the right one in place, or run `assent rebuild` to make the tables "
            "anew from this one."
        )


class ReadOnly(LogError):
    """The log takes no more events in this process; reading goes on."""

    passing = True
    advice = "Check the disk, then start the service again: it verifies the log and tells what it finds."

    def __init__(self, reason: str, place: str) -> None:
        self.reason, self.place = reason, place
        super().__init__(f"the evidence log is read-only: {reason} ({place}). {self.advice}")


class PastLost(ReadOnly):
    """The log's database was restored, or a standby took over, under a service that had read more."""

    advice = "Start the service again: it reads the log anew."

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"its database was restored to an earlier moment, or a standby took over without them: {reason}",
            "the evidence log's database",
        )


class LogClosed(LogError):
    """Submitted to a log that was closed."""


class LogAway(LogError):
    """The log is in a database that does not take events now; nothing was recorded."""


class OutcomeUnknown(LogError):
    """An append was sent, and nobody said what became of it. It may stand in the log; it never comes into it after the
    next append of this writer."""


class HistoryLost(LogError):
    """Somebody has read more events than the database holds: it was restored, or a standby took over that had not
    received them."""


class FolderOwned(LogError):
    """Another process has the data folder."""

    passing = True


class FolderVersionUnknown(LogError):
    """The data folder says a version that this program does not know: `found`, or no number at all (`said`)."""

    def __init__(self, home: Path, said: str, found: int | None, known: int, program: str) -> None:
        self.home, self.found = home, found
        if found is None:
            what = f"the file {home / 'version'} says {said!r}, which is no version of a data folder"
            todo = "restore it from a copy of the folder"
        else:
            what = f"the data folder {home} is of version {found}, and Assent {program} knows versions up to {known}"
            todo = "run the Assent that wrote it, or a newer one, or give this one another folder with --home"
        super().__init__(f"{what}; nothing was touched: {todo}.")


class FolderOfAnotherLog(LogError):
    """A folder with a log of its own was given to a replica, or a replica's folder to a service without a database."""


class TablesDamaged(LogError):
    """The database with the tables cannot be opened or read at the start."""

    def __init__(self, file: Path, why: str) -> None:
        self.file = file
        first = why.strip().splitlines()[0] if why.strip() else "no reason was given"
        super().__init__(
            f"the tables in {file} cannot be used ({first}); run `assent rebuild`, which makes them anew from the "
            "evidence log and loses nothing."
        )


def not_recorded(error: BaseException) -> Refusal:
    """Why the log did not take a write: `shutting_down`, `read_only` or `storage_unavailable`."""
    if isinstance(error, LogClosed):
        return refuse(Code.SHUTTING_DOWN, "The service is stopping and records nothing more; try again soon.")
    if isinstance(error, ReadOnly):
        return refuse(Code.READ_ONLY, f"Nothing was recorded, so nothing was done: {error}")
    if isinstance(error, OutcomeUnknown):
        return refuse(
            Code.STORAGE_UNAVAILABLE,
            "The evidence log's database did not say whether this was recorded. Ask again in a moment with the same "
            "Idempotency-Key, which answers what was recorded; without one, look first.",
        )
    if isinstance(error, LogAway | HistoryLost):
        return refuse(
            Code.STORAGE_UNAVAILABLE,
            "Nothing was recorded, so nothing was done: the evidence log's database takes no events now. "
            "Try again in a moment; the service's log says why.",
        )
    return refuse(
        Code.STORAGE_UNAVAILABLE,
        f"Nothing was recorded, so nothing was done: {error}. Free space in the data folder and try again.",
    )


def disk_too_slow(waiting: int) -> Refusal:
    return refuse(
        Code.STORAGE_UNAVAILABLE,
        f"Nothing was recorded, so nothing was done: {waiting >> 20} MB wait for the data folder's disk, which is the "
        "most. Try again once it writes.",
    )


def overtaken_too_often(times: int) -> Refusal:
    return refuse(
        Code.BUSY,
        f"Others changed what this rests on while it was decided, {times} times over, so it was not recorded. "
        "Try again in a moment.",
    )


def behind(why: str) -> Refusal:
    return refuse(
        Code.PROJECTION_BEHIND,
        f"The tables are behind the log, so this read cannot be answered truthfully yet: {why}. "
        "Try again; guard goes on meanwhile.",
    )


def database_away() -> Refusal:
    return refuse(
        Code.PROJECTION_BEHIND,
        "The evidence log's database does not answer, so nothing can be read or recorded. "
        "Try again in a moment; the service's log says why.",
    )


def not_followed(seq: int) -> Refusal:
    return refuse(
        Code.PROJECTION_BEHIND,
        f"Others have recorded up to event {seq}, and this service has not read it from the evidence log's database in "
        "time. Nothing was done; try again in a moment.",
    )


def too_large(why: str) -> Refusal:
    return refuse(Code.ANALYSIS_TOO_LARGE, f"The analysis was cut: {why}.")


def too_many_analyses() -> Refusal:
    return refuse(
        Code.BUSY,
        "As many analyses are at work and waiting as may be (`analytics_at_once`); try again in a moment.",
        retry_after=5,
    )
