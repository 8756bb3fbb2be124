"""Whose signatures: the bundle's keys, and whether the reader has a reason to trust them.

1. Every key of the bundle is a well-formed Ed25519 key under its own thumbprint; exactly those are there that signed
   something in it, sorted by kid.
2. A key set that the reader has from elsewhere must hold every one of them, and the keys of the attestation and of the
   checkpoint must be of standing at the time of the checkpoint. A set with a key of another kind, or with two keys of
   one name, is refused as a whole: whoever mixes algorithms must not decide which is used.
3. Without a key set nothing is known about whose keys these are, which is a warning.
"""

from __future__ import annotations

from assent.contract.evidence.proofs import BundleKey, CheckName, ProofCheck
from assent.contract.evidence.wallet import Jwk, Jwks
from assent.proof.checks.case import Case, failed, passed, skipped, warned
from assent.proof.jwk import JwkError, load_jwk, standing
from assent.proof.note import NoteError, read_checkpoint

_KEY = CheckName.KEY


def check_keys(case: Case) -> ProofCheck:
    """Loads the keys of the case, and says whether the signer is trusted."""
    bundle = case.bundle
    for given in bundle.keys:
        try:
            case.keys[given.kid] = load_jwk(_jwk(given))
        except JwkError as error:
            case.keys.clear()
            return failed(_KEY, f"A key of the bundle cannot be used: {error}.")
    kids = [given.kid for given in bundle.keys]
    used = _used(case)
    if used is not None and kids != used:
        return failed(_KEY, "The keys are not exactly those that signed something, sorted by kid.", used, kids)
    if case.trusted is None:
        return warned(
            _KEY,
            "The keys are well formed. Whose they are is not known: compare with a key set that you have from the "
            "organization itself.",
        )
    return _trusted(case, case.trusted)


def _used(case: Case) -> list[str] | None:
    """The kids that signed something, None where that cannot be told: other checks then say what is wrong."""
    bundle = case.bundle
    signers = {signature.keyid for signature in bundle.attestation.signatures}
    if len(signers) != 1 or not signers <= case.keys.keys():
        return None
    for note in (bundle.checkpoint, *(step.checkpoint for step in bundle.consistency)):
        found = case.who_signed(note)
        if not found:
            return None
        signers.update(found)
    return sorted(signers)


def _trusted(case: Case, jwks: Jwks) -> ProofCheck:
    by_kid: dict[str, Jwk] = {}
    for jwk in jwks.keys:
        try:
            load_jwk(jwk)
        except JwkError as error:
            return failed(_KEY, f"The key set is refused, as it holds {error}.")
        if jwk.kid in by_kid:
            return failed(_KEY, f"The key set is refused, as it holds key {jwk.kid} twice.")
        by_kid[jwk.kid] = jwk
    strange = [kid for kid in case.keys if kid not in by_kid]
    if strange:
        return failed(
            _KEY,
            "A key that signed is not in the key set. Either somebody else signed, or the set is older than the key.",
            ", ".join(by_kid) or "no key",
            strange[0],
        )
    try:
        at = read_checkpoint(case.bundle.checkpoint)[0].signed_at
    except NoteError:
        return skipped(_KEY, "The checkpoint cannot be read, so nothing says when the keys had to be valid.")
    signers = {signature.keyid for signature in case.bundle.attestation.signatures}
    for kid in sorted(signers.union(case.who_signed(case.bundle.checkpoint)) & by_kid.keys()):
        why = standing(by_kid[kid], at)
        if why is not None:
            return failed(_KEY, f"Key {kid}: {why}")
    case.signer_trusted = True
    return passed(_KEY, "Every key that signed is in the key set, and was valid when the checkpoint was signed.")


def _jwk(key: BundleKey) -> Jwk:
    return Jwk(kty=key.kty, crv=key.crv, x=key.x, kid=key.kid)
