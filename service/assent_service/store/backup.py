"""`assent backup`: a copy of a data folder while a service runs on it, to another folder.

The copy is that of `copying`, of one moment: lines up to an end that is durable, heads, sealed signing keys, files of
messages, stored proofs. The tables are not in it. It begins with a mark (`backup_mark`) that says so, and ends with the
checks of `assent log verify` on the copy alone.

A body may be erased while its line is copied; the event that says so may then lie behind the end of the copy. The
checks find such a line. Then what was recorded meanwhile is added, without looking at what is there again, so that
this ends under any number of erasures.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from assent.contract.evidence.proofs import CheckStatus
from assent_service.store.audit import audit
from assent_service.store.backup_mark import BackupMark, read_mark, write_mark
from assent_service.store.copying import Copied, CopyFailed, CopyRefused, Progress, SourceChanged, follow, run

ROUNDS: Final = 5
"""Copies in a row, where the source changes meanwhile."""


def back_up(
    home: Path,
    target: Path,
    progress: Progress = lambda _done, _total: None,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Copied:
    """Bring `target`, which is missing, empty or an earlier backup of `home`, up to a moment of this call.

    Raises CopyRefused and leaves the target as it is, CopyFailed where the copy is not right, what opening the folders
    raises, and OSError. Whatever was interrupted goes on when it is called again.
    """
    before = _prepare(home, target)
    began = now()
    for left in reversed(range(ROUNDS)):
        try:
            copied = run(str(home), str(target), progress, in_use=True)
            break
        except SourceChanged:
            if not left:
                raise
    events = copied.events
    for left in reversed(range(ROUNDS)):
        found = audit(target, processes=os.cpu_count() or 1)
        if found.ok:
            write_mark(target, BackupMark(finished=True, events=events, taken_at=began))
            return msgspec.structs.replace(copied, before=before, events=events)
        reached = events
        if left:
            with suppress(SourceChanged):
                events = follow(home, target)
        if events == reached:
            break
    wrong = "; ".join(f"{check.name}: {check.detail}" for check in found.checks if check.status is CheckStatus.FAIL)
    raise CopyFailed(f"the copy in {target} is not right: {wrong}")


def _prepare(home: Path, target: Path) -> int:
    """Mark the target as a backup that is not finished; how many events it has from before."""
    if not (home / "log").is_dir():
        raise CopyRefused(f"there is no data folder {home}, or no log in it; name it with --home")
    if target.resolve().is_relative_to(home.resolve()) or home.resolve().is_relative_to(target.resolve()):
        raise CopyRefused(f"{target} and {home} lie in each other: name a folder outside, best on another disk")
    mark = read_mark(target) if target.is_dir() else None
    if mark is None:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise CopyRefused(
                f"{target} is not empty and no backup that this command has made: name another folder, or an earlier "
                "backup of this one. Nothing was changed."
            )
        target.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark = BackupMark(finished=False)
    else:
        mark = msgspec.structs.replace(mark, finished=False)
    write_mark(target, mark)
    return mark.events
