"""Small disks that really are full."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

KILOBYTE = 1024
MEGABYTE = 1024 * KILOBYTE


class SmallDisk:
    """A file system in memory at `path`. `fill` leaves so many bytes of it free, `free` gives the rest back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filling = path / "filling"

    @property
    def room(self) -> int:
        found = os.statvfs(self.path)
        return found.f_bavail * found.f_frsize

    def fill(self, leave: int = 0) -> None:
        with self._filling.open("ab") as file:
            while (more := self.room - leave) > 0:
                try:
                    file.write(b"\0" * min(more, MEGABYTE))
                    file.flush()
                except OSError:
                    break

    def free(self) -> None:
        self._filling.unlink()


@contextmanager
def small_disk(path: Path, size: int) -> Iterator[SmallDisk]:
    """Mount one at `path` for as long as needed; the test is skipped where mounting is not permitted."""
    path.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "assent-test", path],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"a small disk takes the right to mount: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
