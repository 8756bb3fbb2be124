"""Bundles: a certificate signed, with everything that it takes to check it. Pure and deterministic: Ed25519 signatures
are, so the same events, policies, tree heads and keys give the same file.

A bundle's file is its JSON without white space, members in sorted order. It is canonical (RFC 8785) but for one thing:
numbers that were recorded with a fraction or an exponent keep it, since 1e20 written as a whole number is one that
strict readers refuse. `bundle_id` is the SHA-256 of the canonical form of everything else in the bundle.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.contract.events import EventName
from assent.contract.evidence.proofs import BundleEvent, BundleKey, ConsistencyStep, ProofBundle, ProofKind
from assent.contract.evidence.wallet import Jwk
from assent.proof.canonical import digest
from assent.proof.certificate import action_digest
from assent.proof.dsse import PAYLOAD_TYPE, seal, statement_bytes
from assent.proof.jwk import jwk_of, load_jwk
from assent.proof.note import key_id, read_checkpoint

_ERASED = EventName.EVIDENCE_ERASED.value

_encode = msgspec.json.Encoder(order="sorted").encode


EventTexts = tuple[str, str | None, Sequence[str]]
"""Header, body (None where it was erased) and inclusion (hex) of an event."""


def seal_action(
    *,
    org_id: str,
    action_id: str,
    certificate: dict[str, Any],
    events: Sequence[EventTexts],
    checkpoint: str,
    policies: Sequence[Mapping[str, Any]] | None,
    consistency: Sequence[ConsistencyStep] = (),
    key: Ed25519PrivateKey,
    others: Sequence[Jwk] = (),
) -> ProofBundle:
    """The bundle of an action, signed by `key`, which must be of standing at the time of the checkpoint.

    `certificate` is what `certify` makes of the `events`, which come in the same order. Bodies that an erasure covers
    are left out, and so are `policies` where the decision has no digest of them. `checkpoint` is the signed tree head
    that the certificate is bound to; `consistency` leads to it from other heads, one of each size. `others` are public
    keys that may have signed heads; the bundle takes those that did. Raises NoteError for a head that is none, and
    ValueError for one by an unknown key.
    """
    erased = max((each["n"] for each in certificate["evidence"] if each["type"] == _ERASED), default=-1)
    kept = [
        BundleEvent(
            header=header,
            body=None if known["n"] < erased and known["type"] != _ERASED else body,
            inclusion=list(inclusion),
        )
        for (header, body, inclusion), known in zip(events, certificate["evidence"], strict=True)
    ]
    unsigned = _Unsigned(ProofKind.ACTION, org_id, action_id, certificate, kept, policies)
    return _sealed(unsigned, checkpoint, consistency, key, others)


def seal_organization(
    *,
    org_id: str,
    certificate: dict[str, Any],
    checkpoint: str,
    policies: Sequence[Mapping[str, Any]] | None,
    consistency: Sequence[ConsistencyStep] = (),
    key: Ed25519PrivateKey,
    others: Sequence[Jwk] = (),
) -> ProofBundle:
    """The bundle of an organization, whose `certificate` `certify_organization` made; otherwise as `seal_action`."""
    unsigned = _Unsigned(ProofKind.ORGANIZATION, org_id, None, certificate, [], policies)
    return _sealed(unsigned, checkpoint, consistency, key, others)


def bundle_id_of(bundle: ProofBundle | Mapping[str, Any]) -> str:
    """`sha256:` and hex: the digest of everything in the bundle but its id. Raises CanonicalError."""
    members = msgspec.to_builtins(bundle) if isinstance(bundle, ProofBundle) else bundle
    return digest({name: value for name, value in members.items() if name != "bundle_id"})


def bundle_bytes(bundle: ProofBundle) -> bytes:
    """The content of a bundle's file."""
    return _encode(bundle)


class _Unsigned(NamedTuple):
    kind: ProofKind
    org_id: str
    action_id: str | None
    certificate: dict[str, Any]
    events: list[BundleEvent]
    policies: Sequence[Mapping[str, Any]] | None


def _sealed(
    given: _Unsigned,
    checkpoint: str,
    consistency: Sequence[ConsistencyStep],
    key: Ed25519PrivateKey,
    others: Sequence[Jwk],
) -> ProofBundle:
    signer = jwk_of(key.public_key())
    steps = sorted(consistency, key=lambda step: read_checkpoint(step.checkpoint)[0].size)
    notes = [step.checkpoint for step in steps]
    found = action_digest(given.certificate)
    statement = statement_bytes(given.kind, given.action_id or given.org_id, found, given.certificate, notes)
    vouched = given.certificate["policy"]["digest"] is not None
    bundle = ProofBundle(
        schema="svc.proof.v1",
        bundle_id="",
        kind=given.kind,
        org_id=given.org_id,
        action_id=given.action_id,
        digest=found,
        attestation=seal(statement, PAYLOAD_TYPE, signer.kid, key),
        checkpoint=checkpoint,
        events=given.events,
        policies=[dict(policy) for policy in given.policies] if vouched and given.policies is not None else None,
        consistency=steps,
        keys=_used(signer, [checkpoint, *notes], others),
    )
    return msgspec.structs.replace(bundle, bundle_id=bundle_id_of(bundle))


def _used(signer: Jwk, notes: Iterable[str], given: Sequence[Jwk]) -> list[BundleKey]:
    """The signer, and whose note there is; sorted by kid."""
    candidates = {jwk.kid: jwk for jwk in (signer, *given)}
    used = {signer.kid}
    for note in notes:
        checkpoint, named, _ = read_checkpoint(note)
        found = {kid for kid, jwk in candidates.items() if key_id(checkpoint.origin, load_jwk(jwk)) == named}
        if not found:
            raise ValueError(
                f"the head of {checkpoint.size} events is signed by key {named.hex()}, which is not among the "
                f"{len(candidates)} given"
            )
        used |= found
    return [
        BundleKey(kty=jwk.kty, crv=jwk.crv, x=jwk.x, kid=jwk.kid)
        for kid, jwk in sorted(candidates.items())
        if kid in used
    ]
