"""Identities in memory, each with its key ready to verify with; a revoked one is gone at once."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.identities import Identity
from assent.proof.public_key import LoadedKey, load_public_key
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.identities.tables import IDENTITIES
from assent_service.store.event import Event
from assent_service.store.ledger import Read


class IdentityState:
    """One identity for each agent of each organization."""

    types = frozenset({EventName.IDENTITY_CREATED.value, EventName.IDENTITY_UPDATED.value})

    def __init__(self) -> None:
        self._by_agent: dict[tuple[str, str], Identity] = {}
        self._loaded: dict[str, tuple[str, LoadedKey]] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(IDENTITIES)} FROM identities ORDER BY created_at, identity_id", []):
            self._keep(record(IDENTITIES, row, Identity))

    def fold(self, event: Event) -> None:
        if not event.erased:
            self._keep(decode(event, Identity))

    def get(self, org_id: str, agent_id: str) -> Identity | None:
        return self._by_agent.get((org_id, agent_id))

    def of(self, org_id: str) -> list[Identity]:
        """The organization's, by agent."""
        found = [identity for (org, _), identity in self._by_agent.items() if org == org_id]
        return sorted(found, key=lambda identity: identity.agent_id)

    def key(self, identity: Identity) -> LoadedKey:
        """The identity's key, loaded when it is first needed."""
        fingerprint, key = self._loaded.get(identity.identity_id, ("", None))
        if key is None or fingerprint != identity.fingerprint:
            key = load_public_key(identity.public_key, identity.algorithm)
            self._loaded[identity.identity_id] = (identity.fingerprint, key)
        return key

    def _keep(self, identity: Identity) -> None:
        self._by_agent[identity.org_id, identity.agent_id] = identity
