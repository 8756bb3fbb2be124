"""Signed heads held against the log: the same tree, at the same size, signed by a key that the log itself names.

1. A head of a data folder (`heads/<organization>.jsonl`) is a line exactly as it is written, its checkpoint is of the
   size beside it, and its origin ends in `/<organization>`.
2. A head that somebody kept elsewhere is a checkpoint note, alone or as the member `checkpoint` of a JSON object. Its
   organization is what follows the last `/` of its origin.
3. The log has that many events of the organization or more, and its root at that size is the head's. If not, events
   were taken away or changed since the head was signed.
4. One of the organization's keys signed it. Which keys there are is said by the events `signing_key.*`, in this log.
   That a key was revoked since takes nothing from what its heads say about the log; it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assent.contract.prepared import prepared
from assent.proof.jwk import decode_url_exact, thumbprint
from assent.proof.note import Checkpoint, NoteError, key_id, read_checkpoint, verify_checkpoint
from assent_service.store.failures import LogDamaged
from assent_service.store.heads import list_heads, read_head


class SignedHead(NamedTuple):
    """A head as it was found, `place` says where; `checkpoint` is not verified yet."""

    place: str
    org_id: str
    note: str
    checkpoint: Checkpoint


class _Key(msgspec.Struct):
    kid: str
    x: str
    revoked_at: str | None = None


class AuditedKeys:
    """The public keys of each organization, as its events say."""

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, _Key]] = {}
        self.wrong: list[str] = []

    def take(self, events: Iterable[tuple[str, bytes]]) -> None:
        """Organization and payload of events about signing keys, in order."""
        for org_id, payload in events:
            try:
                key = msgspec.json.decode(payload, type=prepared(_Key))
                if thumbprint(decode_url_exact(key.x)) != key.kid:
                    raise ValueError(f"the key {key.kid} is not the one that it is named after")
                Ed25519PublicKey.from_public_bytes(decode_url_exact(key.x))
            except (msgspec.MsgspecError, ValueError) as error:
                self.wrong.append(f"a signing key of {org_id}: {error}")
                continue
            self._keys.setdefault(org_id, {})[key.kid] = key

    def signer(self, head: SignedHead) -> _Key | None:
        """The organization's key that the note names; None when it has none such."""
        _, identity, _ = read_checkpoint(head.note)
        for key in self._keys.get(head.org_id, {}).values():
            if key_id(head.checkpoint.origin, public(key)) == identity:
                return key
        return None


def public(key: _Key) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(decode_url_exact(key.x))


def heads_on_disk(home: Path) -> tuple[list[SignedHead], list[str]]:
    """The heads of a data folder, and what is wrong with those that are none."""
    heads, wrong = list[SignedHead](), list[str]()
    for org_id, path in list_heads(home).items():
        content = path.read_bytes()
        at = 0
        for line in content.splitlines(keepends=True):
            try:
                heads.append(_head_on_disk(org_id, path, line, at))
            except LogDamaged as bad:
                wrong.append(f"{bad.file}, line {bad.line}, byte {bad.offset}: expected {bad.expected}; {bad.found}")
            except ValueError as error:
                wrong.append(f"{path}, byte {at}: {error}")
            at += len(line)
    return heads, wrong


def _head_on_disk(org_id: str, path: Path, line: bytes, at: int) -> SignedHead:
    if not line.endswith(b"\n"):
        raise ValueError("the line does not end: it was torn, is being written, or was changed")
    head = read_head(path, line[:-1], at)
    if msgspec.json.encode(head) + b"\n" != line:
        raise ValueError("the line is spelled in another way than it is written")
    checkpoint, _, _ = read_checkpoint(head.checkpoint)
    if checkpoint.size != head.size or not checkpoint.origin.endswith(f"/{org_id}"):
        said = f"{checkpoint.size} leaves of {checkpoint.origin}"
        raise ValueError(f"a head of {head.size} leaves of {org_id} has a checkpoint of {said}")
    return SignedHead(f"{path}, byte {at}", org_id, head.checkpoint, checkpoint)


def head_of_note(place: str, text: str) -> SignedHead:
    """A head that somebody kept. Raises ValueError (NoteError too) when it is none."""
    note = text
    if text.startswith("{"):
        try:
            note = msgspec.json.decode(text, type=prepared(_HeadFile)).checkpoint
        except (msgspec.MsgspecError, ValueError) as error:
            raise ValueError(f"neither a checkpoint nor JSON with one: {error}") from None
    checkpoint, _, _ = read_checkpoint(note)
    _, slash, org_id = checkpoint.origin.rpartition("/")
    if not slash or not org_id:
        raise ValueError(f"its origin {checkpoint.origin} does not end in /<organization>")
    return SignedHead(place, org_id, note, checkpoint)


class _HeadFile(msgspec.Struct):
    checkpoint: str


def judge(
    head: SignedHead, sizes: Mapping[str, int], roots: Mapping[tuple[str, int], bytes], keys: AuditedKeys
) -> tuple[bool, str]:
    """Whether the log holds what the head says, and a sentence. Rules 3 and 4."""
    size, said = head.checkpoint.size, f"{head.checkpoint.size} events of {head.org_id}"
    has = sizes.get(head.org_id, 0)
    if has < size:
        return False, f"the head says {said}, the log has {has}: events were taken away, or it is another log"
    root = roots[head.org_id, size]
    if root != head.checkpoint.root:
        return False, (
            f"the root over the first {said} is {root.hex()} in the log, and {head.checkpoint.root.hex()} in the head: "
            "events were changed since, or it is another log"
        )
    key = keys.signer(head)
    if key is None:
        return False, "its root is the log's, but the log names no key of the organization that signed it"
    try:
        verify_checkpoint(head.note, public(key))
    except NoteError as error:
        return False, f"its root is the log's, but {error}"
    revoked = ", which was revoked since" if key.revoked_at is not None else ""
    return True, f"the log begins with the {said} that it says, of {has}; signed by {key.kid}{revoked}"


def summary(judged: Sequence[tuple[bool, str]], wrong: Sequence[str]) -> str:
    bad = [*wrong, *(said for good, said in judged if not good)]
    if bad:
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        return f"{bad[0]}{more}"
    return f"{len(judged)} signed heads are the log's, each at its size"
