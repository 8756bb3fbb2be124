"""What the log's tests share: drafts, a log that remembers what it delivered, and a file system that fails
when told to."""

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from assent_service.store.batch import Salts, number
from assent_service.store.event import Draft, Event
from assent_service.store.files import Files
from assent_service.store.ledger import Ledger
from assent_service.store.log import Log, Submission, WriteResult
from assent_service.store.recovery import Applied
from assent_service.store.segments import LogPlace, segment_path

WAIT = 60.0


def draft(what: str = "x", org: str = "org_a", action: str | None = None) -> Draft:
    return Draft(
        org, "action.created", 1_700_000_000_000_000, "act_1", "key_1", b'{"goal":"%b"}' % what.encode(), action
    )


def submission(*what: str, org: str = "org_a") -> Submission:
    return Submission(tuple(draft(one, org) for one in what))


def goals(events: list[Event]) -> list[str]:
    """The `what` of each event, read back from its payload; `-` for an erased one."""
    return ["-" if event.data is None else event.data[9:-2].decode() for event in events]


def lay(folder: Path, *batches: int) -> list[bytes]:
    """Write one segment of batches with so many lines each, without a Log, and return its lines."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = laid(*batches)
    segment_path(folder, 1).write_bytes(b"".join(lines))
    return lines


def laid(*batches: int) -> list[bytes]:
    head, place, lines, counts, salts = 0, LogPlace(1, 0), list[bytes](), dict[str, int](), Salts()
    for size in batches:
        what = [submission(f"g{head + i + 1}") for i in range(size)]
        batch = number(what, head, place, counts, salts)
        lines += batch.data.splitlines(keepends=True)
        head, place = batch.head, LogPlace(1, place.offset + len(batch.data))
        counts |= batch.counts
    return lines


def put(path: Path, content: bytes) -> None:
    """Write over the file, for tests that do so thousands of times: of a file that is emptied first, a file system may
    wait at every close until the disk has it."""
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


def three_segments(home: Path) -> Path:
    """The folder of a log with events a1 a2 | b1 b2 | c1, in three files."""
    with Book(home, segment_bytes=1) as book:
        for what in (("a1", "a2"), ("b1", "b2"), ("c1",)):
            assert book.write(submission(*what)).error is None
    return home / "log"


def flips(content: bytes, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """`content` with every single bit between `start` and `end` turned over, one at a time."""
    for at in range(start, end):
        for bit in range(8):
            yield at, content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]


def swaps(content: bytes, places: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """`content` with the byte at each of `places` replaced by all 255 others, one at a time."""
    for at in places:
        for value in range(256):
            if value != content[at]:
                yield at, content[:at] + bytes([value]) + content[at + 1 :]


def columns(content: bytes) -> list[int]:
    """The places of every line's seq and batch, with the space after them and the newline before them."""
    places, start = list[int](), 0
    for line in content.splitlines(keepends=True):
        after = line.index(b" ", line.index(b" ") + 1) + 1
        places += range(start, start + after)
        start += len(line)
        places.append(start - 1)
    return places


class Book:
    """A log with its outcomes in a queue. `write` submits one list and waits for what becomes of it."""

    def __init__(
        self, home: Path, *, files: Files | None = None, segment_bytes: int = 64 << 20, applied: Applied | None = None
    ) -> None:
        self.outcomes: SimpleQueue[WriteResult] = SimpleQueue()
        self.log = Log.open(
            home, deliver=self.outcomes.put, applied=applied, segment_bytes=segment_bytes, files=files or Files()
        )

    def write(self, *submissions: Submission) -> WriteResult:
        self.log.submit(list(submissions))
        return self.outcomes.get(timeout=WAIT)

    def all(self) -> list[Event]:
        return list(self.log.events_from(1, 0))

    def __enter__(self) -> "Book":
        return self

    def __exit__(self, *_: object) -> None:
        self.log.close()


def read_back(home: Path) -> list[Event]:
    """Everything that a new start finds."""
    with Book(home) as book:
        return book.all()


class FaultyFiles(Files):
    """The real file system, except that the operations in `errors` raise the errno given there until it is
    taken out, and that a write takes `room` bytes in all before there is no space. `calls` counts what was
    asked."""

    def __init__(self) -> None:
        self.errors: dict[str, int] = {}
        self.room: int | None = None
        self.calls: dict[str, int] = {}
        self.before: Callable[[str], None] = lambda _: None

    def _ask(self, operation: str) -> None:
        self.before(operation)
        self.calls[operation] = self.calls.get(operation, 0) + 1
        if (code := self.errors.get(operation)) is not None:
            raise OSError(code, os.strerror(code))

    def open_append(self, path: Path, *, create: bool) -> int:
        self._ask("create" if create else "open")
        return super().open_append(path, create=create)

    def write(self, fd: int, data: memoryview) -> int:
        self._ask("write")
        if self.room is None:
            return super().write(fd, data)
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = super().write(fd, data[: self.room])
        self.room -= written
        return written

    def fdatasync(self, fd: int) -> None:
        self._ask("fdatasync")
        super().fdatasync(fd)

    def fsync(self, fd: int) -> None:
        self._ask("fsync")
        super().fsync(fd)

    def ftruncate(self, fd: int, length: int) -> None:
        self._ask("ftruncate")
        super().ftruncate(fd, length)

    def sync_folder(self, folder: Path) -> None:
        self._ask("sync_folder")
        super().sync_folder(folder)


def break_disk(ledger: Ledger) -> FaultyFiles:
    """From now on its log writes through the object returned, which fails when told to. Over another log a test ends
    here: that one is as good as its database, which tests/engine breaks."""
    if ledger.shared is not None:
        pytest.skip("about files: the disk of the log is broken")
    files = FaultyFiles()
    log = ledger.log
    assert isinstance(log, Log)
    log._appender._files = files
    return files
