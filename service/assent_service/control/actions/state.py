"""Actions in memory: the newest ones as they are now, and the idempotency keys of the last day."""

from __future__ import annotations

from datetime import datetime

import msgspec

from assent.contract.control.actions import Action
from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.prepared import prepared
from assent_service.base.clock import DAY, Clock, microseconds, naive
from assent_service.base.memory import DEFAULT, MemoryBudget, Newest
from assent_service.control.actions.signature_memory import SignatureMemory
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.store.ledger import Read

NEWEST = 20_000
KEY_LIFE = DAY
KEYS = 200_000
"""How many creations are remembered by their key; beyond them a key answers for less than a day."""

CREATION = 450
"""Bytes of one that is remembered, without what the agent chose."""

Scope = tuple[str, str | None, str]
"""Organization, agent and idempotency key: keys are separate for each agent."""

_decode_action = msgspec.json.Decoder(prepared(Action)).decode


class Creation(msgspec.Struct, frozen=True):
    """What a repeated creation is compared with."""

    org_id: str
    action_id: str
    agent_id: str | None
    idempotency_key: str | None
    created_at: datetime
    request_digest: str | None = None
    signature_digest: str | None = None


class ActionState:
    """Everything here is a copy of what the tables hold; what is not here is looked up there."""

    types = frozenset({EventName.ACTION_CREATED.value, EventName.ACTION_UPDATED.value, EventName.EVIDENCE_ERASED.value})

    def __init__(self, clock: Clock, memory: MemoryBudget = DEFAULT) -> None:
        self._clock = clock
        self.seen = SignatureMemory(clock)
        self._payloads: Newest[tuple[str, str], bytes] = Newest(most=NEWEST, budget=memory.of("actions"))
        self._creations: Newest[Scope, Creation] = Newest(most=KEYS, budget=memory.of("idempotency"))

    def load(self, read: Read) -> None:
        since = naive(self._clock() - KEY_LIFE)
        rows = read(
            "SELECT org_id, action_id, agent_id, idempotency_key, request_digest, created_at FROM actions "
            f"WHERE created_at > ? AND idempotency_key IS NOT NULL ORDER BY created_at DESC LIMIT {KEYS}",
            [since],
        )
        for org_id, action_id, agent_id, key, request_digest, created_at in reversed(rows):
            assert isinstance(created_at, datetime)
            agent, compared = (None if each is None else str(each) for each in (agent_id, request_digest))
            self._remember(Creation(str(org_id), str(action_id), agent, str(key), created_at, compared))
        self.seen.load(read)

    def fold(self, event: Event) -> None:
        key = (event.org, event.subject)
        if event.type == EventName.EVIDENCE_ERASED.value:
            self._forget(key)
            return
        if event.erased:
            self._payloads.pop(key)
            return
        payload = event.data or b"{}"
        self._payloads.put(key, payload, len(payload))
        if event.type == EventName.ACTION_CREATED.value:
            creation = decode(event, Creation)
            if creation.idempotency_key is not None:
                self._remember(creation)
            if creation.signature_digest is not None:
                self.seen.remember((event.org, creation.signature_digest), microseconds(creation.created_at))

    def get(self, org_id: str, action_id: str) -> Action | None:
        payload = self._payloads.get((org_id, action_id))
        return None if payload is None else _decode_action(payload)

    def creation(self, org_id: str, agent_id: str | None, idempotency_key: str) -> Creation | None:
        """The creation of this agent that used this key within the last 24 hours."""
        found = self._creations.get(_scope(org_id, agent_id, idempotency_key))
        if found is None or microseconds(found.created_at) <= self._clock() - KEY_LIFE:
            return None
        return found

    def snapshot(self) -> dict[Scope, str]:
        """The valid idempotency keys and their actions, to compare two memories."""
        oldest = self._clock() - KEY_LIFE
        return {
            key: creation.action_id
            for key, creation in self._creations.items()
            if microseconds(creation.created_at) > oldest
        }

    def _forget(self, key: tuple[str, str]) -> None:
        """What was erased; its idempotency key goes on to answer, out of the erasures."""
        self._payloads.pop(key)
        made = next((name for name, each in self._creations.items() if (each.org_id, each.action_id) == key), None)
        if made is not None:
            self._creations.pop(made)

    def _remember(self, creation: Creation) -> None:
        key = _scope(creation.org_id, creation.agent_id, str(creation.idempotency_key))
        at = microseconds(creation.created_at)
        # Ids, digests and times, and what the agent made its key of; twice, since it is in the scope too.
        self._creations.put(key, creation, CREATION + 2 * len(key[2]) + 2 * len(key[1] or ""))
        while (oldest := self._creations.oldest()) and microseconds(oldest[1].created_at) <= at - KEY_LIFE:
            self._creations.pop(oldest[0])


def _scope(org_id: str, agent_id: str | None, idempotency_key: str) -> Scope:
    """Keys are separate for each agent, however its name is spelled."""
    return org_id, None if agent_id is None else comparable(agent_id), idempotency_key
