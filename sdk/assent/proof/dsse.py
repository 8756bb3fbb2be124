"""Envelopes around what is signed (DSSE 1.0.2), with Ed25519. Pure.

1. Signed are the type and the payload together, each with its length in front (PAE), so that neither can be taken for
   the other or for a message of another protocol.
2. One signature, by one key. DSSE knows envelopes with several; which of them must hold is a policy, and a reader who
   is content with any would be content with a stranger's.
3. The payload is handed out only after its signature was found good: nothing is parsed that nobody signed.
4. base64 is taken in the one spelling that encoding gives (RFC 4648, section 4, with padding): the same bytes have
   others, and an envelope that was altered must not verify.

What is signed is an in-toto statement (v1) whose predicate is the certificate:

1. Its first subject is the action or the organization, by its id, under the canonical digest of the certificate.
2. Each further subject is a step of consistency: the tree head that the log is proven to be one with, under the SHA-256
   of its note. So a step can neither be left out of a bundle nor added to it.
3. It is signed as its RFC 8785 bytes, and read back only if it is those bytes.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from assent.contract.evidence.proofs import Envelope, EnvelopeSignature, ProofKind
from assent.proof.canonical import canonical

PAYLOAD_TYPE = "application/vnd.in-toto+json"


class DsseError(ValueError):
    """An envelope that does not hold; the message is a sentence that says why."""


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding: the bytes that are signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def seal(payload: bytes, payload_type: str, kid: str, key: Ed25519PrivateKey) -> Envelope:
    """`kid` names the key to whoever verifies; it is not signed."""
    signature = key.sign(pae(payload_type, payload))
    return Envelope(
        payload=b64encode(payload).decode(),
        payloadType=payload_type,
        signatures=[EnvelopeSignature(keyid=kid, sig=b64encode(signature).decode())],
    )


def open_envelope(
    envelope: Envelope, keys: Mapping[str, Ed25519PublicKey], *, payload_type: str = PAYLOAD_TYPE
) -> bytes:
    """The payload, once its signature was found good. `keys` are those that are trusted, by kid; whether theirs
    counts at the time is for `assent.proof.jwk.standing`. Raises DsseError."""
    if envelope.payloadType != payload_type:
        raise DsseError(f"The payload is of type {_quoted(envelope.payloadType)}; {payload_type!r} is expected.")
    if len(envelope.signatures) != 1:
        raise DsseError(f"The envelope has {len(envelope.signatures)} signatures; it must have exactly one.")
    (said,) = envelope.signatures
    key = keys.get(said.keyid)
    if key is None:
        raise DsseError(f"The envelope is signed by key {_quoted(said.keyid)}, which is none of the {len(keys)} given.")
    payload = _decoded(envelope.payload, "payload")
    signature = _decoded(said.sig, "signature")
    try:
        key.verify(signature, pae(envelope.payloadType, payload))
    except InvalidSignature:
        raise DsseError(f"The signature is not that of key {_quoted(said.keyid)} over this payload.") from None
    return payload


def decode_exact(text: str) -> bytes:
    """base64 with padding. Raises ValueError unless encoding the bytes again gives the same text."""
    try:
        data = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if b64encode(data).decode() != text:
        raise ValueError("not base64 in the one spelling that encoding gives")
    return data


def _decoded(text: str, what: str) -> bytes:
    try:
        return decode_exact(text)
    except ValueError as error:
        raise DsseError(f"The {what} is {error}.") from None


def _quoted(value: str) -> str:
    return repr(value if len(value) <= 64 else value[:64] + "...")


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
