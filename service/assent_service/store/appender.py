"""The open end of the log: bytes go in durably, or not at all.

- `append` returns after every byte was written and fdatasync succeeded. Only then does the offset move.
- A write that fails or stops short (no space, over quota, file too big), or an fdatasync that says there is
  no space: the file is cut back to the last durable offset, so that refused events cannot come back, and the
  OSError is raised. The next call simply tries again.
- When cutting back fails, or fdatasync fails in any other way, nobody knows any more what is on the disk. The
  kernel may have dropped the pages and called them clean, so a second fdatasync would succeed and lie: it is
  never tried. ReadOnly is raised. The file is still cut back as well as can be, so that the refused events do
  not turn up at the next start.
- A segment that has reached its size is followed by a new one, whose name is made durable before anything is
  written to it.
"""

import errno
from pathlib import Path
from typing import Final

from assent_service.store.failures import ReadOnly
from assent_service.store.files import Files
from assent_service.store.segments import LogPlace, segment_path

_NO_SPACE: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class Appender:
    """Writes to the last segment of the log in `folder`; `end` is its durable end. Used by one thread."""

    def __init__(self, folder: Path, end: LogPlace, files: Files) -> None:
        self._folder, self._files = folder, files
        self.end = end
        self._fd = files.open_append(segment_path(folder, end.segment), create=False)

    def append(self, data: bytes) -> None:
        """Write `data` at the end, durably. Raises OSError when it was refused and may be tried again,
        ReadOnly when never."""
        try:
            self._write(data)
        except OSError as error:
            self._cut_back(error)
            raise
        try:
            self._files.fdatasync(self._fd)
        except OSError as error:
            self._cut_back(error)
            if error.errno in _NO_SPACE:
                raise
            raise ReadOnly(f"fdatasync failed: {error}", self._place()) from error
        self.end = LogPlace(self.end.segment, self.end.offset + len(data))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            written = self._files.write(self._fd, left)
            if written == 0:
                raise OSError(errno.ENOSPC, "the file system took none of the bytes")
            left = left[written:]

    def _cut_back(self, cause: OSError) -> None:
        try:
            self._files.ftruncate(self._fd, self.end.offset)
            self._files.fsync(self._fd)
        except OSError as error:
            reason = f"a write failed ({cause}) and what it left could not be cut off ({error})"
            raise ReadOnly(reason, self._place()) from error

    def _place(self) -> str:
        return f"{segment_path(self._folder, self.end.segment)}, byte {self.end.offset}"

    def rotate(self, segment: int) -> None:
        """Go on in a new file, whose first event will be `segment`. Raises as `append` does; then the old
        file goes on."""
        path = segment_path(self._folder, segment)
        fd = create(path, self._files)
        self._files.close(self._fd)
        self._fd, self.end = fd, LogPlace(segment, 0)

    def close(self) -> None:
        self._files.close(self._fd)


def create(path: Path, files: Files) -> int:
    """An empty segment whose name is durable, open for appending.

    One that was left empty by an attempt that failed is taken over. Raises OSError, or ReadOnly when the name
    cannot be made durable or the file has something in it.
    """
    fd = files.open_append(path, create=True)
    try:
        if files.size(fd):
            raise ReadOnly("a new segment is not empty: somebody else writes to this folder", str(path))
        files.sync_folder(path.parent)
    except OSError as error:
        files.close(fd)
        if error.errno in _NO_SPACE:
            raise
        raise ReadOnly(f"fsync of the log folder failed: {error}", str(path.parent)) from error
    except ReadOnly:
        files.close(fd)
        raise
    return fd
