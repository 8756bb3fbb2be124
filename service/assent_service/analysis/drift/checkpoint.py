"""Where the follower stands, in a file of the data folder: a cache, which may be thrown away at any time.

It holds the streams and the last event that they have in them. It counts only where that very event is in the log
still, and where it was written with the same detectors, weights and probability; otherwise everything is read from the
log again, in the background. It is replaced whole, and a digest in front tells one that was torn.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from assent.contract.prepared import prepared
from assent_service.analysis.drift.facts import GRIDS
from assent_service.analysis.drift.streams import Streams, StreamsSnapshot
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged
from assent_service.store.log import LogWriter

FILE = "drift.checkpoint"
AT_ONCE = 40
"""Streams that are written with one step, in about a millisecond."""
VERSION = 4
"""Changes with whatever changes what events do to the streams."""
_DIGEST = 32
T = TypeVar("T")

log = logging.getLogger("assent.drift")


class Position(msgspec.Struct, frozen=True, array_like=True):
    """The last event that was taken in, and where it lies."""

    seq: int
    segment: int
    offset: int
    length: int
    leaf_hash: bytes

    @property
    def end(self) -> tuple[int, int]:
        """Where the next one begins, or the segment ends."""
        return self.segment, self.offset + self.length


START = Position(0, 1, 0, 0, b"")


class Checkpoint(msgspec.Struct, array_like=True):
    made_by: bytes
    position: Position
    snapshot: StreamsSnapshot


def made_by(streams: Streams) -> bytes:
    """What must be alike for a checkpoint to count."""
    return blake2b(msgspec.json.encode([VERSION, streams.alpha, GRIDS, streams.weights]), digest_size=_DIGEST).digest()


def position_of(event: Event) -> Position:
    return Position(event.seq, event.segment, event.offset, event.length, event.leaf_hash)


def write(home: Path, position: Position, streams: Streams) -> Iterator[None]:
    """Write `streams` as they stand at `position`, some with each step of the iterator, so that no step takes long; it
    counts once the iterator has ended, and nothing may be fed meanwhile. Raises OSError; the one before is still there
    then."""
    draft, digest = home / f"{FILE}.tmp", blake2b(digest_size=_DIGEST)
    # Without a buffer, so that one that is left half way writes nothing later.
    with draft.open("wb", buffering=0) as file:
        file.write(bytes(_DIGEST))
        for piece in _pieces(position, streams):
            digest.update(piece)
            file.write(piece)
            yield
        file.seek(0)
        file.write(digest.digest())
    draft.replace(home / FILE)


def _pieces(position: Position, streams: Streams) -> Iterator[bytes]:
    """A `Checkpoint` in MessagePack, in pieces: its arrays begin with their length."""
    encode = msgspec.msgpack.encode
    yield _array(3) + encode(made_by(streams)) + encode(position) + _array(2) + _array(streams.total)
    for kept in _batched(streams.saved(), AT_ONCE):
        yield b"".join([encode(each) for each in kept])
    yield _array(len(streams.about))
    for about in _batched(((*key, about) for key, about in streams.about.items()), 10 * AT_ONCE):
        yield b"".join([encode(each) for each in about])


def _array(length: int) -> bytes:
    return b"\xdd" + length.to_bytes(4, "big")


def read(home: Path, evidence: LogWriter, streams: Streams) -> Checkpoint | None:
    """The checkpoint, None where there is none that counts for these streams."""
    try:
        stored = (home / FILE).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        log.warning("the checkpoint of the drift detectors cannot be read (%s); they read the log again", error)
        return None
    data = stored[_DIGEST:]
    try:
        if stored[:_DIGEST] != _digest(data):
            raise ValueError("its digest is another")
        found = msgspec.msgpack.decode(data, type=prepared(Checkpoint))
        if found.made_by != made_by(streams):
            raise ValueError("it was made by other detectors or weights")
        _check(found.position, evidence)
    except (ValueError, LogDamaged, msgspec.MsgspecError) as error:
        log.info("the checkpoint of the drift detectors does not count: %s; they read the log again", error)
        return None
    return found


def _check(position: Position, evidence: LogWriter) -> None:
    event = evidence.read(position.segment, position.offset, position.length)
    if (event.seq, event.leaf_hash) != (position.seq, position.leaf_hash):
        raise ValueError(f"event {position.seq} of the log is another one")


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()


def _batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while taken := list(islice(rest, size)):
        yield taken
