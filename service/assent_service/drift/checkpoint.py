"""Where the follower stands, in a file of the data folder: a cache, which may be thrown away at any time.

It holds the streams and the last event that they have in them. It counts only where that very event is in the log
still, and where it was written with the same detectors, weights and probability; otherwise everything is read from the
log again, in the background. It is replaced whole, and a digest in front tells one that was torn.
"""

from __future__ import annotations

import logging
from hashlib import blake2b
from pathlib import Path

import msgspec

from assent.contract.prepared import prepared
from assent_service.drift.facts import GRIDS
from assent_service.drift.streams import Snapshot, Streams
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged
from assent_service.store.log import Log

FILE = "drift.checkpoint"
VERSION = 2
"""Changes with whatever changes what events do to the streams."""
_DIGEST = 32

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
    snapshot: Snapshot


def made_by(streams: Streams) -> bytes:
    """What must be alike for a checkpoint to count."""
    return blake2b(msgspec.json.encode([VERSION, streams.alpha, GRIDS, streams.weights]), digest_size=_DIGEST).digest()


def position_of(event: Event) -> Position:
    return Position(event.seq, event.segment, event.offset, event.length, event.leaf_hash)


def write(home: Path, checkpoint: Checkpoint) -> None:
    """Raises OSError; the one before is still there then."""
    data = msgspec.msgpack.encode(checkpoint)
    draft = home / f"{FILE}.tmp"
    draft.write_bytes(_digest(data) + data)
    draft.replace(home / FILE)


def read(home: Path, evidence: Log, streams: Streams) -> Checkpoint | None:
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


def _check(position: Position, evidence: Log) -> None:
    event = evidence.read(position.segment, position.offset, position.length)
    if (event.seq, event.leaf_hash) != (position.seq, position.leaf_hash):
        raise ValueError(f"event {position.seq} of the log is another one")


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()
