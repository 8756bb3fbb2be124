"""What was signed: the checkpoint, the statement in the envelope, and the digest of the certificate."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, cast

from assent.contract.evidence.proofs import CheckName, ProofCheck, ProofKind
from assent.proof.canonical import CanonicalError, canonical
from assent.proof.checks.case import Case, failed, passed, skipped
from assent.proof.dsse import PAYLOAD_TYPE, PREDICATE_TYPES, STATEMENT_TYPE, DsseError, open_envelope, statement_of
from assent.proof.note import NoteError, position, position_in
from assent.proof.reading import MAX_SIGNED
from assent.proof.strict import StrictError, exceeds, read_json

_NO_KEYS = "The bundle's keys cannot be used, so no signature was checked with them."
_SIGNED = "The statement's signature did not hold, so nothing in it was looked at."


def check_signature(case: Case) -> ProofCheck:
    """Opens the envelope: exactly one good signature over a statement that is canonical, of the right kind, about the
    bundle's subject and its consistency steps. Then the case has its certificate."""
    name = CheckName.SIGNATURE
    if case.bundle.keys and not case.keys:
        return skipped(name, _NO_KEYS)
    try:
        payload = open_envelope(case.bundle.attestation, case.keys, payload_type=PAYLOAD_TYPE)
    except DsseError as error:
        return failed(name, str(error))
    if exceeds([payload], MAX_SIGNED):
        return failed(name, f"The statement that was signed holds more than {MAX_SIGNED} values; no more are read.")
    try:
        statement = read_json(payload)
        whole = canonical(statement) == payload
    except (StrictError, CanonicalError) as error:
        return failed(name, f"The statement that was signed is no JSON that everybody reads alike: {error}.")
    if not whole or not isinstance(statement, dict):
        return failed(name, "The statement that was signed is not a JSON object in canonical form (RFC 8785).")
    wrong = _statement(case, cast("dict[str, Any]", statement))
    return wrong or passed(name, "The envelope's one signature holds over a canonical statement about this subject.")


def _statement(case: Case, statement: dict[str, Any]) -> ProofCheck | None:
    name, bundle = CheckName.SIGNATURE, case.bundle
    wanted = PREDICATE_TYPES[bundle.kind]
    if statement.get("_type") != STATEMENT_TYPE:
        return failed(name, "The statement is of another type.", STATEMENT_TYPE, statement.get("_type"))
    if statement.get("predicateType") != wanted:
        return failed(name, "The statement says something of another kind.", wanted, statement.get("predicateType"))
    predicate, digest = statement.get("predicate"), _subject_digest(statement)
    if not isinstance(predicate, dict) or digest is None:
        return failed(name, "The statement has no certificate, or no subject with a SHA-256 digest.")
    heads = [step.checkpoint for step in bundle.consistency]
    rebuilt = statement_of(bundle.kind, bundle.action_id or bundle.org_id, digest, predicate, heads)
    # All texts, so equal in Python is equal in JSON.
    if rebuilt["subject"] != statement["subject"]:
        detail = "The statement is not about this bundle: its subjects are the bundle's and its consistency steps."
        return failed(name, detail, rebuilt["subject"], statement["subject"])
    if rebuilt.keys() != statement.keys():
        return failed(name, "The statement has other members.", sorted(rebuilt), sorted(statement))
    case.certificate, case.canonical = predicate, canonical(predicate)
    case.signed_digest = f"sha256:{digest}"
    return None


def _subject_digest(statement: dict[str, Any]) -> str | None:
    match statement.get("subject"):
        case [{"digest": {"sha256": str(digest)}}, *_]:
            return digest
        case _:
            return None


def check_checkpoint(case: Case) -> ProofCheck:
    """The tree head: signed, of the bundle's organization, and the one that the certificate is bound to."""
    name = CheckName.CHECKPOINT
    if case.bundle.keys and not case.keys:
        return skipped(name, _NO_KEYS)
    try:
        checkpoint = case.open_note(case.bundle.checkpoint)
    except NoteError as error:
        return failed(name, f"The signed tree head does not hold: {error}.")
    owner = checkpoint.origin.rpartition("/")[2]
    if owner != case.bundle.org_id or "/" not in checkpoint.origin:
        return failed(name, "The tree head is of another organization's log.", case.bundle.org_id, checkpoint.origin)
    found = position(position_in(checkpoint))
    if case.certificate is not None and canonical(case.certificate.get("log")) != canonical(found):
        detail = "The certificate is bound to another tree head than the bundle's."
        return failed(name, detail, case.certificate.get("log"), found)
    case.checkpoint = checkpoint
    bound = "" if case.certificate is None else "; the certificate is bound to it"
    return passed(name, f"The tree head of {checkpoint.size} events is signed{bound}.")


def check_digest(case: Case) -> ProofCheck:
    """The digest of the certificate, worked out again."""
    name = CheckName.DIGEST
    if case.certificate is None:
        return skipped(name, _SIGNED)
    found = "sha256:" + sha256(case.canonical).hexdigest()
    for what, expected in (("bundle's digest", case.bundle.digest), ("statement's subject", str(case.signed_digest))):
        if expected != found:
            return failed(name, f"The {what} is not that of the certificate.", expected, found)
    subject = "action" if case.bundle.kind is ProofKind.ACTION else "organization"
    return passed(name, f"The canonical digest of the {subject}'s certificate is {found}.")
