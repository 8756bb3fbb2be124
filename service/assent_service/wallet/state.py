"""Signing keys in memory: a few for each organization, in the order in which they were made."""

from __future__ import annotations

from assent.contract.events import EventName
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.wallet.stored import StoredSigningKey
from assent_service.wallet.tables import SIGNING_KEYS


class WalletState:
    """Every key of every organization. Those of one have rising times of creation (`wallet`)."""

    types = frozenset({EventName.SIGNING_KEY_CREATED.value, EventName.SIGNING_KEY_UPDATED.value})

    def __init__(self) -> None:
        self._keys: dict[str, dict[str, StoredSigningKey]] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(SIGNING_KEYS)} FROM signing_keys ORDER BY created_at, kid", []):
            self._keep(record(SIGNING_KEYS, row, StoredSigningKey))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, StoredSigningKey))

    def of(self, org_id: str) -> list[StoredSigningKey]:
        return list(self._keys.get(org_id, {}).values())

    def get(self, org_id: str, kid: str) -> StoredSigningKey | None:
        return self._keys.get(org_id, {}).get(kid)

    def newest(self, org_id: str) -> StoredSigningKey | None:
        """The only one that can be in use."""
        return next(reversed(self._keys.get(org_id, {}).values()), None)

    def _keep(self, key: StoredSigningKey) -> None:
        self._keys.setdefault(key.org_id, {})[key.kid] = key
