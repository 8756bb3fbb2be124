"""One process owns a data folder.

The log's writer and DuckDB both assume that nobody else writes. `flock` on HOME/lock says so: the kernel lets
go of it when the process ends, however it ends, so that a crash never leaves a stale lock behind. The file
itself stays; its content, the owner's process id, only serves the message.

Whoever owns a folder keeps it to itself: nobody else on the machine may look into it, since it holds what agents said,
and keys.
"""

import fcntl
import logging
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from assent_service.store.failures import FolderOwned
from assent_service.store.folder_version import check_version

log = logging.getLogger("assent.store")


class FolderLock:
    """Ownership of a data folder, from `take` to `release` or the end of the process. Also a context
    manager."""

    def __init__(self, home: Path, fd: int) -> None:
        self.home = home
        self._fd: int | None = fd

    @classmethod
    def take(cls, home: Path) -> "FolderLock":
        """Own `home`, which is made if need be. Raises FolderOwned at once when another process, or this one,
        already does, and FolderVersionUnknown for a folder of a newer program, which it leaves as it is."""
        check_version(home)
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        keep_private(home)
        fd = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            owner = os.pread(fd, 32, 0).decode("ascii", "replace").strip() or "unknown"
            os.close(fd)
            raise FolderOwned(
                f"the data folder {home} is in use by another Assent process (process id {owner}). Stop that "
                "one, or give this one a folder of its own with --home or ASSENT_HOME."
            ) from None
        except OSError:
            os.close(fd)
            raise
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"%d\n" % os.getpid(), 0)
        return cls(home, fd)

    def release(self) -> None:
        """Let go. Doing so twice is harmless."""
        fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def keep_private(path: Path) -> None:
    """Take away what others may do with `path`, a file or a folder. Where that is not ours to do it is only told."""
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        try:
            path.chmod(mode & ~0o077)
        except OSError as error:
            log.warning("%s can be used by others (mode %04o), and that cannot be changed: %s", path, mode, error)
