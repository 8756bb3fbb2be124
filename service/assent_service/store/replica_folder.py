"""A replica's data folder: its log is a copy of one in a database, and everything in it was made from that log.

The folder says in the file `replica` which log it is a copy of. A folder with a log of its own is no replica's, and
nobody who serves from files takes a replica's folder for one: its log would be forgotten, or fork.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from typing import Final

from assent_service.store.failures import FolderOfAnotherLog
from assent_service.store.noted_heads import forget_heads, forget_lost

MARK: Final = "replica"
FOLDERS: Final = ("log", "tree", "heads", "blobs", "bundles", "wallet")
FILES: Final = ("tables.duckdb*", "drift.checkpoint*", "erasing*", MARK)
"""With FOLDERS, what is made from a log; settings and keys of the folder's owner stay, and so does what
`noted_heads` keeps."""

log = logging.getLogger("assent.replica")


def claim(home: Path, identity: str) -> None:
    """Say that the folder is a copy of this log, and throw away the copy of another one.

    Raises FolderOfAnotherLog for a folder with a log of its own."""
    mark = home / MARK
    said = mark.read_text("ascii", errors="replace").strip() if mark.exists() else None
    if said is None and any(path.stat().st_size for path in (home / "log").glob("*")):
        raise FolderOfAnotherLog(
            f"the data folder {home} has a log of its own, and would lose it as a replica's. Copy it into the "
            "database with `assent log copy`, and give the replica an empty folder with --home or ASSENT_HOME."
        )
    if said is not None and said != identity:
        log.warning("the data folder %s was a copy of another database's log and is made anew", home)
        discard(home)
        forget_heads(home)
        forget_lost(home)
    if said != identity:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark.write_text(f"{identity}\n", "ascii")


def check_not_claimed(home: Path) -> None:
    """Raise FolderOfAnotherLog for a replica's folder, whose log is in a database."""
    if (home / MARK).exists():
        raise FolderOfAnotherLog(
            f"the data folder {home} is a replica's: its log is in a database. Set ASSENT_LOG to that database, or "
            "give another folder with --home or ASSENT_HOME."
        )


def discard(home: Path) -> None:
    """Remove what was made from the log."""
    for name in FOLDERS:
        shutil.rmtree(home / name, ignore_errors=True)
    for pattern in FILES:
        for path in home.glob(pattern):
            path.unlink(missing_ok=True)
