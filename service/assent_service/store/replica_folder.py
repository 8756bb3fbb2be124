"""A replica's data folder: its log is a copy of one in a database, and everything in it was made from that log.

The folder says in the file `replica` which log it is a copy of. A folder with a log of its own is no replica's, and
nobody who serves from files takes a replica's folder for one: its log would be forgotten, or fork.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from assent_service.store.failures import FolderOfAnotherLog

MARK: Final = "replica"
FOLDERS: Final = ("log", "tree", "heads", "blobs", "bundles", "wallet")
FILES: Final = ("tables.duckdb*", "drift.checkpoint*", "erasing*", MARK)
"""With FOLDERS, what is made from a log; settings and keys of the folder's owner stay, and so does what
`noted_heads` keeps."""


def check_claim(home: Path, identity: str) -> None:
    """Raise FolderOfAnotherLog for a folder with a log of its own, also where that log is not in its place, and for a
    copy of another log: what a replica noted of that one keeps it from signing what the database has lost. Changes
    nothing."""
    said = _claimed(home)
    # What a crash or a full disk has left of a mark says nothing.
    if said is not None and len(said) == len(identity) and said != identity:
        raise FolderOfAnotherLog(
            f"the data folder {home} is a copy of another database's log, and notes what that one has signed. Set "
            "ASSENT_LOG to that database, or give this replica an empty folder with --home or ASSENT_HOME."
        )
    if said != identity and _has_own(home):
        raise FolderOfAnotherLog(
            f"the data folder {home} has a log of its own, and would lose it as a replica's. Copy it into the "
            "database with `assent log copy`, and give the replica an empty folder with --home or ASSENT_HOME."
        )


def _claimed(home: Path) -> str | None:
    """Of which log it is a copy."""
    try:
        return (home / MARK).read_text("ascii", errors="replace").strip()
    except FileNotFoundError:
        return None


def _has_own(home: Path) -> bool:
    """Whether there is anything of a log, or kept beside one. Tables alone are made again from any log."""
    kept = (path for name in FOLDERS for path in (home / name).rglob("*"))
    return any(path.is_file() and path.stat().st_size for path in kept)


def claim(home: Path, identity: str) -> None:
    """Say that the folder is a copy of this log, for who holds its lock. Raises as `check_claim` does."""
    check_claim(home, identity)
    if _claimed(home) != identity:
        draft = home / f"{MARK}.tmp"
        draft.write_text(f"{identity}\n", "ascii")
        draft.replace(home / MARK)


def check_not_claimed(home: Path) -> None:
    """Raise FolderOfAnotherLog for a replica's folder, whose log is in a database."""
    if (home / MARK).exists():
        raise FolderOfAnotherLog(
            f"the data folder {home} is a replica's: its log is in a database. Set ASSENT_LOG to that database, or "
            "give another folder with --home or ASSENT_HOME."
        )


def discard(home: Path) -> None:
    """Remove what was made from the log; of a folder that is a link to another disk, its segments and what belongs to
    them, and nothing else that is there."""
    for name in FOLDERS:
        if (home / name).is_symlink():
            for path in list((home / name).glob("[0-9]*.*")):
                path.unlink()
        else:
            shutil.rmtree(home / name, ignore_errors=True)
    for pattern in FILES:
        for path in home.glob(pattern):
            path.unlink(missing_ok=True)
