"""Writing lines of a log, which were numbered and hashed elsewhere, to the files of a data folder.

The lines and the borders of segments are those that the service itself would have written. Whole writes are taken, many
at a time, with one fdatasync. So after a power loss more than the last write may be torn, which a start calls damage:
what is copied here is there elsewhere, and is copied again into an empty folder. Whoever is only killed leaves whole
writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from assent_service.store.appender import Appender, create
from assent_service.store.files import FILES, Files
from assent_service.store.log import SEGMENT_BYTES
from assent_service.store.recovery import RecoveredLog, recover
from assent_service.store.segments import LogPlace, segment_path, verify, write_seal


class LogFile:
    """The log of one data folder, which the process owns; for one thread. `end` is the byte after the last line."""

    def __init__(self, folder: Path, found: RecoveredLog, segment_bytes: int, files: Files) -> None:
        self.folder, self.head = folder, found.head
        self._segment_bytes, self._files = segment_bytes, files
        self._appender = Appender(folder, found.end, files)

    @classmethod
    def open(cls, home: Path, *, segment_bytes: int = SEGMENT_BYTES, files: Files = FILES) -> Self:
        """The log in `home`, or an empty one. Raises LogDamaged and OSError."""
        folder = home / "log"
        if not folder.is_dir():
            folder.mkdir(parents=True, mode=0o700)
            files.sync_folder(home)
        if not any(folder.iterdir()):
            files.close(create(segment_path(folder, 1), files))
        return cls(folder, recover(folder, 0, files), segment_bytes, files)

    @property
    def end(self) -> LogPlace:
        return self._appender.end

    def append(self, writes: Iterable[tuple[int, bytes]]) -> None:
        """Append whole writes, each with the number of its last event. Durable when this returns; raises OSError and
        ReadOnly, after which the log ends with a whole write."""
        waiting: list[bytes] = []
        size, last = 0, self.head
        for head, data in writes:
            if self.end.offset + size >= self._segment_bytes:
                self._write(waiting, last)
                self._rotate()
                waiting, size = [], 0
            waiting.append(data)
            size, last = size + len(data), head
        self._write(waiting, last)

    def _write(self, waiting: list[bytes], last: int) -> None:
        if waiting:
            self._appender.append(b"".join(waiting))
            self.head = last

    def _rotate(self) -> None:
        """Go on in a new segment, and seal the finished one, which is read back for that."""
        finished = self.end.segment
        self._appender.rotate(self.head + 1)
        write_seal(self.folder, verify(self.folder, finished).seal, self._files)

    def close(self) -> None:
        self._appender.close()
