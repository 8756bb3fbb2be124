"""The policies as they were when guard decided, found again in the log by their version."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

from assent.contract.control.policies import Policy
from assent.contract.events import EventName
from assent.proof.canonical import CanonicalError
from assent.proof.policies import policy_digest, snapshot
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

KEPT = 64
_TYPES = (EventName.POLICY_CREATED.value, EventName.POLICY_UPDATED.value)


class PolicyHistory:
    """Snapshots by organization and version; one never changes, so the newest used are kept."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._kept: OrderedDict[tuple[str, int], list[dict[str, Any]]] = OrderedDict()

    async def at(self, org_id: str, version: int) -> list[dict[str, Any]]:
        """The active policies of that version, in the order of their creation. Raises `projection_behind`."""
        found = self._kept.get((org_id, version))
        if found is None:
            return await self._fold(org_id, version, await self._ledger.events_about(org_id, _TYPES, "type"))
        self._kept.move_to_end((org_id, version))
        return found

    async def with_digest(self, org_id: str, version: int, digest: str) -> list[dict[str, Any]] | None:
        """`at`, if that is what the digest was taken over."""
        found = await self.at(org_id, version)
        return found if digest_of(found) == digest else None

    async def newest(self, org_id: str, size: int) -> tuple[int, list[dict[str, Any]]]:
        """The version in force when the log had `size` events, and its policies."""
        events = [each for each in await self._ledger.events_about(org_id, _TYPES, "type") if each.n < size]
        version = max((decode(event, Policy).version for event in events if not event.erased), default=0)
        return version, await self._fold(org_id, version, events)

    async def _fold(self, org_id: str, version: int, events: list[Event]) -> list[dict[str, Any]]:
        found = await asyncio.to_thread(_fold, events, version)
        self._kept[org_id, version] = found
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return found


def digest_of(taken: list[dict[str, Any]]) -> str | None:
    """None where a rule has no canonical form."""
    try:
        return policy_digest(taken)
    except CanonicalError:
        return None


def _fold(events: list[Event], version: int) -> list[dict[str, Any]]:
    policies: dict[str, Policy] = {}
    for event in events:
        policy = decode(event, Policy)
        if policy.version > version:
            continue
        # A change keeps the place of the creation; what was removed is left out.
        policies[policy.policy_id] = policy
        if policy.deleted_at is not None:
            del policies[policy.policy_id]
    return snapshot(policies.values())
