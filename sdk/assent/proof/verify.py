"""Verifying a bundle offline: what it says was recorded, was signed, and is in the log. Pure; there is no clock in it.

    from assent.proof.verify import verify

    found = verify(Path("bundle.json").read_bytes(), keys=jwks)
    found.ok, found.signer, found.checks

Every check is made that can be made, so that one answer tells all that is wrong; a check whose ground did not hold
says `not_checked`. `ok` means that none failed. Whatever is handed in, an answer comes back: a bundle is somebody
else's text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assent.contract.evidence.proofs import (
    CheckName,
    CheckStatus,
    ProofBundle,
    ProofCheck,
    ProofKind,
    ProofVerification,
    Signer,
)
from assent.contract.evidence.wallet import Jwks
from assent.proof.bundle import bundle_id_of
from assent.proof.checks.attestation import check_checkpoint, check_digest, check_signature
from assent.proof.checks.case import Case, abbreviated, failed, passed
from assent.proof.checks.consistency import check_consistency
from assent.proof.checks.events import check_certificate, check_inclusion, check_organization
from assent.proof.checks.keys import check_keys
from assent.proof.checks.meaning import check_coverage, check_receipt, check_replay
from assent.proof.reading import ReadingError, read_bundle

_Made = tuple[CheckName, Callable[[Case], ProofCheck]]


def verify(
    bundle: bytes | str | Mapping[str, Any] | ProofBundle, *, keys: Jwks | None = None, since: str | None = None
) -> ProofVerification:
    """Check a bundle: the bytes or the text of its file, or its JSON value.

    `keys` is a key set from a source that the reader trusts; without one the answer's `signer` is unknown, and `ok`
    says that nothing was altered since somebody signed it. `since` is a tree head (a checkpoint's text) that the reader
    kept: the bundle must then prove that its log grew out of that one. Never raises.
    """
    try:
        read = read_bundle(bundle)
    except ReadingError as error:
        wrong = failed(CheckName.SCHEMA, f"It cannot be read as a bundle: {error}.", error.expected, error.found)
        return _unread(wrong, error.value)
    case = Case(bundle=read.bundle, value=read.value, trusted=keys, since=since)
    done = {CheckName.SCHEMA: passed(CheckName.SCHEMA, "It is a bundle of schema svc.proof.v1 and nothing else.")}
    for name, check in _order(read.bundle.kind):
        done[name] = _guarded(name, check, case)
    checks = [done[name] for name in CheckName if name in done]
    return ProofVerification(
        ok=not any(check.status is CheckStatus.FAIL for check in checks),
        schema=read.bundle.schema,
        kind=read.bundle.kind,
        org_id=read.bundle.org_id,
        action_id=read.bundle.action_id,
        bundle_id=read.bundle.bundle_id,
        digest=read.bundle.digest,
        signer=Signer.TRUSTED if case.signer_trusted else Signer.UNKNOWN,
        checks=checks,
        certificate=case.certificate,
    )


def _order(kind: ProofKind) -> tuple[_Made, ...]:
    """In the order in which one check stands on another; the answer has them in the order of their names."""
    common: tuple[_Made, ...] = (
        (CheckName.BUNDLE_ID, _check_bundle_id),
        (CheckName.KEY, check_keys),
        (CheckName.SIGNATURE, check_signature),
        (CheckName.CHECKPOINT, check_checkpoint),
        (CheckName.DIGEST, check_digest),
    )
    if kind is ProofKind.ORGANIZATION:
        return (*common, (CheckName.CERTIFICATE, check_organization), (CheckName.CONSISTENCY, check_consistency))
    return (
        *common,
        (CheckName.INCLUSION, check_inclusion),
        (CheckName.CERTIFICATE, check_certificate),
        (CheckName.CHECKPOINT_COVERAGE, check_coverage),
        (CheckName.POLICY_REPLAY, check_replay),
        (CheckName.APPROVAL_RECEIPT, check_receipt),
        (CheckName.CONSISTENCY, check_consistency),
    )


def _check_bundle_id(case: Case) -> ProofCheck:
    name, found = CheckName.BUNDLE_ID, bundle_id_of(case.value)
    if found != case.bundle.bundle_id:
        return failed(name, "The id is not that of the content.", case.bundle.bundle_id, found)
    return passed(name, "The id is the digest of everything else in the bundle.")


def _guarded(name: CheckName, check: Callable[[Case], ProofCheck], case: Case) -> ProofCheck:
    """A check that cannot be made has failed: anybody may have signed anything."""
    try:
        return check(case)
    except Exception as error:  # noqa: BLE001 - whatever a stranger's payload makes of the code, it is no proof
        return failed(name, f"What is there cannot be checked: {type(error).__name__}: {abbreviated(str(error))}")


def _unread(check: ProofCheck, value: Mapping[str, Any]) -> ProofVerification:
    def text(name: str) -> str | None:
        found = value.get(name)
        return abbreviated(found) if isinstance(found, str) else None

    kind = value.get("kind")
    return ProofVerification(
        ok=False,
        schema=text("schema"),
        kind=ProofKind(kind) if kind in ("action", "organization") else None,
        org_id=text("org_id"),
        action_id=text("action_id"),
        bundle_id=text("bundle_id"),
        digest=text("digest"),
        signer=Signer.UNKNOWN,
        checks=[check],
        certificate=None,
    )
