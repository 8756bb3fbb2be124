"""Signed heads that a replica's folder has seen, and that its database may have lost since.

Heads in a database are restored together with its log, so the database cannot show that it was. A replica's folder can:
before each start the newest head of each organization's copy is noted in `noted-heads/<organization>.jsonl`, which
stays when the copy is made anew. Each is held against the log then; one that the log holds is struck off, and any other
stays there until somebody has adopted the log (`adoption`).
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final, NamedTuple

from assent_service.store.files import FILES, Files
from assent_service.store.heads import Head, list_heads, read_head

FOLDER: Final = "noted-heads"
_ENDING: Final = ".jsonl"


class NotedHead(NamedTuple):
    org_id: str
    head: Head
    line: bytes


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


def forget_heads(home: Path) -> None:
    """They were of another log."""
    shutil.rmtree(home / FOLDER, ignore_errors=True)


def _lines(home: Path, org_id: str) -> list[bytes]:
    try:
        return _path(home, org_id).read_bytes().splitlines()
    except FileNotFoundError:
        return []


def _keep(home: Path, org_id: str, lines: list[bytes], files: Files) -> None:
    """Whole or not at all, durably."""
    path = _path(home, org_id)
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700)
        files.sync_folder(home)
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
