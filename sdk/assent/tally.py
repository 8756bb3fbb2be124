"""How often something happened and when, in a small file that many processes write at once.

Each time is one line of a fixed length, appended in one write, so nothing has to be locked and a process that is killed
leaves what it had written. Whoever tells the count to somebody takes the file away first, and gives it back where that
did not get through. Standard library only: hooks have no time for more.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

WIDTH = 12
MOST = 100_000
"""Times that are counted; with as many, the count says "or more"."""
ABANDONED = 60.0
"""Seconds after which a file that somebody took, and neither told nor gave back, is counted again."""


class Times:
    """`count` and the first and last moment. `more` says that there were more than are counted."""

    __slots__ = ("_files", "_tally", "count", "first", "last")

    def __init__(self, tally: Tally, files: list[Path], seconds: list[int]) -> None:
        self._tally, self._files = tally, files
        self.count = len(seconds)
        self.first = moment(min(seconds, default=0))
        self.last = moment(max(seconds, default=0))

    @property
    def more(self) -> bool:
        return self.count >= MOST

    def clear(self) -> None:
        """Somebody knows it now: forget it."""
        for file in self._files:
            file.unlink(missing_ok=True)

    def give_back(self) -> None:
        """Nobody could be told: count it the next time."""
        for file in self._files:
            try:
                self._tally.append(file.read_bytes())
            except OSError:
                continue  # it is counted again once it is abandoned
            file.unlink(missing_ok=True)


class Tally:
    """A file that need not be there yet; its folder must be the user's own."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self) -> None:
        """Count one more. Raises OSError where the file cannot be written."""
        self.append(b"%011d\n" % int(time.time()))

    def append(self, lines: bytes) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if os.fstat(handle).st_size < MOST * WIDTH:
                os.write(handle, lines)
        finally:
            os.close(handle)

    def look(self) -> Times:
        """What has been counted, which stays."""
        return Times(self, [], _seconds(self._file))

    def take(self) -> Times | None:
        """What has been counted, for this caller alone; None when it is nothing."""
        files = self._abandoned()
        taken = self._file.with_name(f"{self._file.name}.{os.urandom(8).hex()}")
        try:
            self._file.rename(taken)
            files.append(taken)
        except OSError:
            if not files:
                return None
        return Times(self, files, [each for file in files for each in _seconds(file)])

    def _abandoned(self) -> list[Path]:
        found: list[Path] = []
        try:
            for file in self._file.parent.glob(f"{self._file.name}.*"):
                # A rename counts as a change of the file's state, not of what is in it.
                if file.stat().st_ctime < time.time() - ABANDONED:
                    mine = self._file.with_name(f"{self._file.name}.{os.urandom(8).hex()}")
                    file.rename(mine)
                    found.append(mine)
        except OSError:
            return found  # somebody else was quicker
        return found


def moment(seconds: int) -> str:
    """ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _seconds(file: Path) -> list[int]:
    try:
        content = file.read_bytes()
    except OSError:
        return []
    lines = (content[at : at + WIDTH] for at in range(0, len(content), WIDTH))
    return [int(line) for line in lines if len(line) == WIDTH and line[:-1].isdigit()]
