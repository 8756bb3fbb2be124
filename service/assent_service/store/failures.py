"""What can go wrong with the log, each with the operator's next step.

    LogError
    |- LogDamaged         bytes that were durable are not what was written; nothing is changed, the start
    stops
    |- ProjectionAhead    the tables hold events that the log does not
    |- ProjectionMismatch the place that the tables name in the log is not where their next event starts
    |- ReadOnly           the log takes no more events in this process
    |- LogClosed          submitted after close
    '- FolderOwned        another process has the data folder

A write that failed and may be tried again is no class of ours: its submissions get the OSError itself.
"""

from pathlib import Path


class LogError(Exception):
    """Every failure of the store's log."""


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

    def __init__(self, reason: str, place: str) -> None:
        self.reason, self.place = reason, place
        super().__init__(
            f"the evidence log is read-only: {reason} ({place}). Check the disk, then start the service "
            "again: it verifies the log and tells what it finds."
        )


class LogClosed(LogError):
    """Submitted to a log that was closed."""


class FolderOwned(LogError):
    """Another process has the data folder."""
