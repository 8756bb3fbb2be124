"""What a pairing becomes. Pure.

1. It waits from its creation until `expires_at`; at that very moment it is expired, recorded or not.
2. An admin approves one that waits. One that was approved is decided; one whose time has passed is gone.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from assent.contract.identities import Algorithm
from assent.contract.pairings import Pairing, PairingState, PairingStatus
from assent.contract.problems import Code
from assent_service.core.clock import microseconds, moment
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse


class StoredPairing(msgspec.Struct, frozen=True, kw_only=True):
    """A pairing as it is recorded."""

    org_id: str
    pairing_id: str
    agent_id: str
    agent_name: str | None
    algorithm: Algorithm
    public_key: str
    fingerprint: str
    status: PairingState
    expires_at: datetime
    created_by: str
    approved_by: str | None
    approved_at: datetime | None
    created_at: datetime
    updated_at: datetime

    def members(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__struct_fields__}

    def public(self) -> Pairing:
        return Pairing(id=self.pairing_id, **self.members())  # type: ignore[arg-type]  # the same members, by name

    def shown_to_anybody(self) -> PairingStatus:
        public = self.public()
        return PairingStatus(**{name: getattr(public, name) for name in PairingStatus.__struct_fields__})


def at(pairing: StoredPairing, now: int) -> StoredPairing:
    """The pairing as it truly stands at `now`."""
    if pairing.status is not PairingState.PENDING or now < microseconds(pairing.expires_at):
        return pairing
    return msgspec.structs.replace(pairing, status=PairingState.EXPIRED, updated_at=pairing.expires_at)


def approved(pairing: StoredPairing, principal: Principal, now: int) -> StoredPairing:
    """Raises `pairing_decided` and `pairing_expired`."""
    match at(pairing, now).status:
        case PairingState.APPROVED:
            raise refuse(
                Code.PAIRING_DECIDED,
                f"Pairing {pairing.pairing_id} was approved already by {pairing.approved_by}; "
                f"{pairing.agent_id} signs with its key.",
            )
        case PairingState.EXPIRED:
            raise refuse(
                Code.PAIRING_EXPIRED,
                f"Pairing {pairing.pairing_id} expired at {pairing.expires_at.isoformat()}; "
                f"have {pairing.agent_id} create a new one.",
            )
        case PairingState.PENDING:
            changes = {"approved_by": principal.name, "approved_at": moment(now), "updated_at": moment(now)}
            return msgspec.structs.replace(pairing, status=PairingState.APPROVED, **changes)
