"""The few operations that the log asks of a file system, as one small object, so that a test can make any of
them fail."""

import os
from pathlib import Path

# macOS has no fdatasync; fsync does more, never less.
_fdatasync = getattr(os, "fdatasync", os.fsync)


class Files:
    """The real file system. Every method raises OSError as the call it is named after does."""

    def open_append(self, path: Path, *, create: bool) -> int:
        """A descriptor whose writes always go to the file's end, whatever it was cut back to. Only the owner
        may read: the log holds what agents were told."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | (os.O_CREAT if create else 0)
        return os.open(path, flags, 0o600)

    def size(self, fd: int) -> int:
        return os.fstat(fd).st_size

    def write(self, fd: int, data: memoryview) -> int:
        """How many of the bytes were taken, which may be fewer than all."""
        return os.write(fd, data)

    def write_at(self, fd: int, data: memoryview, offset: int) -> int:
        """How many of the bytes were taken. The descriptor must not be one of `open_append`."""
        return os.pwrite(fd, data, offset)

    def fdatasync(self, fd: int) -> None:
        _fdatasync(fd)

    def fsync(self, fd: int) -> None:
        os.fsync(fd)

    def ftruncate(self, fd: int, length: int) -> None:
        os.ftruncate(fd, length)

    def close(self, fd: int) -> None:
        os.close(fd)

    def sync_folder(self, folder: Path) -> None:
        """Make the names in `folder` durable: a new file's bytes are worth nothing while its name can
        vanish."""
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


FILES = Files()
