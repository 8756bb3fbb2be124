"""Segments: the files that the log consists of, how they are named, read, verified and sealed.

A segment is `<first seq, 20 digits>.log`. Only the last one is written to. Its lines are a chain: seq counts up
by one; a write begins where the one before it ended; all lines of a write say the same `first+count`, and there
are `count` of them. A write never spans two segments, so a segment begins and ends on a write's border. Only the
last segment may be found otherwise, and `recovery` sees to that.

When the next segment has been made, the finished one is verified in full and sealed: beside it comes `<first seq,
20 digits>.seal`, which says where the segment ends and what its bytes hash to. So a start need not read it again.

Whoever erases a body in a sealed segment changes its bytes and should seal it anew; until then the seal's
digest is not held against a segment that has erased lines. Its numbers still are, and the lines verify alone:
every byte of a segment is held by its own line or by the chain.

Whatever else lies in the folder is left alone.
"""

import logging
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from threading import Event as Flag
from threading import Lock, Thread
from time import sleep
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from assent.contract.prepared import prepared
from assent_service.store.event import Event, LineError, decode
from assent_service.store.failures import LogDamaged, LogError, ReadOnly
from assent_service.store.files import FILES, Files

STRIDE: Final = 64
"""Lines between two calls of a `step`: about 0.2 ms of verifying."""
BLANKING: Final = Lock()
"""Held while a body is overwritten. Nothing else in this process changes bytes that can be read already."""
BLANKING_SECONDS: Final = 0.1
"""In another process it has long been overwritten after that."""
JOURNAL: Final = "erasing"
"""The file beside the log's folder that is there while bodies are overwritten, see `blanking`."""

_named = re.compile(r"([0-9]{20})\.(log|seal|seal\.tmp)").fullmatch


class LogPlace(NamedTuple):
    """A byte of the log: the first seq of a segment, and an offset in its file."""

    segment: int
    offset: int


class Seal(Struct, frozen=True, forbid_unknown_fields=True):
    """What a finished segment holds; `sha256` is of the whole file, in hex."""

    first_seq: int
    last_seq: int
    bytes: int
    sha256: str


class LogListing(NamedTuple):
    """What lies in a log folder, in order; `foreign` are the names that are not the log's."""

    segments: list[int]
    seals: list[int]
    foreign: list[str]


class Verified(NamedTuple):
    """A segment that was read in full and found right, and how many of its lines are erased."""

    seal: Seal
    erased: int


def segment_path(folder: Path, segment: int) -> Path:
    return folder / f"{segment:020d}.log"


def seal_path(folder: Path, segment: int) -> Path:
    return folder / f"{segment:020d}.seal"


def list_folder(folder: Path) -> LogListing:
    listing = LogListing([], [], [])
    for path in sorted(folder.iterdir()):
        match = _named(path.name)
        if match is None or not path.is_file():
            listing.foreign.append(path.name)
        elif match[2] == "log":
            listing.segments.append(int(match[1]))
        elif match[2] == "seal":
            listing.seals.append(int(match[1]))
    return listing


def damaged(path: Path, offset: int, bad: LineError) -> LogDamaged:
    """`bad`, with the place where it was found. Counting the lines before it costs a read; nobody waits for
    that."""
    line = 1
    with path.open("rb") as file:
        left = offset
        while left and (block := file.read(min(left, 1 << 20))):
            line += block.count(b"\n")
            left -= len(block)
    return LogDamaged(path, line, offset, f"{bad.what}: {bad.expected}", bad.found)


def scan(
    folder: Path,
    segment: int,
    offset: int = 0,
    end: int | None = None,
    seen: Callable[[bytes], object] | None = None,
) -> Iterator[Event]:
    """The events of one segment from the line at `offset` up to byte `end`, each verified alone and in the
    chain.

    `end` is a border between writes. `seen` gets every line's bytes. Raises LogDamaged at the first line that is
    not right, or where the lines end inside a write.
    """
    path = segment_path(folder, segment)
    # The write that is being read, and the seq that is due; 0 in the middle of a file whose earlier lines were not
    # read.
    due, first, count = (segment, segment, 0) if offset == 0 else (0, 0, 0)
    at = offset
    with path.open("rb") as file:
        file.seek(offset)
        while end is None or at < end:
            line = file.readline()
            if not line and end is None:
                break
            try:
                event, line = _decoded(path, line, segment, at)
                if event.seq != due or event.batch != first or event.batch_size != count:
                    _check_border(event, due, first, count)
                    first, count = event.batch, event.batch_size
            except LineError as bad:
                raise damaged(path, at, bad) from None
            if seen is not None:
                seen(line)
            yield event
            due, at = event.seq + 1, at + event.length
    if due < first + count:
        raise damaged(path, at, LineError("line", f"event {due} of write {first}+{count}", "the end of the lines"))


def _decoded(path: Path, line: bytes, segment: int, offset: int) -> tuple[Event, bytes]:
    """The event that `line` holds, and the line. One that was read while its body was being blanked is read again.
    Raises LineError."""
    try:
        return decode(line, segment, offset), line
    except LineError:
        if line.endswith(b"\n") and (path.parent.parent / JOURNAL).exists():
            # Perhaps another process is at it, while this one only looks.
            sleep(BLANKING_SECONDS)
        with BLANKING, path.open("rb") as file:
            file.seek(offset)
            again = file.read(len(line))
        if again == line:
            raise
        return decode(again, segment, offset), again


def _check_border(event: Event, due: int, first: int, count: int) -> None:
    """Raise LineError unless `event`, which does not go on with write `first+count`, may come where `due` is: that
    write is complete, and this is the first line of the next."""
    if due == 0:
        if event.batch < event.segment:
            raise LineError("batch", f"one from event {event.segment} on", f"{event.batch}+{event.batch_size}")
        return
    if event.seq != due:
        raise LineError("seq", due, event.seq)
    if due < first + count:
        raise LineError("batch", f"{first}+{count}, as before", f"{event.batch}+{event.batch_size}")
    if event.batch != due:
        raise LineError("batch", f"one from event {due} on", f"{event.batch}+{event.batch_size}")


def stream(folder: Path, start: LogPlace, end: LogPlace) -> Iterator[Event]:
    """The events from `start` up to `end`, through as many segments as lie between; one line is held at a
    time.

    Raises LogDamaged at the first line that is not right, or where a segment is missing.
    """
    segments = list_folder(folder).segments
    if start.segment not in segments:
        raise missing(folder, start.segment, None)
    later = [segment for segment in segments if start.segment < segment <= end.segment]
    seq = 0
    for segment in (start.segment, *later):
        if seq not in (0, segment):
            raise missing(folder, seq, segment)
        offset = start.offset if segment == start.segment else 0
        for event in scan(folder, segment, offset, end.offset if segment == end.segment else None):
            yield event
            seq = event.seq + 1


def missing(folder: Path, segment: int, found: int | None) -> LogDamaged:
    """That the segment which starts with event `segment` is not there, and with which one the next file
    starts."""
    what = "no such file" if found is None else f"no such file, and the next one starts with event {found}"
    return LogDamaged(segment_path(folder, segment), 0, 0, f"the segment from event {segment} on", what)


def read(folder: Path, segment: int, offset: int, length: int) -> Event:
    """The one event at this place, verified. Raises LogDamaged when it is not there or not right."""
    path = segment_path(folder, segment)
    try:
        with path.open("rb") as file:
            file.seek(offset)
            line = file.read(length)
    except FileNotFoundError:
        raise LogDamaged(path, 0, 0, "a segment of the log", "no such file") from None
    try:
        if len(line) != length:
            raise LineError("line", f"{length} bytes", f"{len(line)} before the end of the file")
        return _decoded(path, line, segment, offset)[0]
    except LineError as bad:
        raise damaged(path, offset, bad) from None


def verify(
    folder: Path,
    segment: int,
    *,
    end: int | None = None,
    each: Callable[[Event], object] | None = None,
    step: Callable[[int], object] | None = None,
) -> Verified:
    """Read a segment in full, or up to `end`, and check every line. Raises LogDamaged at the first that is
    not right.

    `each` gets every event, `step` the offset reached, every STRIDE lines.
    """
    digest = sha256()
    seq, at, erased = segment - 1, 0, 0
    for event in scan(folder, segment, 0, end, digest.update):
        seq, at = event.seq, event.offset + event.length
        erased += event.erased
        if each is not None:
            each(event)
        if step is not None and seq % STRIDE == 0:
            step(at)
    return Verified(Seal(segment, seq, at, digest.hexdigest()), erased)


def count(folder: Path, counts: dict[str, int], event: Event) -> None:
    """Advance `counts`, an organization's next `n`, by one event. Raises LogDamaged when its `n` is not the
    next."""
    due = counts.get(event.org, 0)
    if event.n != due:
        raise wrong_index(folder, event.segment, event.offset, event.org, due, event.n)
    counts[event.org] = due + 1


def wrong_index(folder: Path, segment: int, offset: int, org_id: str, due: int, found: int) -> LogDamaged:
    """That the event at this place is not the organization's next."""
    bad = LineError(f"leaf index of organization {org_id}", due, found)
    return damaged(segment_path(folder, segment), offset, bad)


def write_seal(folder: Path, seal: Seal, files: Files = FILES) -> None:
    """Put the seal beside its segment, whole or not at all. Raises OSError, and then the segment is as
    unsealed as before."""
    path = seal_path(folder, seal.first_seq)
    draft = path.with_suffix(".seal.tmp")
    draft.unlink(missing_ok=True)
    fd = files.open_append(draft, create=True)
    try:
        data = memoryview(_spelled(seal))
        while data:
            data = data[files.write(fd, data) :]
        files.fsync(fd)
    finally:
        files.close(fd)
    draft.replace(path)
    files.sync_folder(folder)


def _spelled(seal: Seal) -> bytes:
    return msgspec.json.encode(seal) + b"\n"


def read_seal(folder: Path, segment: int) -> Seal | None:
    """The segment's seal, None when it has none. Raises LogDamaged when it cannot be read as one of this
    segment."""
    path = seal_path(folder, segment)
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        seal = msgspec.json.decode(text, type=prepared(Seal))
    except (msgspec.MsgspecError, ValueError):
        seal = None
    # As it was written and no other way, so that here too every byte counts.
    if seal is None or seal.first_seq != segment or _spelled(seal) != text:
        raise LogDamaged(
            path,
            0,
            0,
            f"the seal of segment {segment}",
            f"{text[:80]!r}",
            "Delete this seal and start again: its segment is then verified in full and sealed anew.",
        )
    return seal


_ASIDE: Final = 0.0005
logger = logging.getLogger(__name__)


class Sealer:
    """Seals what `add` is given, one after the other. `broken` is told, once per segment, when one is not
    right.

    A seal that cannot be written (no space) is left out, with a warning: the next start verifies that segment
    and seals it.
    """

    def __init__(self, folder: Path, files: Files, broken: Callable[[ReadOnly], None]) -> None:
        self._folder, self._files, self._broken = folder, files, broken
        self._queue: SimpleQueue[int | None] = SimpleQueue()
        self._closing = Flag()
        self._thread = Thread(target=self._run, name="assent-log-sealer", daemon=True)
        self._thread.start()

    def add(self, segment: int) -> None:
        self._queue.put(segment)

    def close(self) -> None:
        """Seal what is left, and end."""
        self._closing.set()
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (segment := self._queue.get()) is not None:
            try:
                seal = verify(self._folder, segment, step=lambda _: self._closing.wait(_ASIDE)).seal
            except LogDamaged as bad:
                place = f"{bad.file}, line {bad.line}, byte {bad.offset}"
                reason = f"a finished segment is damaged, expected {bad.expected}, found {bad.found}"
                self._broken(ReadOnly(reason, place))
            except (OSError, LogError) as error:
                path = segment_path(self._folder, segment)
                self._broken(ReadOnly(f"a finished segment cannot be read: {error}", str(path)))
            else:
                self._seal(seal)

    def _seal(self, seal: Seal) -> None:
        try:
            write_seal(self._folder, seal, self._files)
        except OSError as error:
            logger.warning("segment %d stays unsealed until the next start: %s", seal.first_seq, error)
