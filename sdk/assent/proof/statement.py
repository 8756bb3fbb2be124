"""What is signed: an in-toto statement (v1) whose predicate is the certificate. Pure.

1. Its first subject is the action or the organization, by its id, under the canonical digest of the certificate.
2. Each further subject is a step of consistency: the tree head that the log is proven to be one with, under the SHA-256
   of its note. So a step can neither be left out of a bundle nor added to it.
3. It is signed as its RFC 8785 bytes, and read back only if it is those bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from assent.contract.proofs import ProofKind
from assent.proof.canonical import canonical

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPES = {
    ProofKind.ACTION: "urn:assent:certificate:v1",
    ProofKind.ORGANIZATION: "urn:assent:organization:v1",
}


def statement_of(
    kind: ProofKind, name: str, digest: str, certificate: Mapping[str, Any], heads: Sequence[str] = ()
) -> dict[str, Any]:
    """`name` is the action's or the organization's id, `digest` that of the certificate (`sha256:<hex>`), `heads` the
    notes of the consistency steps in their order."""
    subject = [{"name": name, "digest": {"sha256": digest.removeprefix("sha256:")}}]
    subject += [{"name": "log", "digest": {"sha256": sha256(note.encode()).hexdigest()}} for note in heads]
    return {
        "_type": STATEMENT_TYPE,
        "subject": subject,
        "predicateType": PREDICATE_TYPES[kind],
        "predicate": dict(certificate),
    }


def statement_bytes(
    kind: ProofKind, name: str, digest: str, certificate: Mapping[str, Any], heads: Sequence[str] = ()
) -> bytes:
    """The statement as it is signed. Raises CanonicalError for a certificate that has no canonical form."""
    return canonical(statement_of(kind, name, digest, certificate, heads))
