"""What was recorded: each event in the tree, and the certificate made again from all of them."""

from __future__ import annotations

import re
from typing import Any, cast

import msgspec

from assent.contract.events import EventName
from assent.contract.evidence.certificates import OrganizationCertificate
from assent.contract.evidence.proofs import BundleEvent, CheckName, ProofCheck
from assent.contract.prepared import prepared
from assent.proof.canonical import canonical
from assent.proof.certificate import CertificateError, certificate_of
from assent.proof.checks.case import Case, failed, passed, skipped
from assent.proof.event import EventError, read_event
from assent.proof.merkle import verify_inclusion
from assent.proof.note import Checkpoint, position_in
from assent.proof.organization import check_sums
from assent.proof.policies import policy_digest
from assent.proof.story import ACTION_EVENTS, Proven, Story, story_of
from assent.proof.times import moment

_HASH = re.compile(r"[0-9a-f]{64}")


def check_inclusion(case: Case) -> ProofCheck:
    """Each event: canonical header of this organization, body under its digest, path to the root, order of the log."""
    name = CheckName.INCLUSION
    checkpoint = case.checkpoint
    if checkpoint is None:
        return skipped(name, "The tree head did not hold, so there is no root to prove anything against.")
    proven: list[Proven] = []
    for at, event in enumerate(case.bundle.events):
        try:
            read = read_event(event.header, event.body)
        except EventError as error:
            return failed(name, f"Event {at} of the bundle: {error}.", error.expected, error.found)
        wrong = _placed(case, checkpoint, event, read, proven)
        if wrong is not None:
            return wrong
        proven.append(read)
    case.proven = proven
    return passed(name, f"{len(proven)} events are in the tree of {checkpoint.size}, each with its recorded content.")


def _placed(
    case: Case, checkpoint: Checkpoint, event: BundleEvent, read: Proven, before: list[Proven]
) -> ProofCheck | None:
    name, what = CheckName.INCLUSION, f"Event {read.n} ({read.type})"
    if read.org != case.bundle.org_id:
        return failed(name, f"{what} is of another organization.", case.bundle.org_id, read.org)
    if before and read.n <= before[-1].n:
        return failed(name, f"{what} is not in the order of the log.", f"more than {before[-1].n}", read.n)
    if not all(map(_HASH.fullmatch, event.inclusion)):
        return failed(name, f"{what}: a hash of its path is not 64 lower-case hex digits.")
    hashes = [bytes.fromhex(each) for each in event.inclusion]
    if not verify_inclusion(bytes.fromhex(read.leaf_hash), read.n, checkpoint.size, hashes, checkpoint.root):
        detail = f"{what} is not in the tree: its path does not lead to the root."
        return failed(name, detail, checkpoint.root.hex(), read.leaf_hash)
    return None


def check_certificate(case: Case) -> ProofCheck:
    """The certificate of an action, made again from its events: value for value what was signed."""
    name = CheckName.CERTIFICATE
    signed, proven, checkpoint = case.certificate, case.proven, case.checkpoint
    if signed is None or proven is None or checkpoint is None or case.bundle.action_id is None:
        return skipped(name, "What it is made from, or what was signed, did not hold.")
    org_id, action_id, log = case.bundle.org_id, case.bundle.action_id, position_in(checkpoint)
    try:
        story = story_of(org_id, action_id, proven, size=log.size)
        made = certificate_of(story, org_id, action_id, log)
    except CertificateError as error:
        return failed(name, f"The events make no certificate: {error}.")
    if canonical(made) != case.canonical:
        path, expected, found = _difference(signed, made, "$") or ("$", None, None)
        return failed(name, f"What was signed is not what was recorded, at {path}.", expected, found)
    wrong = _revisions(story) or _unerased(proven)
    if wrong is not None:
        return failed(name, wrong)
    case.story = story
    return passed(name, f"The certificate follows from the {len(proven)} events.")


def check_organization(case: Case) -> ProofCheck:
    """The certificate of an organization: its form, its sums, the policies' digest. Its counts are the service's."""
    name, signed, bundle = CheckName.CERTIFICATE, case.certificate, case.bundle
    if signed is None or case.checkpoint is None:
        return skipped(name, "What was signed, or the tree head, did not hold.")
    try:
        read = msgspec.convert(signed, prepared(OrganizationCertificate))
        check_sums(read.events_by_type, read.erasures, read.log.size)
        _check_times(read)
    except (msgspec.ValidationError, CertificateError) as error:
        return failed(name, f"It is no certificate of an organization: {error}.")
    path, expected, found = _difference(signed, cast("dict[str, Any]", msgspec.to_builtins(read)), "$") or ("", "", "")
    if path:
        return failed(name, f"It is no certificate of an organization, at {path}.", found, expected)
    if read.org_id != bundle.org_id:
        return failed(name, "The certificate is of another organization.", bundle.org_id, read.org_id)
    there = None if bundle.policies is None else policy_digest(bundle.policies)
    if there != read.policy.digest:
        return failed(name, "The bundle's policies are not those of the certificate.", read.policy.digest, there)
    return passed(
        name,
        "Its sums add up and the policies have its digest. The counts are the service's own, signed; they can be "
        "checked against the log, not offline.",
    )


def _check_times(read: OrganizationCertificate) -> None:
    """Raises CertificateError."""
    for name, at in (("first_event_at", read.first_event_at), ("last_event_at", read.last_event_at)):
        if at is not None and moment(at) is None:
            raise CertificateError(f"{name} is {at[:80]!r}, no time in the form in which evidence has them")


def _revisions(story: Story) -> str | None:
    """What is wrong with the numbering of an action's changes: its creation is 0, and each change one more."""
    events = [event for event in story.events if event.type in ACTION_EVENTS]
    for at, event in enumerate(events):
        found = None if event.data is None else event.data.get("revision")
        if event.data is not None and (type(found) is not int or found != at):
            return f"Event {event.n} is revision {found!r} of the action, but change {at}: one is missing or too many."
    return None


def _unerased(proven: list[Proven]) -> str | None:
    last = max((event.n for event in proven if event.type == EventName.EVIDENCE_ERASED), default=-1)
    for event in proven:
        if event.n < last and event.type != EventName.EVIDENCE_ERASED and event.data is not None:
            return f"The content of event {event.n} was erased, and the bundle still has it."
    return None


def _difference(left: Any, right: Any, path: str) -> tuple[str, object, object] | None:
    """The first place where two JSON values differ, with what is there in each."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in sorted({*left, *right}):
            if name not in left or name not in right:
                one, other = ("a member" if name in side else "no member" for side in (left, right))
                return f"{path}.{name}", one, other
            found = _difference(left[name], right[name], f"{path}.{name}")
            if found is not None:
                return found
        return None
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for at, (one, other) in enumerate(zip(left, right, strict=True)):
            found = _difference(one, other, f"{path}[{at}]")
            if found is not None:
                return found
        return None
    same = canonical(left) == canonical(right)
    return None if same else (path, "null" if left is None else left, "null" if right is None else right)
