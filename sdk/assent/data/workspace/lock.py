"""One process at a time refreshes a view.

The lock is the operating system's, on an open file: it is given back when its holder ends, however that happens. Where
a file system knows no locks nothing is lost but time, because every file is put in place whole: two that refresh at
once fetch the same days twice.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

WAIT = 0.2
"""Seconds between two looks at a lock that somebody else holds."""


class Lock:
    """Made for one refresh; `take` says whether it is ours now."""

    def __init__(self, path: Path) -> None:
        self._fd: int | None = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)

    def take(self) -> bool:
        assert self._fd is not None, "the lock was given back"
        try:
            _lock(self._fd)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            # No locks on this file system.
            return True
        return True

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


if os.name == "nt":  # pragma: no cover - not where the tests run

    def _lock(fd: int) -> None:
        import msvcrt

        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:

    def _lock(fd: int) -> None:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
