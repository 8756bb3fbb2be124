"""The file `backup` in a data folder: that it is a copy which `assent backup` has made, and of which moment.

A service that is opened on such a folder was restored: what was recorded after that moment may be gone. The file is
there from the first byte of the copy on, and says `finished` once all of it was verified.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from assent.contract.prepared import prepared
from assent_service.store.failures import LogError
from assent_service.store.files import FILES, Files

FILE: Final = "backup"


class BackupMark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`events` are those of the last copy that was finished, `taken_at` when it began; nothing and None before."""

    finished: bool
    events: int = 0
    taken_at: datetime | None = None


class BackupMarkDamaged(LogError):
    """The file is there and cannot be read."""


def read_mark(home: Path) -> BackupMark | None:
    """None for a folder that is no backup. Raises BackupMarkDamaged, and OSError."""
    path = home / FILE
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(text, type=prepared(BackupMark))
    except (msgspec.MsgspecError, ValueError) as error:
        raise BackupMarkDamaged(
            f"{path} does not say of which moment this backup is: {text[:60]!r} ({error}). Take the folder from "
            "another copy."
        ) from None


def write_mark(home: Path, mark: BackupMark, files: Files = FILES) -> None:
    """Durably, whole or not at all. Raises OSError."""
    draft = home / f"{FILE}.new"
    draft.unlink(missing_ok=True)
    descriptor = files.open_append(draft, create=True)
    try:
        left = memoryview(msgspec.json.encode(mark) + b"\n")
        while left:
            left = left[files.write(descriptor, left) :]
        files.fsync(descriptor)
    finally:
        files.close(descriptor)
    draft.replace(home / FILE)
    files.sync_folder(home)


def remove_mark(home: Path, files: Files = FILES) -> None:
    """Durably; harmless where there is none."""
    (home / FILE).unlink(missing_ok=True)
    files.sync_folder(home)
