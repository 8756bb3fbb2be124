"""Signed tree heads as C2SP checkpoints (tlog-checkpoint, signed-note). Pure.

    <origin>
    <number of leaves>
    <root, base64>
    signed_at <RFC 3339, UTC, microseconds>

    — <origin> <base64 of the key id and the signature>

1. The origin names the log and is the name of its key, too: visible ASCII without `+`, since a key's name has neither.
2. The key id is the first 4 bytes of SHA-256(name || 0x0A || 0x01 || public key); 0x01 says Ed25519.
3. Signed is everything up to the empty line, the newline before it included.
4. The time is ours, an extension line as the specification allows. Others would read a note with further lines or
   signatures; here exactly this form is read, character by character, so that no two notes say the same.
"""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from assent.proof.canonical import MAX_SAFE_INTEGER
from assent.proof.dsse import decode_exact
from assent.proof.times import moment

ED25519 = b"\x01"
KEY_ID, ROOT, SIGNATURE = 4, 32, 64
"""Bytes of each."""
LARGEST = MAX_SAFE_INTEGER
"""Leaves of a log: what any reader of JSON takes for the same number."""

DASH = "\N{EM DASH}"
_NAME = r"[!-*,-~]{1,256}"
_SIZE = r"0|[1-9]\d{0,18}"
_BASE64 = r"[A-Za-z0-9+/]+={0,2}"
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
_TEXT = rf"(?P<origin>{_NAME})\n(?P<size>{_SIZE})\n(?P<root>{_BASE64})\nsigned_at (?P<time>{_TIME})\n"
_FORM = re.compile(rf"(?P<text>{_TEXT})\n{DASH} (?P<name>{_NAME}) (?P<signature>{_BASE64})\n", re.ASCII)


class NoteError(ValueError):
    """A note that is none of ours, or whose signature does not hold; the message says which."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The head of a log: `size` leaves under the 32 bytes of `root`, as it stood at `signed_at` (aware)."""

    origin: str
    size: int
    root: bytes
    signed_at: datetime


def checkpoint_text(checkpoint: Checkpoint) -> str:
    """What is signed; ends in a newline. Raises ValueError for what no checkpoint can hold."""
    if re.fullmatch(_NAME, checkpoint.origin) is None:
        raise ValueError(f"the origin {checkpoint.origin[:300]!r} is not 1 to 256 visible ASCII characters without +")
    if not 0 <= checkpoint.size <= LARGEST:
        raise ValueError(f"a log of {checkpoint.size} leaves; 0 to {LARGEST} can be")
    if len(checkpoint.root) != ROOT:
        raise ValueError(f"a root of {len(checkpoint.root)} bytes; it has {ROOT}")
    if checkpoint.signed_at.tzinfo is None:
        raise ValueError("signed_at has no zone; give it UTC")
    time = checkpoint.signed_at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    root = b64encode(checkpoint.root).decode()
    return f"{checkpoint.origin}\n{checkpoint.size}\n{root}\nsigned_at {time}Z\n"


def key_id(name: str, public: Ed25519PublicKey) -> bytes:
    """The 4 bytes by which a note names its key."""
    return sha256(name.encode() + b"\n" + ED25519 + public.public_bytes_raw()).digest()[:KEY_ID]


def sign_checkpoint(checkpoint: Checkpoint, key: Ed25519PrivateKey) -> str:
    """The note. Raises ValueError like `checkpoint_text`."""
    text = checkpoint_text(checkpoint)
    signed = key_id(checkpoint.origin, key.public_key()) + key.sign(text.encode())
    return f"{text}\n{DASH} {checkpoint.origin} {b64encode(signed).decode()}\n"


def read_checkpoint(note: str) -> tuple[Checkpoint, bytes, bytes]:
    """The checkpoint, the id of the key that signed it, and the signature, which is not verified here. Raises
    NoteError for any other form than ours."""
    checkpoint, _, identity, signature = _read(note)
    return checkpoint, identity, signature


def verify_checkpoint(note: str, public: Ed25519PublicKey) -> Checkpoint:
    """The checkpoint of a note that this key signed. Raises NoteError."""
    checkpoint, text, identity, signature = _read(note)
    expected = key_id(checkpoint.origin, public)
    if identity != expected:
        raise NoteError(f"the note names key {identity.hex()}; the one given is {expected.hex()}")
    try:
        public.verify(signature, text.encode())
    except InvalidSignature:
        raise NoteError("the signature is not that of the key over this checkpoint") from None
    return checkpoint


def _read(note: str) -> tuple[Checkpoint, str, bytes, bytes]:
    form = _FORM.fullmatch(note)
    if form is None:
        raise NoteError("not a checkpoint of the form: origin, size, root, signed_at, empty line, one signature line")
    if form["name"] != form["origin"]:
        raise NoteError(f"signed under the name {form['name']!r}, which is not the origin {form['origin']!r}")
    try:
        signed = decode_exact(form["signature"])
        signed_at = moment(form["time"])
        if signed_at is None:
            raise ValueError(f"signed_at is {form['time']}, which is no time")
        checkpoint = Checkpoint(
            origin=form["origin"],
            size=int(form["size"]),
            root=decode_exact(form["root"]),
            signed_at=signed_at,
        )
        again = checkpoint_text(checkpoint)
    except ValueError as error:
        raise NoteError(f"not a checkpoint: {error}") from None
    if again != form["text"] or len(signed) != KEY_ID + SIGNATURE:
        raise NoteError("not a checkpoint: its root, its time or its signature is written in another way than ours")
    return checkpoint, again, signed[:KEY_ID], signed[KEY_ID:]


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
