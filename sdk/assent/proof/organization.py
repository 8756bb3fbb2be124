"""The certificate of an organization: what its log holds and which policies and keys are in force. Pure.

The facts are the service's: it counted them, and signs for them. Who reads a bundle offline cannot count them again,
except that the counts must add up to the size of the log and that the policies have their digest; whoever may read the
log can.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import UNSET, Struct

from assent.contract.events import EventName
from assent.contract.evidence.wallet import Jwk
from assent.proof.note import LogPosition, position, written
from assent.proof.story import CertificateError

SCHEMA = "svc.organization.v1"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class OrganizationFacts(Struct, frozen=True, kw_only=True):
    """`events_by_type` counts all events below the size of the log, `erasures` those that tell of one; the times
    (microseconds since 1970) are those of its first and its last event, None for an empty log. `policy_digest` is that
    of the active policies of `policy_version`, None where a rule has no canonical form. `keys` are all signing keys."""

    events_by_type: dict[str, int]
    first_event_at: int | None
    last_event_at: int | None
    erasures: int
    policy_version: int | None
    policy_digest: str | None
    keys: Sequence[Jwk] = ()


def certify_organization(org_id: str, facts: OrganizationFacts, log: LogPosition) -> dict[str, Any]:
    """The certificate as plain JSON. Raises CertificateError when the counts do not add up."""
    check_sums(facts.events_by_type, facts.erasures, log.size)
    return {
        "schema": SCHEMA,
        "org_id": org_id,
        "events_by_type": dict(facts.events_by_type),
        "first_event_at": _text(facts.first_event_at),
        "last_event_at": _text(facts.last_event_at),
        "erasures": facts.erasures,
        "policy": {"version": facts.policy_version, "digest": facts.policy_digest},
        "keys": [_key(jwk) for jwk in sorted(facts.keys, key=lambda jwk: jwk.kid)],
        "log": position(log),
    }


def check_sums(events_by_type: dict[str, int], erasures: int, size: int) -> None:
    """Raises CertificateError."""
    for name, count in events_by_type.items():
        if count < 0:
            raise CertificateError(f"there are {count} events {name[:80]!r}")
    counted = sum(events_by_type.values())
    if counted != size:
        raise CertificateError(f"the events by type are {counted} in all, but the log has {size}")
    erased = events_by_type.get(EventName.EVIDENCE_ERASED.value, 0)
    if erased != erasures:
        raise CertificateError(f"there are {erasures} erasures, but {erased} events that tell of one")


def _text(microseconds: int | None) -> str | None:
    return None if microseconds is None else written(_EPOCH + timedelta(microseconds=microseconds))


def _key(jwk: Jwk) -> dict[str, Any]:
    return {
        "kid": jwk.kid,
        "nbf": None if jwk.nbf is UNSET else jwk.nbf,
        "exp": None if jwk.exp is UNSET else jwk.exp,
        "revoked": jwk.revoked is not UNSET,
    }
