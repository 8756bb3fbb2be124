"""Keys in memory: a request's key is looked up by its fingerprint, and a revoked one is gone at once."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.keys import Key
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.core.rows import record, select
from assent_service.keys.tables import KEYS
from assent_service.store.event import Event
from assent_service.store.ledger import Read


class StoredKey(Key, frozen=True, kw_only=True):
    """A key as it is recorded, with what is kept of its secret."""

    fingerprint: str

    def public(self) -> Key:
        return Key(**{name: getattr(self, name) for name in Key.__struct_fields__})


class KeyState:
    """Every key by id, and the principals of those that are valid by fingerprint."""

    types = frozenset({EventName.KEY_CREATED.value, EventName.KEY_REVOKED.value})

    def __init__(self) -> None:
        self.by_id: dict[tuple[str, str], StoredKey] = {}
        self._valid: dict[str, Principal] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(KEYS)} FROM api_keys ORDER BY created_at, key_id", []):
            self._keep(record(KEYS, row, StoredKey))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, StoredKey))

    def principal(self, fingerprint: str) -> Principal | None:
        return self._valid.get(fingerprint)

    def of(self, org_id: str) -> list[StoredKey]:
        return [key for (org, _), key in self.by_id.items() if org == org_id]

    def _keep(self, key: StoredKey) -> None:
        self.by_id[key.org_id, key.key_id] = key
        if key.revoked_at is None:
            self._valid[key.fingerprint] = Principal(key.org_id, key.key_id, key.name, key.role, key.agent_id)
        else:
            self._valid.pop(key.fingerprint, None)
