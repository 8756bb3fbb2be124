"""Actions in memory: the newest ones as they are now, and the idempotency keys of the last day."""

from __future__ import annotations

from collections import OrderedDict, deque
from datetime import datetime

import msgspec

from assent.contract.actions import Action
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_service.actions.seen import SeenSignatures
from assent_service.core.clock import DAY, Clock, microseconds, naive
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.store.ledger import Read

NEWEST = 20_000
KEY_LIFE = DAY
KEYS = 200_000
"""How many creations are remembered by their key; beyond them a key answers for less than a day."""

_decode_action = msgspec.json.Decoder(prepared(Action)).decode


class Creation(msgspec.Struct, frozen=True):
    """What a repeated creation is compared with."""

    org_id: str
    action_id: str
    idempotency_key: str | None
    created_at: datetime
    request_digest: str | None = None
    signature_digest: str | None = None


class ActionState:
    """Everything here is a copy of what the tables hold; what is not here is looked up there."""

    types = frozenset({EventName.ACTION_CREATED.value, EventName.ACTION_UPDATED.value, EventName.EVIDENCE_ERASED.value})

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.seen = SeenSignatures(clock)
        self._payloads: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._creations: dict[tuple[str, str], Creation] = {}
        self._order: deque[tuple[int, tuple[str, str]]] = deque()

    def load(self, read: Read) -> None:
        since = naive(self._clock() - KEY_LIFE)
        rows = read(
            "SELECT org_id, action_id, idempotency_key, request_digest, created_at FROM actions "
            f"WHERE created_at > ? AND idempotency_key IS NOT NULL ORDER BY created_at DESC LIMIT {KEYS}",
            [since],
        )
        for org_id, action_id, key, request_digest, created_at in reversed(rows):
            assert isinstance(created_at, datetime)
            compared = None if request_digest is None else str(request_digest)
            self._remember(Creation(str(org_id), str(action_id), str(key), created_at, compared))
        self.seen.load(read)

    def fold(self, event: Event) -> None:
        key = (event.org, event.subject)
        if event.type == EventName.EVIDENCE_ERASED.value:
            self._forget(key)
            return
        if event.erased:
            self._payloads.pop(key, None)
            return
        self._payloads[key] = event.data or b"{}"
        self._payloads.move_to_end(key)
        if len(self._payloads) > NEWEST:
            self._payloads.popitem(last=False)
        if event.type == EventName.ACTION_CREATED.value:
            creation = decode(event, Creation)
            if creation.idempotency_key is not None:
                self._remember(creation)
            if creation.signature_digest is not None:
                self.seen.remember((event.org, creation.signature_digest), microseconds(creation.created_at))

    def get(self, org_id: str, action_id: str) -> Action | None:
        payload = self._payloads.get((org_id, action_id))
        return None if payload is None else _decode_action(payload)

    def creation(self, org_id: str, idempotency_key: str) -> Creation | None:
        """The creation that used this key within the last 24 hours."""
        found = self._creations.get((org_id, idempotency_key))
        if found is None or microseconds(found.created_at) <= self._clock() - KEY_LIFE:
            return None
        return found

    def snapshot(self) -> dict[tuple[str, str], str]:
        """The valid idempotency keys and their actions, to compare two memories."""
        oldest = self._clock() - KEY_LIFE
        return {
            key: creation.action_id
            for key, creation in self._creations.items()
            if microseconds(creation.created_at) > oldest
        }

    def _forget(self, key: tuple[str, str]) -> None:
        """What was erased; its idempotency key goes on to answer, out of the erasures."""
        self._payloads.pop(key, None)
        made = next((name for name, each in self._creations.items() if (each.org_id, each.action_id) == key), None)
        if made is not None:
            del self._creations[made]

    def _remember(self, creation: Creation) -> None:
        key = (creation.org_id, str(creation.idempotency_key))
        at = microseconds(creation.created_at)
        self._creations[key] = creation
        self._order.append((at, key))
        while self._order and (self._order[0][0] <= at - KEY_LIFE or len(self._order) > KEYS):
            made, old = self._order.popleft()
            found = self._creations.get(old)
            if found is not None and microseconds(found.created_at) <= made:
                del self._creations[old]
