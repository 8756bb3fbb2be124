"""Blanking the bodies of lines in the log, in place, so that nothing can interrupt it for good.

A body is overwritten with as many spaces; everything before it stays (see `event`). Doing so twice is harmless. A line
of which only some bytes became spaces would be neither what was written nor erased, and stop a start. So which lines
are meant is made durable first, in the file `erasing` beside the log's folder; then they are blanked, made durable in
turn, and the file is removed. `mend` does again whatever such a file names, and comes before anything is verified.

`erasing` names lines by their place and their leaf hash. Only a line whose leaf hash and header are those is ever
written to: a file that is left beside another log (one that was restored from a copy) does no harm.

Somebody may read a line just then. Readers that find a line wrong wait until nobody is blanking and look again
(`segments.BLANKING`), so they meet it as it was or as it is.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final

import msgspec

from assent.contract.prepared import prepared
from assent.proof.canonical import leaf_hash
from assent_service.store.failures import LogDamaged
from assent_service.store.files import FILES, Files
from assent_service.store.segments import BLANKING, JOURNAL, segment_path

_SPACE: Final = b" "

log = logging.getLogger("assent.erasing")


class LogLine(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A line of the log: its segment, its first byte and its bytes with the newline, and its leaf hash in hex."""

    segment: int
    offset: int
    length: int
    leaf: str


class Blanker:
    """Blanks lines of the log in `home`; for one thread, in the process that owns the data folder."""

    def __init__(self, home: Path, files: Files = FILES) -> None:
        self._home, self._files = home, files

    def blank(self, lines: Sequence[LogLine]) -> set[int]:
        """Durably blank the bodies of `lines`, and say which segments had any that were not blank already.

        Raises OSError, after which it may be tried again, and LogDamaged for a line that is not there; nothing was
        blanked then.
        """
        folder = self._home / "log"
        left = [line for line in sorted(set(lines)) if not _is_blank(folder, line)]
        if left:
            # What an attempt that failed has left is among these, or was mended.
            mend(self._home, self._files)
            _note(self._home, left, self._files)
            _blank_all(folder, left, self._files)
            (self._home / JOURNAL).unlink(missing_ok=True)
        return {line.segment for line in left}


def mend(home: Path, files: Files = FILES) -> int:
    """Finish a blanking that was interrupted, and say of how many lines; before the log in `home` is verified.

    Raises OSError, and LogDamaged for a file `erasing` that cannot be read.
    """
    path = home / JOURNAL
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return 0
    try:
        lines = msgspec.json.decode(text, type=prepared(list[LogLine]))
    except (msgspec.MsgspecError, ValueError):
        raise LogDamaged(
            path,
            0,
            0,
            "the lines whose bodies are being erased",
            f"{text[:80]!r}",
            "It is written whole or not at all, so the disk has changed it. Put it back from a copy; if there is none, "
            "move it away: a start then names each line that is half erased, if there is any.",
        ) from None
    folder = home / "log"
    there = [line for line in lines if _body(folder, line) is not None]
    if len(there) < len(lines):
        log.warning("%d lines that were being erased are not in this log; nothing is done to it for them", len(lines))
    _blank_all(folder, there, files)
    path.unlink(missing_ok=True)
    return len(there)


def _is_blank(folder: Path, line: LogLine) -> bool:
    body = _body(folder, line)
    if body is None:
        path = segment_path(folder, line.segment)
        raise LogDamaged(path, 0, line.offset, f"the line of leaf {line.leaf}, to be erased", "another line, or none")
    return not body[1].strip(_SPACE)


def _body(folder: Path, line: LogLine) -> tuple[int, bytes] | None:
    """Where the body of this line begins in its file, and the body; None when no such line is at that place."""
    try:
        with segment_path(folder, line.segment).open("rb") as file:
            file.seek(line.offset)
            found = file.read(line.length)
    except FileNotFoundError:
        return None
    parts = found.split(_SPACE, 4)
    if len(found) != line.length or not found.endswith(b"\n") or len(parts) != 5:
        return None
    _, _, leaf, header, rest = parts
    if leaf != line.leaf.encode() or leaf_hash(header).hex() != line.leaf:
        return None
    return line.offset + line.length - len(rest), rest[:-1]


def _note(home: Path, lines: Sequence[LogLine], files: Files) -> None:
    """Make durable which lines are about to be blanked."""
    path = home / JOURNAL
    draft = home / f"{JOURNAL}.tmp"
    draft.unlink(missing_ok=True)
    fd = files.open_append(draft, create=True)
    try:
        data = memoryview(msgspec.json.encode(lines))
        while data:
            data = data[files.write(fd, data) :]
        files.fsync(fd)
    finally:
        files.close(fd)
    draft.replace(path)
    files.sync_folder(home)


def _blank_all(folder: Path, lines: Iterable[LogLine], files: Files) -> None:
    for segment, of_segment in groupby(sorted(lines), key=lambda line: line.segment):
        fd = os.open(segment_path(folder, segment), os.O_WRONLY | os.O_CLOEXEC)
        try:
            for line in of_segment:
                _blank(folder, line, fd, files)
            files.fdatasync(fd)
        finally:
            files.close(fd)


def _blank(folder: Path, line: LogLine, fd: int, files: Files) -> None:
    body = _body(folder, line)
    if body is None:
        return
    at, found = body
    left = memoryview(_SPACE * len(found))
    with BLANKING:
        while left:
            written = files.write_at(fd, left, at)
            left, at = left[written:], at + written
