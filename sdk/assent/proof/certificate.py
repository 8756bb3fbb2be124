"""The certificate: everything that was recorded about one action, in one JSON object. Pure.

1. It is a function of recorded events and of a place in the log, and of nothing else: whoever has the events and the
   signed tree head makes the same certificate, to the last character.
2. A payload is the whole row after its change, so of each subject the newest counts; texts, times and numbers are taken
   as they were recorded. What later versions record and older events lack is null, or an empty list.
3. Members are those of `contract.evidence.certificates.Certificate`. Free content that no check looks at (metadata, the
   guard context, progress) is left out or stands as a digest; the digests of the bodies in the log cover it all.
4. What was recorded before an erasure is erased, whether or not its body is still there: content is null, and
   `erasure` says by whom and when. The list of the events and of their leaves stays.

`action_digest` is the canonical digest of an action: SHA-256 over the RFC 8785 form of its certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.contract.events import EventName
from assent.proof.canonical import digest
from assent.proof.note import LogPosition, position
from assent.proof.organization import OrganizationFacts, certify_organization
from assent.proof.sections import sections
from assent.proof.story import (
    ACTION_EVENTS,
    APPROVAL_EVENTS,
    ASSUMPTION_EVENTS,
    GRANT_EVENTS,
    QUESTION_EVENTS,
    CertificateError,
    Proven,
    Story,
    story_of,
)
from assent.proof.times import moment

__all__ = [
    "CERTIFIED",
    "CertificateError",
    "LogPosition",
    "OrganizationFacts",
    "Proven",
    "action_digest",
    "certify",
    "certify_organization",
]

SCHEMA = "svc.certificate.v1"

CERTIFIED: frozenset[str] = frozenset(
    {
        EventName.GUARD_DECISION_CREATED.value,
        EventName.OUTCOME_CREATED.value,
        EventName.EVIDENCE_ERASED.value,
        *ACTION_EVENTS,
        *APPROVAL_EVENTS,
        *GRANT_EVENTS,
        *ASSUMPTION_EVENTS,
        *QUESTION_EVENTS,
    }
)
"""The types of the events that a certificate is made of."""


def certify(org_id: str, action_id: str, events: Sequence[Proven], log: LogPosition) -> dict[str, Any]:
    """The certificate of an action as plain JSON.

    `events` are all recorded events about it of the types `CERTIFIED`, in the order of the log; guard's decision is
    among them, though it names no action, and so is a standing grant, as it was given and as it was used. Raises
    CertificateError for events that make none: no creation, a body that is gone without an erasure, numbers that do not
    ascend, an event of another action or organization.
    """
    return certificate_of(story_of(org_id, action_id, events, size=log.size), org_id, action_id, log)


def certificate_of(story: Story, org_id: str, action_id: str, log: LogPosition) -> dict[str, Any]:
    """The certificate that an action's story makes. Raises CertificateError for content that cannot be read."""
    now = moment(log.signed_at)
    if now is None:
        raise CertificateError(f"the log's signed_at is {log.signed_at[:80]!r}, expected RFC 3339 with Z")
    return {
        "schema": SCHEMA,
        "org_id": org_id,
        "action_id": action_id,
        **sections(story, now),
        "evidence": [{"n": event.n, "type": event.type, "leaf_hash": event.leaf_hash} for event in story.events],
        "log": position(log),
    }


def action_digest(certificate: Mapping[str, Any]) -> str:
    """The canonical digest of an action: `sha256:` and the 64 lower-case hex digits of SHA-256 over the RFC 8785 bytes
    of its certificate. tests/vectors/test_action_digest.py has vectors.

    The same certificate has the same digest however its JSON is written: 1.0 and 1 are one number, members have no
    order. Raises CanonicalError for a value that JSON cannot carry faithfully.
    """
    return digest(dict(certificate))
