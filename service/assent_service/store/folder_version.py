"""Which version a data folder is of: HOME/version says it, as a number.

    1  no such file: up to commit 6a49c10. A table may lack columns, and values that are a member's default.
    2  the tables have every column of their rows, and the defaults; the file is there.

Who opens an older folder to write in it upgrades it in place: the migrations mend the tables, the log stays as it is,
and then the file says the newer version. Who finds a newer one refuses it before anything is touched. A folder whose
file was lost counts as the oldest, which does no harm: its tables are mended once more.

A change that an older program could not live with adds a line here, and what mends it to the migrations of the tables.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from pathlib import Path

from assent_service.base.release import release
from assent_service.store.failures import FolderVersionUnknown

FILE = "version"
VERSIONS = {
    1: "has no file `version`; tables may lack columns and defaults",
    2: "its file `version` says so; tables have every column and the defaults",
}
CURRENT = max(VERSIONS)
OLDEST = min(VERSIONS)

LONGEST = 20
"""Digits of a version that are read."""

log = logging.getLogger("assent.store")


def check_version(home: Path) -> int:
    """The version of `home`; a new or missing folder is of the current one once it is opened. Reads one file, and
    changes nothing. Raises FolderVersionUnknown, and OSError for a file that cannot be read."""
    said = _said(home / FILE)
    if said is None:
        return OLDEST
    number = int(said) if said.isdecimal() and len(said) <= LONGEST and not said.startswith("0") else None
    if number not in VERSIONS:
        raise FolderVersionUnknown(home, said, number, CURRENT, release())
    return number


def _said(file: Path) -> str | None:
    """What the file says, or what it is instead of a file; None where there is none."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENXIO):
            raise
        return "(a link or a socket)"
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return "(no ordinary file)"
        return os.read(descriptor, LONGEST + 2).decode("ascii", "replace").removesuffix("\n")
    finally:
        os.close(descriptor)


def record_version(home: Path, *, history: bool) -> None:
    """Write that `home`, which is open and upgraded, is of the current version. `history` says whether anything was
    recorded in it before: then this is told as an upgrade. A disk that does not take the file changes nothing else."""
    before = check_version(home)
    if before == CURRENT:
        return
    try:
        _write(home)
    except OSError as error:
        log.warning("the data folder %s stays of version %d until its file can be written: %s", home, before, error)
    else:
        if history:
            log.info("the data folder %s was upgraded from version %d to %d", home, before, CURRENT)


def _write(home: Path) -> None:
    draft = home / f"{FILE}.new"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as target:
        target.write(f"{CURRENT}\n")
        target.flush()
        os.fsync(descriptor)
    draft.replace(home / FILE)
