"""What happens to the log when it is opened.

0. Bodies that were being blanked when the process ended are blanked now (`blanking`), before anything is verified.
1. The chain. Segments must start with event 1 and follow one another without a gap; every one but the last is
   sealed, and its size is the seal's. That reads no more than the seals. One without a seal (the process
   ended before sealing it) is verified in full and sealed now. The last one must not be sealed: a seal is
   only written when the next segment exists.
2. The last segment is verified in full. A power loss can only have torn the last write, in any of its lines,
   since every earlier one was durable before the next began. Each line says where its write begins and how many
   lines it has, so a write that is not right is known as a whole, wherever the file ends:
   - when it is the last, it is cut off, all of it;
   - when a later write can be made out behind it, it was durable: that is damage, the start stops and nothing is
     changed. `tear` says how that is told; whatever more than one fault leaves open is damage as well.
3. A last write that is wholly good stays, acknowledged or not, and is made durable before anybody can read
   it.
4. The tables must not be ahead. That is decided before anything is cut, so that a log which lost acknowledged
   events to something worse than a power loss is kept as it was found.

So any single byte that is changed in an earlier write stops the start, and any in the last write cuts it. What the
bytes cannot tell is damage to a write behind which nothing is left to be seen: because whole writes, or whole segments
that were not sealed yet, are gone from the end; because the next write arrived as something else than zeros or the
beginnings of lines; or because it did arrive so, but the newline before it was what was damaged, or no line is left to
say how many its own write had. Then the damaged write passes for the last, and is cut. When the tables have applied
it, rule 4 still stops the start.
"""

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from assent_service.store.blanking import mend
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged, ProjectionAhead, ProjectionMismatch
from assent_service.store.files import FILES, Files
from assent_service.store.segments import (
    LogListing,
    LogPlace,
    count,
    list_folder,
    missing,
    read_seal,
    scan,
    segment_path,
    stream,
    verify,
    write_seal,
)
from assent_service.store.tear import last_write


class Applied(Struct, frozen=True):
    """How far the tables are: the last event they hold, where the next one starts, and each organization's
    next `n`."""

    seq: int
    segment: int
    offset: int
    counts: dict[str, int]


class Recovered(Struct, frozen=True):
    """The torn write that was cut off: its first seq, where it began, how many bytes it was, and what was
    wrong with it."""

    first_seq: int
    segment: int
    offset: int
    bytes: int
    reason: str


class RecoveredLog(NamedTuple):
    """The log as it is after recovery: last event, its end, what was cut, and names that are not the
    log's."""

    head: int
    end: LogPlace
    recovered: Recovered | None
    foreign: list[str]


def recover(folder: Path, applied: int, files: Files = FILES) -> RecoveredLog:
    """Make the log in `folder` fit to be appended to. `applied` is the last event that the tables hold, 0 for
    none.

    Raises LogDamaged or ProjectionAhead, and then has changed nothing but added missing seals and finished erasures.
    """
    mend(folder.parent, files)
    listing = list_folder(folder)
    check_chain(folder, listing, files)
    last = listing.segments[-1]
    head, end, recovered = examine(folder, last)
    if applied > head:
        raise ProjectionAhead(applied, head, folder)
    fd = files.open_append(segment_path(folder, last), create=False)
    try:
        if recovered is not None:
            files.ftruncate(fd, end)
        files.fsync(fd)
    finally:
        files.close(fd)
    files.sync_folder(folder)
    return RecoveredLog(head, LogPlace(last, end), recovered, listing.foreign)


def check_chain(folder: Path, listing: LogListing, files: Files = FILES) -> None:
    """Rule 1. Raises LogDamaged naming the file that is missing or not as long as it was."""
    if listing.segments[:1] != [1]:
        raise missing(folder, 1, next(iter(listing.segments), None))
    check_seals(folder, listing)
    for segment, following in pairwise(listing.segments):
        seal = read_seal(folder, segment)
        if seal is None:
            seal = verify(folder, segment).seal
            write_seal(folder, seal, files)
        path = segment_path(folder, segment)
        size = path.stat().st_size
        if size != seal.bytes:
            raise LogDamaged(path, 0, 0, f"{seal.bytes} bytes, as sealed", f"{size} bytes")
        if seal.last_seq + 1 != following:
            raise missing(folder, seal.last_seq + 1, following)


def check_seals(folder: Path, listing: LogListing) -> None:
    """That each seal has its segment, and the one after it. Raises LogDamaged."""
    for segment in listing.seals:
        if segment not in listing.segments:
            raise LogDamaged(segment_path(folder, segment), 0, 0, "the segment of a seal that is there", "no such file")
    if (seal := read_seal(folder, listing.segments[-1])) is not None:
        raise missing(folder, seal.last_seq + 1, None)


def examine(folder: Path, segment: int) -> tuple[int, int, Recovered | None]:
    """Rule 2 for the last segment: the last event to keep, the byte to keep up to, and what is to be cut.

    Raises LogDamaged; nothing is changed.
    """
    first, start = segment, 0  # of the write that is due, or being read
    before: Event | None = None  # the last line of the write before it
    try:
        for event in scan(folder, segment):
            if event.seq == event.batch + event.batch_size - 1:
                first, start, before = event.seq + 1, event.offset + event.length, event
    except LogDamaged as bad:
        with segment_path(folder, segment).open("rb") as file:
            file.seek(start)
            rest = file.read()
        torn = last_write(rest, first, before is not None and before.batch_size == 1)
        if torn is None:
            raise
        size = len(rest)
        if before is not None and torn == before.seq:
            start, size = before.offset, before.length + size
        return torn - 1, start, Recovered(torn, segment, start, size, f"{bad.expected}, found {bad.found}")
    return first - 1, start, None


def count_tail(folder: Path, applied: Applied | None, found: RecoveredLog) -> dict[str, int]:
    """Each organization's next `n` at the head: the tables' counts plus the tail of the log after them.

    Raises ProjectionMismatch when the event after `applied` does not start where it should.
    """
    if applied is None:
        applied = Applied(0, 1, 0, {})
    counts = dict(applied.counts)
    due = applied.seq + 1
    _check_place(folder, applied, found)
    for event in stream(folder, LogPlace(applied.segment, applied.offset), found.end):
        if event.seq != due:
            raise ProjectionMismatch(applied.seq, applied.segment, applied.offset, f"event {event.seq} starts there")
        count(folder, counts, event)
        due += 1
    if due != found.head + 1:
        raise ProjectionMismatch(
            applied.seq, applied.segment, applied.offset, f"the log ends there, not at event {found.head}"
        )
    return counts


def _check_place(folder: Path, applied: Applied, found: RecoveredLog) -> None:
    """That `applied` names a byte of the log with a line's end before it."""
    path = segment_path(folder, applied.segment)
    known = path.is_file() and applied.segment <= found.end.segment
    size = found.end.offset if applied.segment == found.end.segment else path.stat().st_size if known else 0
    if not known or not 0 <= applied.offset <= size:
        what = f"that segment has {size} bytes" if known else "there is no such segment"
        raise ProjectionMismatch(applied.seq, applied.segment, applied.offset, what)
    with path.open("rb") as file:
        file.seek(max(applied.offset - 1, 0))
        if applied.offset and file.read(1) != b"\n":
            raise ProjectionMismatch(applied.seq, applied.segment, applied.offset, "a line is going on there")
