"""The file operations of the evidence log, timed: put in the place of the plain ones when somebody measures."""

from __future__ import annotations

from time import perf_counter

from assent_service.store.files import Files
from assent_service.telemetry.meters import Meters


class TimedFiles(Files):
    """The real file system, and how long its writes to the log and their way to the disk take."""

    def __init__(self, meters: Meters) -> None:
        self._write, self._fsync = meters.log_write.observe, meters.log_fsync.observe

    def write(self, fd: int, data: memoryview) -> int:
        began = perf_counter()
        try:
            return super().write(fd, data)
        finally:
            self._write(perf_counter() - began)

    def fdatasync(self, fd: int) -> None:
        began = perf_counter()
        try:
            super().fdatasync(fd)
        finally:
            self._fsync(perf_counter() - began)
