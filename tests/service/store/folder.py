"""A data folder with a log of two organizations, their trees and signed heads, and how it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.proof.jwk import jwk_of
from assent.proof.note import Checkpoint, sign_checkpoint
from assent_service.store.audit import Audit, NamedHead, audit
from assent_service.store.event import Draft, Event
from assent_service.store.heads import HeadStore
from assent_service.store.log import Submission
from assent_service.store.tree import FOLDER
from assent_service.store.tree_file import make
from tests.service.store.logbook import Book, draft, submission
from tests.vectors.test_merkle import mth

KEYS = {f"org_{letter}": Ed25519PrivateKey.from_private_bytes(letter.encode() * 32) for letter in "ab"}
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
NAMES = ["log", "last_write", "trees", "heads"]


def key_event(org: str, key: Ed25519PrivateKey, kind: str = "created", **members: str) -> Draft:
    jwk = jwk_of(key.public_key())
    payload = {"org_id": org, "kid": jwk.kid, "x": jwk.x, "status": "active", **members}
    return Draft(org, f"signing_key.{kind}", 1_700_000_000_000_000, jwk.kid, "system", msgspec.json.encode(payload))


def note(org: str, size: int, root: bytes, key: Ed25519PrivateKey | None = None, origin: str | None = None) -> str:
    checkpoint = Checkpoint(origin=origin or f"assent.local/{org}", size=size, root=root, signed_at=AT)
    return sign_checkpoint(checkpoint, key or KEYS[org])


def leaves(events: list[Event], org: str) -> tuple[bytes, ...]:
    return tuple(event.leaf_hash for event in events if event.org == org)


def plant(home: Path, events: list[Event]) -> None:
    """The trees of these events, as a service leaves them."""
    (home / FOLDER).mkdir(exist_ok=True)
    make(home / FOLDER, events, {org: len(leaves(events, org)) for org in KEYS})


def sign(home: Path, events: list[Event], *sizes: int, org: str = "org_a") -> list[str]:
    heads, notes = HeadStore(home), list[str]()
    for size in sizes:
        notes.append(note(org, size, mth(leaves(events, org)[:size])))
        heads.append(org, size, notes[-1])
    return notes


def fill(home: Path, words: str = "abcdefgh") -> list[Event]:
    """A log of two organizations in several files: their keys, then writes of one to three events."""
    with Book(home, segment_bytes=2500) as book:
        book.write(Submission(tuple(key_event(org, key) for org, key in KEYS.items())))
        for i, word in enumerate(words):
            names = [f"{word}{k}" for k in range(1 + i % 3)]
            book.write(submission(*names), Submission((draft(word, "org_b"),)))
        return book.all()


def sound_home(home: Path) -> Path:
    events = fill(home)
    plant(home, events)
    sign(home, events, 1, 4, 9)
    sign(home, events, 3, org="org_b")
    return home


def statuses(found: Audit) -> dict[str, str]:
    return {check.name: check.status.value for check in found.checks}


def detail(found: Audit, name: str) -> str:
    return next(check.detail for check in found.checks if check.name == name)


def quick(home: Path, *kept: NamedHead) -> Audit:
    return audit(home, kept=kept, pause=lambda _: None)


def files(home: Path, pattern: str = "*.log") -> list[Path]:
    return sorted((home / "log").glob(pattern))


def read(home: Path) -> list[Event]:
    with Book(home) as book:
        return book.all()


def whole_writes(content: bytes) -> Iterator[bytes]:
    """What is left of a file from whose end whole writes are gone: a shorter log, which only a head can tell."""
    lines = content.splitlines(keepends=True)
    for i in range(len(lines)):
        if i == 0 or lines[i].split(b" ")[1] != lines[i - 1].split(b" ")[1]:
            yield b"".join(lines[:i])
