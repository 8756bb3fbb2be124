"""What the checks of one bundle share: the bundle, and what those before found out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofBundle, ProofCheck
from assent.contract.evidence.wallet import Jwks
from assent.proof.note import Checkpoint, NoteError, key_id, read_checkpoint, verify_checkpoint
from assent.proof.story import Proven, Story

SHOWN = 200
"""Characters of a value that an answer repeats."""


@dataclass
class Case:
    """One bundle under examination. What a check finds out is None until it did: `checkpoint` is the tree head once its
    signature held; `certificate` the signed predicate once the envelope's did, and `canonical` its RFC 8785 form;
    `proven` the events once all of them were found in the tree; `story` once they gave the certificate."""

    bundle: ProofBundle
    value: Mapping[str, Any]
    trusted: Jwks | None
    since: str | None
    keys: dict[str, Ed25519PublicKey] = field(default_factory=dict)
    checkpoint: Checkpoint | None = None
    certificate: dict[str, Any] | None = None
    canonical: bytes = b""
    signed_digest: str | None = None
    proven: list[Proven] | None = None
    story: Story | None = None
    signer_trusted: bool = False

    def who_signed(self, note: str) -> list[str]:
        """The kids of the bundle's keys that a note names; none for what is no note."""
        try:
            checkpoint, named, _ = read_checkpoint(note)
        except NoteError:
            return []
        return [kid for kid, key in self.keys.items() if key_id(checkpoint.origin, key) == named]

    def open_note(self, note: str) -> Checkpoint:
        """The checkpoint of a note that one of the bundle's keys signed. Raises NoteError."""
        _, named, _ = read_checkpoint(note)
        failed = NoteError(f"it is signed by key {named.hex()}, which is none of the bundle's")
        for kid in self.who_signed(note):
            try:
                return verify_checkpoint(note, self.keys[kid])
            except NoteError as error:
                failed = error
        raise failed


def passed(name: CheckName, detail: str) -> ProofCheck:
    return ProofCheck(name=name, status=CheckStatus.PASS, detail=detail)


def warned(name: CheckName, detail: str) -> ProofCheck:
    return ProofCheck(name=name, status=CheckStatus.WARN, detail=detail)


def skipped(name: CheckName, detail: str) -> ProofCheck:
    return ProofCheck(name=name, status=CheckStatus.NOT_CHECKED, detail=detail)


def failed(name: CheckName, detail: str, expected: object = None, found: object = None) -> ProofCheck:
    return ProofCheck(
        name=name,
        status=CheckStatus.FAIL,
        detail=detail,
        expected=None if expected is None else abbreviated(expected),
        found=None if found is None else abbreviated(found),
    )


def abbreviated(value: object) -> str:
    """A value as an answer repeats it, cut where it is long; text with lone surrogates is made harmless."""
    text = value if isinstance(value, str) else repr(value)
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
