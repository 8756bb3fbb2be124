"""Where a certificate lies: the signed tree head that it is bound to, as members of it. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from assent.proof.note import Checkpoint, read_checkpoint


class LogPosition(Struct, frozen=True, kw_only=True):
    """The signed tree head that a certificate is bound to. `root` is hex; `signed_at` is RFC 3339 with microseconds
    and Z, as in the checkpoint."""

    origin: str
    size: int
    root: str
    signed_at: str


def position_of(note: str) -> LogPosition:
    """A signed tree head as a certificate names it. Raises NoteError."""
    return position_in(read_checkpoint(note)[0])


def position_in(checkpoint: Checkpoint) -> LogPosition:
    """A tree head as a certificate names it."""
    return LogPosition(
        origin=checkpoint.origin,
        size=checkpoint.size,
        root=checkpoint.root.hex(),
        signed_at=written(checkpoint.signed_at),
    )


def position(log: LogPosition) -> dict[str, Any]:
    """The member `log` of a certificate."""
    return {"origin": log.origin, "size": log.size, "root": log.root, "signed_at": log.signed_at}


def written(moment: datetime) -> str:
    """A moment (aware) as proofs write it: RFC 3339, microseconds, Z."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
