"""What a replica's folder has seen, and its database may have lost since: signed heads, and the end of the log.

Heads in a database are restored together with its log, so the database cannot show that it was. A replica's folder can:
before each start the newest head of each organization's copy is noted in `noted-heads/<organization>.jsonl`, which
stays when the copy is made anew. Each is held against the log then; one that the log holds is struck off, and any other
stays there until somebody has adopted the log (`adoption`).

What was signed at other services is in no copy. So the last event of a copy that the database does not hold any more
is noted as well, in `lost-events`, before that copy is thrown away: whatever was signed about it, anywhere, is of a
history that is gone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from assent_service.store.failures import LogDamaged
from assent_service.store.files import FILES, Files
from assent_service.store.heads import Head, list_heads, read_head

FOLDER: Final = "noted-heads"
LOST: Final = "lost-events"
_ENDING: Final = ".jsonl"


class NotedHead(NamedTuple):
    org_id: str
    head: Head
    line: bytes


class LostEvent(NamedTuple):
    """The number of an event and its leaf."""

    seq: int
    leaf: bytes


def note_heads(home: Path, files: Files = FILES) -> None:
    """Note the newest head of each organization that the folder's copy has."""
    for org_id, path in list_heads(home).items():
        content = path.read_bytes()
        lines = content[: content.rfind(b"\n") + 1].splitlines()
        known = _lines(home, org_id)
        if lines and lines[-1] not in known:
            _keep(home, org_id, [*known, lines[-1]], files)


def read_noted(home: Path) -> list[NotedHead]:
    """Those that were not found in the log yet. Raises LogDamaged."""
    found: list[NotedHead] = []
    for path in sorted((home / FOLDER).glob(f"*{_ENDING}")):
        org_id = path.name.removesuffix(_ENDING)
        found += [NotedHead(org_id, read_head(path, line, 0), line) for line in _lines(home, org_id)]
    return found


def strike_off(home: Path, noted: NotedHead, files: Files = FILES) -> None:
    """The log holds it, or somebody has adopted the log without it."""
    left = [line for line in _lines(home, noted.org_id) if line != noted.line]
    if left:
        _keep(home, noted.org_id, left, files)
    else:
        _path(home, noted.org_id).unlink(missing_ok=True)


def note_lost(home: Path, lost: LostEvent, files: Files = FILES) -> None:
    """The copy's last event is not in the database any more."""
    known = read_lost(home)
    if lost not in known:
        _keep_lost(home, [*known, lost], files)


def read_lost(home: Path) -> list[LostEvent]:
    """Those that nobody has adopted the log without. Raises LogDamaged."""
    path = home / LOST
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    found: list[LostEvent] = []
    for number, line in enumerate(lines, 1):
        seq, _, leaf = line.decode("ascii", "replace").partition(" ")
        try:
            found.append(LostEvent(int(seq), bytes.fromhex(leaf)))
        except ValueError:
            raise LogDamaged(path, number, 0, "an event's number and its leaf", repr(line[:60])) from None
    return found


def strike_off_lost(home: Path, held: LostEvent, files: Files = FILES) -> None:
    """The database holds it again."""
    left = [each for each in read_lost(home) if each != held]
    if left:
        _keep_lost(home, left, files)
    else:
        forget_lost(home, files)


def forget_lost(home: Path, files: Files = FILES) -> None:
    """Somebody has adopted the log without them, or the database holds them again."""
    (home / LOST).unlink(missing_ok=True)
    files.sync_folder(home)


def _lines(home: Path, org_id: str) -> list[bytes]:
    try:
        return _path(home, org_id).read_bytes().splitlines()
    except FileNotFoundError:
        return []


def _keep(home: Path, org_id: str, lines: list[bytes], files: Files) -> None:
    path = _path(home, org_id)
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700)
        files.sync_folder(home)
    _write(path, lines, files)


def _keep_lost(home: Path, lost: list[LostEvent], files: Files) -> None:
    _write(home / LOST, [f"{each.seq} {each.leaf.hex()}".encode() for each in lost], files)


def _write(path: Path, lines: list[bytes], files: Files) -> None:
    """Whole or not at all, durably."""
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = files.open_append(draft, create=True)
    try:
        left = memoryview(b"".join(line + b"\n" for line in lines))
        while left:
            left = left[files.write(descriptor, left) :]
        files.fsync(descriptor)
    finally:
        files.close(descriptor)
    draft.replace(path)
    files.sync_folder(path.parent)


def _path(home: Path, org_id: str) -> Path:
    return home / FOLDER / f"{org_id}{_ENDING}"
