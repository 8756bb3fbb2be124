"""Signed tree heads, kept for ever: `heads/<organization>.jsonl`, a line for each, in the order of their sizes.

    {"size":<leaves>,"checkpoint":"<note>"}

A head says what the log was when it was signed. It cannot be made again from the log, so it is durable before anybody
gets it. What a write that was torn has left at the end is not a head, and is cut off before the next one is written.

Where several services share a log, a head is an object of its database first: the first one of a size stays, every
service gives out that one, and the file is a copy.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from os import SEEK_END, truncate
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from assent.contract.prepared import prepared
from assent_service.store.failures import LogDamaged
from assent_service.store.files import FILES, Files
from assent_service.store.objects import HEAD, Shared

FOLDER: Final = "heads"
_ENDING: Final = ".jsonl"
_NEAR_THE_END: Final = 64 << 10


class Head(Struct, frozen=True, forbid_unknown_fields=True):
    """`checkpoint` is the signed note, as it was given away."""

    size: int
    checkpoint: str


class HeadStore:
    """The heads of one data folder, for any thread. Every method blocks.

    What is stored and is not a head raises LogDamaged, which names the line.
    """

    def __init__(self, home: Path, files: Files = FILES, shared: Shared | None = None) -> None:
        self._folder, self._files, self._shared = home / FOLDER, files, shared
        self._lock, self._refreshing = threading.Lock(), threading.Lock()
        self._ends: dict[str, int] = {}
        """How far a file is known to be whole lines."""
        self._cut()

    def newest(self, org_id: str) -> Head | None:
        """The last one that was appended."""
        self._refresh(org_id)
        return self._newest(org_id)

    def _newest(self, org_id: str) -> Head | None:
        with self._lock:
            content, at = self._content(org_id, _NEAR_THE_END)
        lines = content.splitlines()
        return self._read(org_id, lines[-1], at + len(content) - len(lines[-1]) - 1) if lines else None

    def of_size(self, org_id: str, size: int) -> Head | None:
        """The newest one of this size."""
        self._refresh(org_id)
        with self._lock:
            content, _ = self._content(org_id)
        at = (b"\n" + content).rfind(b'\n{"size":%d,' % size)
        return self._read(org_id, content[at : content.index(b"\n", at)], at) if at >= 0 else None

    def covering(self, org_id: str, size: int) -> Head | None:
        """The first one of at least this size. Only a few lines are read, however many there are."""
        self._refresh(org_id)
        with self._lock:
            end = self._end(org_id)
            if not end:
                return None
            with self._path(org_id).open("rb") as file:
                low, high = 0, end
                while high - low > _NEAR_THE_END:
                    file.seek((low + high) // 2)
                    file.readline()
                    at, line = file.tell(), file.readline()
                    if at + len(line) >= high:
                        break
                    if self._read(org_id, line[:-1], at).size < size:
                        low = at + len(line)
                    else:
                        high = at + len(line)
                file.seek(low)
                content = file.read(high - low)
        for line in content.splitlines(keepends=True):
            head = self._read(org_id, line[:-1], low)
            if head.size >= size:
                return head
            low += len(line)
        return None

    def all(self, org_id: str) -> Iterator[Head]:
        with self._lock:
            content, at = self._content(org_id)
        for line in content.splitlines(keepends=True):
            yield self._read(org_id, line[:-1], at)
            at += len(line)

    @property
    def home(self) -> Path:
        """The data folder."""
        return self._folder.parent

    def append(self, org_id: str, size: int, note: str, instead_of: str | None = None) -> str:
        """Keep a head, durably, and return the one that is kept of this size: another one where somebody else was
        first. `instead_of` is the head of this size that it takes the place of, where its key has ended.

        Raises ValueError when it is smaller than the newest, OSError, and LogAway; it is not kept then.
        """
        newest = self.newest(org_id)
        if newest is not None and size < newest.size:
            raise ValueError(f"a head of {size} leaves cannot come after one of {newest.size} in {org_id}")
        line = msgspec.json.encode(Head(size, note)) + b"\n"
        if self._shared is None:
            self._keep(org_id, line)
            return note
        again = 0
        if newest is not None and newest.size == size:
            if newest.checkpoint != instead_of:
                return newest.checkpoint
            again = self._count(org_id, size)
        kept = self._shared.put(HEAD, _name(org_id, size, again), line[:-1])
        self._refresh(org_id)
        return self._read(org_id, kept, 0).checkpoint

    def _refresh(self, org_id: str) -> None:
        """Copy the heads that others have kept meanwhile."""
        if self._shared is None:
            return
        newest = self._newest(org_id)
        after = "" if newest is None else _name(org_id, newest.size, self._count(org_id, newest.size) - 1)
        found = self._shared.objects(HEAD, f"{org_id}/", after)
        with self._refreshing:
            # Somebody else may have copied some of them meanwhile.
            newest = self._newest(org_id)
            last = "" if newest is None else _name(org_id, newest.size, self._count(org_id, newest.size) - 1)
            lines = [content + b"\n" for name, content in found if name > last]
            if lines:
                self._keep(org_id, b"".join(lines))

    def _count(self, org_id: str, size: int) -> int:
        """How many there are of this size, which is the newest's."""
        with self._lock:
            content, _ = self._content(org_id, _NEAR_THE_END)
        return content.count(b'{"size":%d,' % size)

    def _keep(self, org_id: str, line: bytes) -> None:
        with self._lock:
            new = self._make(org_id)
            end = self._end(org_id)
            fd = self._files.open_append(self._path(org_id), create=True)
            try:
                if self._files.size(fd) > end:
                    self._files.ftruncate(fd, end)
                left = memoryview(line)
                while left:
                    left = left[self._files.write(fd, left) :]
                self._files.fsync(fd)
            finally:
                self._files.close(fd)
            if new:
                self._files.sync_folder(self._folder)
            self._ends[org_id] = end + len(line)

    def _content(self, org_id: str, last: int | None = None) -> tuple[bytes, int]:
        """Whole lines up to the end, all of them or so many that about `last` bytes are read; and where they begin."""
        end = self._end(org_id)
        if not end:
            return b"", 0
        with self._path(org_id).open("rb") as file:
            start = 0 if last is None else max(0, end - last)
            file.seek(start)
            content = file.read(end - start)
            first = content.find(b"\n", 0, -1) + 1 if start else 0
            if start and not first:  # one line is longer than that
                file.seek(start := 0)
                content = file.read(end)
        return content[first:], start + first

    def _end(self, org_id: str) -> int:
        """The byte after the last whole line."""
        if org_id not in self._ends:
            try:
                content = self._path(org_id).read_bytes()
            except FileNotFoundError:
                content = b""
            self._ends[org_id] = content.rfind(b"\n") + 1
        return self._ends[org_id]

    def _cut(self) -> None:
        """Take away the torn ends of files."""
        for org_id, path in list_heads(self._folder.parent).items():
            with path.open("rb") as file:
                size = file.seek(0, SEEK_END)
                file.seek(max(0, size - 1))
                whole = file.read() in (b"", b"\n")
            if not whole:
                truncate(path, self._end(org_id))

    def _make(self, org_id: str) -> bool:
        """Whether the organization's file is still to be made."""
        if not self._folder.is_dir():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._files.sync_folder(self._folder.parent)
        return not self._path(org_id).exists()

    def _read(self, org_id: str, line: bytes, at: int) -> Head:
        return read_head(self._path(org_id), line, at)

    def _path(self, org_id: str) -> Path:
        return self._folder / f"{org_id}{_ENDING}"


def _name(org_id: str, size: int, again: int) -> str:
    """What a head is called among the objects, as `assent log copy` calls it."""
    return f"{org_id}/{size:020d}" + (f".{again:06d}" if again else "")


def read_head(path: Path, line: bytes, at: int) -> Head:
    """The head in a line (without its newline) that begins at byte `at`. Raises LogDamaged."""
    try:
        return msgspec.json.decode(line, type=prepared(Head))
    except (msgspec.MsgspecError, ValueError) as error:
        with path.open("rb") as file:
            number = file.read(at).count(b"\n") + 1
        raise LogDamaged(path, number, at, "a signed head", f"{line[:60]!r}: {error}") from None


def list_heads(home: Path) -> dict[str, Path]:
    """The file of each organization that has heads."""
    folder = home / FOLDER
    paths = sorted(folder.glob(f"*{_ENDING}")) if folder.is_dir() else []
    return {path.name.removesuffix(_ENDING): path for path in paths}
