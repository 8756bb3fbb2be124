"""Data folders and what is in them, for tests that copy."""

from __future__ import annotations

from pathlib import Path

from assent_service.store.blanking import Blanker, LogLine
from assent_service.store.blobs import Blobs
from assent_service.store.event import Event
from assent_service.store.heads import HeadStore
from assent_service.store.log import Log
from assent_service.store.segments import LogPlace, stream
from tests.service.store.logbook import Book, submission

SMALL = 2500
"""Bytes of a segment, so that there are several."""


def fill(home: Path, writes: int = 12) -> None:
    """A log of writes with one to three events of three organizations, two of them erased, and all that lies beside."""
    home.mkdir(exist_ok=True)
    with Book(home, segment_bytes=SMALL) as book:
        for number in range(writes):
            several = [submission(f"g{number}", org=f"org_{'abc'[number % 3]}") for _ in range(1 + number % 3)]
            assert book.write(*several).error is None
    for seq in (2, 7):
        erase(home, seq)
    heads = HeadStore(home)
    for size, note in ((1, "first"), (2, "second"), (2, "second again"), (4, "fourth")):
        heads.append("org_a", size, note)
    heads.append("org_b", 3, "other")
    Blobs(home / "blobs").put("org_a", b"\0\xff a file")
    for name, content in {
        "wallet/org_a/kid-1_x.key": b"sealed\n",
        "bundles/org_a/ab/ab12.act_1.json": b"{}",
        "admin.key": b"secret",
        "wallet.key": b"secret",
        "drift.checkpoint": b"a fold",
    }.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)


def erase(home: Path, seq: int) -> None:
    event = next(each for each in events(home) if each.seq == seq)
    Blanker(home).blank([LogLine(event.segment, event.offset, event.length, event.leaf_hash.hex())])


def events(home: Path) -> list[Event]:
    log = Log.open(home, deliver=lambda _: None)
    try:
        return list(stream(home / "log", LogPlace(1, 0), log.end))
    finally:
        log.close()


def lines(home: Path) -> bytes:
    """The bytes of all segments, one after the other."""
    return b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log")))


def beside(home: Path) -> dict[str, bytes]:
    """The files beside the log that are copied."""
    folders = ("heads", "wallet", "blobs", "bundles")
    found = [path for folder in folders for path in (home / folder).rglob("*") if path.is_file()]
    return {str(path.relative_to(home)): path.read_bytes() for path in found}
